"""Pages ordered by similarity, as the paper shows it: four sites, crawled up to 5 and up to 10 pages, with the three
scores, precision and both times; and what SimRank of many pages costs.

The paper's sites are gone. Four manuals of Debian stand for them, each with a word that its maker would be asked for.
"""

import asyncio
import resource
import time
from pathlib import Path

import numpy as np
from msgspec import Struct

from whimbrel import api
from whimbrel.bench import machine
from whimbrel.bench.goals import Goal, at_most
from whimbrel.bench.server import serving
from whimbrel.config import load
from whimbrel.rank.graph import Numbers
from whimbrel.rank.simrank import SimRank
from whimbrel.records.verdict import Verdict
from whimbrel.search.ask.ordering import Ordering, order
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import Indexer

SITES = (
    ("openjdk-17-doc", Path("/usr/share/doc/openjdk-17-jre-headless/api"), "module"),
    ("python3-doc", Path("/usr/share/doc/python3-doc/html"), "module"),
    ("postgresql-doc-15", Path("/usr/share/doc/postgresql-doc-15/html"), "database"),
    ("cmake-doc", Path("/usr/share/doc/cmake-data/html"), "variable"),
)
LIMITS = (5, 10)
TOP = 5
MANY_PAGES, LINKS_A_PAGE = 10_000, 20
CHECKED_PAGES, CHECKED_PAIRS = 600, 1_000
SECONDS, BYTES, APART = 15.0, 1.5e9, 0.01


class OrderedSite(Struct, frozen=True):
    """`as_bm25` and `as_pagerank`: how many of the first five those two have among theirs. `precision_ordered` is that
    of a crawl which asked for pages in this order, `precision` that of one breadth first."""

    site: str
    query: str
    limit: int
    pages: int
    precision: float
    precision_ordered: float
    crawl_seconds: float
    order_seconds: float
    total: float
    content: float
    structure: float
    first: str
    as_bm25: int
    as_pagerank: int


class SimRankCost(Struct, frozen=True):
    """`links` are uniform, or uneven: most of them lead to few pages, as on real sites. `apart` is the largest
    difference on sampled pairs of a graph small enough to be worked out by the definition."""

    links: str
    pages: int
    cpu_seconds: float
    peak_bytes: int
    apart: float


class OrderReport(Struct, frozen=True):
    seed: int
    sites: tuple[OrderedSite, ...]
    costs: tuple[SimRankCost, ...]


def goals(report: OrderReport) -> list[Goal]:
    return [
        goal
        for cost in report.costs
        for goal in (
            at_most(f"SimRank, {cost.links} links: CPU seconds for {cost.pages} pages", cost.cpu_seconds, SECONDS),
            at_most(f"SimRank, {cost.links} links: peak bytes", cost.peak_bytes, BYTES),
            at_most(f"SimRank, {cost.links} links: difference on {CHECKED_PAIRS} pairs", cost.apart, APART),
        )
    ]


def run(work: Path, seed: int, say: machine.Say) -> OrderReport:
    costs = tuple(_cost(links, seed, say) for links in ("uniform", "uneven"))
    sites = tuple(
        _ordered(package, site, query, limit, work / f"{package}-{limit}", seed, say)
        for package, site, query in SITES
        for limit in LIMITS
    )
    return OrderReport(seed, sites, costs)


def _ordered(
    package: str, site: Path, query: str, limit: int, folder: Path, seed: int, say: machine.Say
) -> OrderedSite:
    machine.need_package(site / "index.html", package, say)
    say(f"{package}: {limit} pages …")
    began = time.perf_counter()
    _crawl(site, folder, {"limit": limit})
    crawled = time.perf_counter() - began
    found = _order(folder, query, seed)
    similarly = folder.with_name(f"{folder.name}-ordered")
    _crawl(site, similarly, {"limit": limit, "order": "similarity", "query": query})
    ordered = _order(similarly, query, seed)
    return _figures(package, limit, crawled, found, ordered.precision)


def _order(folder: Path, query: str, seed: int) -> Ordering:
    with Indexer(folder) as indexer:
        indexer.catch_up()
    with Searcher(folder) as searcher:
        found = order(searcher, query, "", np.random.default_rng(seed))
    if isinstance(found, Verdict):
        raise machine.MissingTool(f"{folder.name}: {found.reason}")
    return found


def _figures(package: str, limit: int, crawled: float, found: Ordering, ordered: float) -> OrderedSite:
    first, top = found.pages[0], found.pages[:TOP]
    return OrderedSite(
        package, found.query, limit, len(found.pages), found.precision, ordered, crawled, found.seconds, first.total,
        first.content, first.structure, first.url.split("/", 3)[-1], sum(page.by_bm25 <= TOP for page in top),
        sum(page.by_pagerank <= TOP for page in top),
    )  # fmt: skip


def _crawl(site: Path, folder: Path, wanted: dict[str, object]) -> None:
    server = folder.with_name(f"{folder.name}-server")
    server.mkdir(parents=True)
    with serving(site, server, machine.cores().beside) as origin:
        settings = load(Path("/dev/null"), {}, api.flags_of(wanted))
        opened = api.open_crawl(settings, api.read_seeds([f"{origin}/index.html"]), folder)
        try:
            asyncio.run(opened.manager.run(settings.crawl.time_limit_seconds))
        finally:
            opened.store.close()


def _cost(links: str, seed: int, say: machine.Say) -> SimRankCost:
    say(f"SimRank of {MANY_PAGES} pages, {links} links …")
    chance = np.random.default_rng(seed)
    sources, targets = _links(links, MANY_PAGES, chance)
    began = time.process_time()
    SimRank(sources, targets, MANY_PAGES, chance).sums()
    took = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return SimRankCost(links, MANY_PAGES, took, peak, _apart(links, chance))


def _links(links: str, pages: int, chance: np.random.Generator) -> tuple[Numbers, Numbers]:
    sources = np.repeat(np.arange(pages), LINKS_A_PAGE)
    shares = chance.random(len(sources))
    return sources, (pages * (shares if links == "uniform" else shares**4)).astype(np.int64)


def _apart(links: str, chance: np.random.Generator) -> float:
    sources, targets = _links(links, CHECKED_PAGES, chance)
    ours = SimRank(sources, targets, CHECKED_PAGES, chance)
    truth = SimRank(sources, targets, CHECKED_PAGES, chance, exact_up_to=CHECKED_PAGES)
    columns = chance.choice(CHECKED_PAGES, 20, replace=False)
    rows = chance.integers(0, CHECKED_PAGES, CHECKED_PAIRS // len(columns))
    return max(float(np.abs(ours.to(page) - truth.to(page))[rows].max()) for page in columns.tolist())
