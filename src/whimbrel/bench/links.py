"""`bench links`: bad links planted in a manual, and whether they are found, with the pages that hold them."""

import asyncio
import re
from collections.abc import Awaitable
from pathlib import Path
from urllib.parse import unquote

from msgspec import Struct

from whimbrel import api
from whimbrel.api.elsewhere import FOLDER, open_elsewhere, whose
from whimbrel.bench.goals import Goal, at_least, at_most
from whimbrel.bench.links_site import COUNTS, KIND_OF, PlantedSite, planted
from whimbrel.bench.machine import Say
from whimbrel.config import load
from whimbrel.flows.linking.bad_links import BadLink, bad_links
from whimbrel.flows.linking.probing import probes, soft_pages
from whimbrel.flows.linking.standing import KINDS
from whimbrel.repository.engines import open_reader
from whimbrel.urls.normal import origin

GOAL_FOUND, GOAL_WRONG = 0.99, 0.01
_SETTINGS = {
    "fetch.stall_seconds": 2.0,
    "fetch.total_seconds": 4.0,
    "crawl.exhaustive": True,
    "crawl.twins_seconds": 0.0,
}


class LinksWay(Struct, frozen=True):
    """`found` of the planted ones are told, `with_pages` of these with exactly the pages that hold them."""

    way: str
    planted: int
    found: int
    with_pages: int


class LinksTrial(Struct, frozen=True):
    """`wrong` are links that were told and are in order; `own` are bad ones that the manual brought along, as a second
    look at what was served shows."""

    site: str
    pages: int
    seed: int
    ways: list[LinksWay]
    told: int
    wrong: list[str]
    own: int


def goals(report: LinksTrial) -> list[Goal]:
    planted_in_all, found = (sum(getattr(way, name) for way in report.ways) for name in ("planted", "found"))
    return [
        at_least("share of planted bad links found", found / planted_in_all, GOAL_FOUND),
        at_least("share found of the worst way", min(way.found / way.planted for way in report.ways), GOAL_FOUND),
        at_most("share of told links that are in order", len(report.wrong) / max(1, report.told), GOAL_WRONG),
        at_least("share of found links with all their pages", sum(way.with_pages for way in report.ways)
                 / max(1, found), 1.0),
    ]  # fmt: skip


def run(manual: Path, most_pages: int, seed: int, work: Path, say: Say) -> LinksTrial:
    folder = work / "folder"
    settings = load(Path("/dev/null"), {}, _SETTINGS)
    with planted(manual, most_pages, seed, work) as site:
        opened = api.open_crawl(settings, api.read_seeds(site.seeds), folder)
        say(_finished(opened, api.run_crawl(opened)))
        with open_reader(folder) as reader:
            ours, theirs = whose(reader, probes(reader, None))
        say(f"{len(ours) + len(theirs)} addresses that cannot exist are asked for")
        opened = open_elsewhere(settings, folder, [*ours, *theirs], named_by_pages=False)
        say(_finished(opened, api.run_crawl(opened)))
        with open_reader(folder) as reader, open_reader(folder / FOLDER) as elsewhere:
            soft = soft_pages(reader, elsewhere, None)
            report = bad_links(reader, elsewhere, soft, set(KINDS), None)
        return _judged(manual, seed, site, report.bad)


def _finished(opened: api.OpenedCrawl, work: Awaitable[object]) -> str:
    async def finish() -> object:
        return await work

    try:
        return str(getattr(asyncio.run(finish()), "words", ""))
    finally:
        opened.store.close()


def _judged(manual: Path, seed: int, site: PlantedSite, told: list[BadLink]) -> LinksTrial:
    by_url: dict[str, BadLink] = {link.url: link for link in told}
    ways = []
    for way, count in COUNTS.items():
        links = [link for link in site.links if link.way == way]
        found = [link for link in links if (bad := by_url.get(link.url)) is not None and bad.kind == KIND_OF[way]]
        whole = [link for link in found if _pages(by_url[link.url]) == link.pages]
        ways.append(LinksWay(way, count, len(found), len(whole)))
    meant = {link.url for link in site.links if link.way}
    others = [link for link in told if link.url not in meant]
    wrong = [str(link.url) for link in others if not is_bad(link, site)]
    return LinksTrial(str(manual), len(site.pages), seed, ways, len(told), wrong, len(others) - len(wrong))


def _pages(link: BadLink) -> frozenset[str]:
    return frozenset(holder.page for holder in link.holders)


def is_bad(link: BadLink, site: PlantedSite) -> bool:
    """By the bytes that were served, without our parser: a page that is not there, or no place of that name in it."""
    page, _, fragment = link.url.partition("#")
    body = site.pages.get(page)
    if link.kind == "missing":
        return body is None and any(other.startswith(origin(link.url)) for other in site.pages)
    if link.kind != "fragment" or body is None:
        return False
    named = re.escape(unquote(fragment).encode())
    return re.search(rb"""\b(?:id|name)\s*=\s*["']?""" + named + rb"""(?=["'\s>])""", body) is None
