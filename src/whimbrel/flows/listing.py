"""Sitemaps on their way: where a site keeps them, and what one that was fetched adds to the links.

A sitemap lists pages, whatever leads to them. It is merged with the links and replaces none: a listed page stands
`STEPS` links away until a link brings it nearer, so that a crawl of limited depth stays near its seeds and everything
else takes the pages first that the site itself leads to.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from whimbrel.fetch import robots
from whimbrel.frontier.cache import UrlCache
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.records.visit import Link, Listing
from whimbrel.repository.contract import RobotsCopy
from whimbrel.urls.normal import host, normalise
from whimbrel.urls.normal import key as key_of

if TYPE_CHECKING:
    from whimbrel.parse.sitemaps import Listed

STEPS = 100
USUAL_PLACE = "/sitemap.xml"
MOST_NESTED = 3
MOST_IN_AN_INDEX = 1_000
MOST_NAMED = 100


def named_in(copies: Iterable[RobotsCopy]) -> list[Link]:
    """The sitemaps that robots files name for their own host."""
    found: dict[int, Link] = {}
    for copy in copies:
        if not 200 <= copy.status < 300 or b"sitemap" not in copy.body.lower().replace(b"-", b""):
            continue
        own = _bare(host(Url(f"{copy.origin}/")))
        for written in robots.parse(copy.body).sitemaps[:MOST_NAMED]:
            url = normalise(written, f"{copy.origin}/")
            if not isinstance(url, Verdict) and _bare(host(url)) == own:
                found.setdefault(key_of(url), sitemap_link(url))
    return list(found.values())


def sitemap_link(url: Url, hops: int = 0) -> Link:
    return Link(key_of(url), url, 0, hops, True, "", "", True)


def read(
    body: bytes, task: Task, judge: Callable[[Url], Verdict], rewrite: Callable[[Url], Url] | None, cache: UrlCache,
    now: float,
) -> tuple[list[Link], list[Listing], tuple[str, ...]] | Verdict:  # fmt: skip
    """The links that home has to hear of, what is said of each page, and notes on what was left out."""
    # Imported here: XML and the ways to write a date take long to load, home reads no sitemap and many sites have none.
    from whimbrel.parse.sitemaps import read_sitemap

    sitemap = read_sitemap(body, task.url, now)
    if isinstance(sitemap, Verdict):
        return sitemap
    if sitemap.kind == "index":
        nested, notes = _nested(sitemap.urls, task)
        return nested, [], (*sitemap.notes, *notes)
    links: dict[int, Link] = {}
    listed: list[Listing] = []
    for entry in sitemap.urls:
        url = entry.url if rewrite is None else rewrite(entry.url)
        key = key_of(url)
        if key in links:
            continue
        verdict = judge(url)
        links[key] = Link(key, url, STEPS, 0, False, verdict.rule, verdict.reason)
        if verdict.accepted:
            listed.append(Listing(key, entry.lastmod, entry.changefreq, entry.priority))
    told = cache.meet(list(links), task.depth + STEPS)
    return [links[key] for key in told], listed, sitemap.notes


def _nested(entries: "tuple[Listed, ...]", task: Task) -> tuple[list[Link], list[str]]:
    """Sitemaps of an index. One that is known already is not asked for again, so a circle comes to an end."""
    others = [entry.url for entry in entries if entry.url != task.url]
    notes = ["it lists itself: ignored"] if len(others) < len(entries) else []
    if task.hops >= MOST_NESTED:
        return [], [*notes, f"sitemaps nested more than {MOST_NESTED} deep: {len(others)} not read"]
    if len(others) > MOST_IN_AN_INDEX:
        notes.append(f"more than {MOST_IN_AN_INDEX} sitemaps: {len(others) - MOST_IN_AN_INDEX} not read")
    return [sitemap_link(url, task.hops + 1) for url in others[:MOST_IN_AN_INDEX]], notes


def _bare(name: str) -> str:
    return name.removeprefix("www.")
