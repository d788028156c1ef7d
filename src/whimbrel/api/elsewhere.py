"""Addresses that are asked whether they are still there: links lead to them, and no crawl of the folder asks for them.

They have a folder of their own inside the folder, in which they are crawled like everything else: by robots.txt, with
delays, again where a server is busy, and on after a kill. Nothing is followed from them. Nobody named them but pages,
so they may not lead into private networks.
"""

from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from whimbrel.api.naming import STRANGERS
from whimbrel.api.opening import OpenedCrawl, Refreshing, open_crawl, open_refresh
from whimbrel.api.revisiting import wish_for
from whimbrel.config import Settings
from whimbrel.config.settings import Crawl, SiteTable
from whimbrel.records.url import Url
from whimbrel.repository.engines import exists, open_reader
from whimbrel.repository.port.reader import Reader
from whimbrel.urls.normal import host

FOLDER = "elsewhere"
AGAIN_SECONDS = 86_400.0
"""After which what was asked is asked once more."""


def settings_elsewhere(settings: Settings) -> Settings:
    """The settings of the folder, but for where to go and what to keep. No credentials go out."""
    ours = settings.crawl
    crawl = Crawl(
        scope="list", depth=0, sitemaps=False, types=("html",), exhaustive=True, migrants=ours.migrants,
        time_limit_seconds=ours.time_limit_seconds, twins_seconds=0.0,
    )  # fmt: skip
    paces = tuple(
        SiteTable(host=site.host, prefix=site.prefix, delay_seconds=site.delay_seconds) for site in settings.site
    )
    return replace(settings, crawl=crawl, site=paces)


def whose(reader: Reader, urls: Iterable[Url]) -> tuple[list[Url], list[Url]]:
    """Those on hosts that the owner of the folder named, and the others."""
    remembered = reader.recall(STRANGERS)
    strange = set(remembered if isinstance(remembered, list) else [])
    named = {host(seed) for seed in reader.seeds()} - strange
    parted: tuple[list[Url], list[Url]] = ([], [])
    for url in urls:
        parted[host(url) not in named].append(url)
    return parted


def open_elsewhere(settings: Settings, folder: Path, urls: Iterable[Url], *, named_by_pages: bool) -> OpenedCrawl:
    """Ready to ask for those that were not asked before."""
    return open_crawl(settings_elsewhere(settings), urls, folder / FOLDER, from_browser=named_by_pages)


def open_again(settings: Settings, folder: Path, now: float) -> Refreshing | None:
    """Ready to ask anew for what was asked; None where that was lately."""
    place = folder / FOLDER
    if not exists(place):
        return None
    with open_reader(place) as reader:
        last = reader.overview().last_visit_at
    if last is None or now - last < AGAIN_SECONDS:
        return None
    chosen = settings_elsewhere(settings)
    return open_refresh(chosen, place, wish_for(chosen, everything=True, budget=None, confirm=False))
