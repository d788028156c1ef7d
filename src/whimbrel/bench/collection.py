"""A collection of fixed size beside the best that it could hold.

Each manual is crawled whole, and PageRank worked out over all of it: that is the truth. Then it is crawled again into a
collection of a twentieth of its pages. What counts is the share of the rank of the best so many pages that the ones in
the collection have; beside it stand the pages that a crawl of that many, nearest first, would hold.
"""

import asyncio
import time
from pathlib import Path

import numpy as np
from msgspec import Struct

from whimbrel import api
from whimbrel.bench import machine
from whimbrel.bench.goals import Goal, at_least, at_most, holds
from whimbrel.bench.server import serving
from whimbrel.config import load
from whimbrel.flows.gather.shedding import followed
from whimbrel.rank.pagerank import pagerank
from whimbrel.records.url import Url
from whimbrel.records.visit import Visit
from whimbrel.repository.engines import open_reader
from whimbrel.urls.normal import key as key_of

CHOSEN_ON = (
    ("python3-doc", Path("/usr/share/doc/python3-doc/html")),
    ("postgresql-doc-15", Path("/usr/share/doc/postgresql-doc-15/html")),
)
"""Growth and patience of the rounds were chosen on these two."""
JUDGED_ON = (
    ("sqlite3-doc", Path("/usr/share/doc/sqlite3")),
    ("python-django-doc", Path("/usr/share/doc/python-django-doc/html")),
    ("cmake-doc", Path("/usr/share/doc/cmake-data/html")),
)
LARGE = ("openjdk-17-doc", Path("/usr/share/doc/openjdk-17-jre-headless/api"))
SHARE = 0.05
LEAST_MASS, MOST_RANKINGS = 0.9, 20


class CollectedSite(Struct, frozen=True):
    """`mass` is what the collection holds of the rank of the best `size` pages, `nearest` what the first `size` pages
    of a crawl by distance hold. `visits` are as a share of the site's pages. `beyond` counts commits after which there
    were more pages than `size`, `commits` how many were looked at once it had been full."""

    site: str
    judged: bool
    pages: int
    size: int
    mass: float
    nearest: float
    visits: float
    rankings: int
    replaced: int
    commits: int
    beyond: int
    cpu_seconds: float
    ended: str


class CollectionReport(Struct, frozen=True):
    sites: tuple[CollectedSite, ...]


def goals(report: CollectionReport) -> list[Goal]:
    judged = [one for one in report.sites if one.judged]
    if not judged:
        return []
    masses = [one.mass for one in judged]
    return [
        at_least("share of the best pages' rank, mean of sites not chosen on", sum(masses) / len(masses), LEAST_MASS),
        at_least("share of the best pages' rank, worst of sites not chosen on", min(masses), LEAST_MASS),
        at_most("times ranks were worked out, at most", max(one.rankings for one in report.sites), MOST_RANKINGS),
        holds("commits after which more pages were here than asked for", sum(one.beyond for one in report.sites)),
    ]


def run(work: Path, large: bool, say: machine.Say) -> CollectionReport:
    sites = [(*one, False) for one in CHOSEN_ON] + [(*one, True) for one in (*JUDGED_ON, *([LARGE] if large else []))]
    return CollectionReport(tuple(_measured(*one, work, say) for one in sites))


def _measured(package: str, site: Path, judged: bool, work: Path, say: machine.Say) -> CollectedSite:
    machine.need_package(site / "index.html", package, say)
    place = work / package
    (place / "server").mkdir(parents=True)
    with serving(site, place / "server", machine.cores().beside) as origin:
        seed = f"{origin}/index.html"
        say(f"{package}: the whole site …")
        crawled(seed, place / "whole")
        ranks = true_ranks(place / "whole")
        size = max(2, round(SHARE * len(ranks)))
        say(f"{package}: {size} of {len(ranks)} pages …")
        watched = crawled(seed, place / "collection", size)
        crawled(seed, place / "nearest", limit=size)
    best = sum(sorted(ranks.values(), reverse=True)[:size])
    return CollectedSite(
        package, judged, len(ranks), size, held(place / "collection", ranks) / best,
        held(place / "nearest", ranks) / best, watched.visits / len(ranks), watched.rankings, watched.replaced,
        watched.commits, watched.beyond, watched.cpu_seconds, watched.ended,
    )  # fmt: skip


class WatchedCrawl(Struct):
    """Looked at after every commit, by a reader of its own."""

    size: int | None
    visits: int = 0
    rankings: int = 0
    replaced: int = 0
    commits: int = 0
    beyond: int = 0
    cpu_seconds: float = 0.0
    ended: str = ""


def crawled(seed: str, folder: Path, size: int | None = None, limit: int | None = None) -> WatchedCrawl:
    asked = {name: value for name, value in (("collection", size), ("limit", limit)) if value is not None}
    settings = load(Path("/dev/null"), {}, api.flags_of({"migrants": "1", **asked}))
    watched = WatchedCrawl(size)
    began = time.process_time()
    opened = api.open_crawl(settings, api.read_seeds([seed]), folder)

    async def look(_: list[Visit]) -> None:
        with open_reader(folder) as reader:
            pages = reader.counts().pages
        watched.commits += size is not None and pages >= size
        watched.beyond += size is not None and pages > size

    try:
        if size is not None:
            opened.manager.listen(look)
        ended = asyncio.run(api.run_crawl(opened))
    finally:
        opened.store.close()
    progress = opened.manager.progress
    watched.visits, watched.replaced, watched.ended = progress.visits, progress.replaced, ended.words
    watched.rankings, watched.cpu_seconds = opened.manager.rankings, time.process_time() - began
    return watched


def true_ranks(folder: Path) -> dict[Url, float]:
    """PageRank of every kept page of a site that was crawled whole. A link to a twin leads to the page that stands for
    it, one to a URL that redirects to where that leads."""
    with open_reader(folder) as reader:
        kept = list(reader.pages())
        redirects = reader.redirects()
    stands = {key_of(one.url): key_of(one.duplicate_of) for one in kept if one.duplicate_of is not None}
    pages = [one for one in kept if one.duplicate_of is None]
    number = {key_of(one.url): at for at, one in enumerate(pages)}
    sources, targets = [], []
    for at, one in enumerate(pages):
        for key in followed(one.reading):
            key = redirects.get(key, key)
            goal = number.get(stands.get(key, key))
            if goal is not None and goal != at:
                sources.append(at)
                targets.append(goal)
    ranks = pagerank(np.array(sources, np.int64), np.array(targets, np.int64), len(pages))
    return dict(zip((one.url for one in pages), ranks.tolist(), strict=True))


def held(folder: Path, ranks: dict[Url, float]) -> float:
    with open_reader(folder) as reader:
        return sum(ranks.get(one.url, 0.0) for one in reader.pages() if one.duplicate_of is None)
