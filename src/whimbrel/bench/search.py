"""`bench search`: how well known pages are found beside plain BM25, how fast pages are indexed and queries answered."""

import asyncio
import random
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct

from whimbrel import api
from whimbrel.bench import machine
from whimbrel.bench.crawl import SITE, SITE_PACKAGE
from whimbrel.bench.goals import Goal, at_least, at_most
from whimbrel.bench.machine import Machine, MissingTool, Say
from whimbrel.bench.search_items import KINDS, KeptPage, KnownItem, kept_pages, sample
from whimbrel.bench.search_large import LargeIndex, scaled
from whimbrel.bench.search_latency import Latency, latencies
from whimbrel.bench.search_plain import Plain
from whimbrel.bench.search_speed import GOAL_PAGES_A_SECOND, GOAL_SHARE, Speed, memory_of, speed
from whimbrel.bench.server import serving
from whimbrel.config import load
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.build.indexer import Indexer

POSTGRESQL = Path("/usr/share/doc/postgresql-doc-15/html")
CPP = Path("/usr/share/cppreference/doc/html")
RUST = Path("/usr/share/doc/rust-doc/html")
SITES = (SITE, POSTGRESQL)
MORE_SITES = (RUST, CPP)
"""Beside them in the large index."""
TUNED_ON = "the documentation of C++ (cppreference-doc-en-html), seed 7"
PACKAGES = {
    SITE: SITE_PACKAGE, POSTGRESQL: "postgresql-doc-15", CPP: "cppreference-doc-en-html", RUST: "rust-doc",
}  # fmt: skip
STARTS = {CPP: "en/index.html"}
TOP = 10
BUILDS = 5
"""Of a site's index; the large one is built once."""
GOAL_FIRST, GOAL_TOP_THREE, GOAL_LEAD = 0.97, 0.99, 0.05


class SearchTrial(Struct, frozen=True):
    """What to measure. `items` of 0 leaves the known items out. `documents` is the size of the large index, 0 for none;
    `more_sites` are crawled for it too."""

    sites: tuple[Path, ...]
    more_sites: tuple[Path, ...]
    items: int
    documents: int
    seconds: float
    seed: int
    work: Path


class SearchScore(Struct, frozen=True):
    """How one engine did on one kind of item: shares of items found first and among the first three."""

    engine: str
    kind: str
    items: int
    first: float
    top_three: float
    reciprocal_rank: float


class KnownItemFigures(Struct, frozen=True):
    """One site. `lead` is by how much more of all kinds ours puts first than plain BM25, on average."""

    site: str
    pages: int
    scores: list[SearchScore]
    lead: float


class SearchReport(Struct, frozen=True):
    machine: Machine
    tuned_on: str
    known: list[KnownItemFigures]
    speed: list[Speed]
    latency: list[Latency]
    scale: LargeIndex | None


def goals(report: SearchReport) -> list[Goal]:
    said = []
    for known in report.known:
        for score in known.scores:
            if (score.engine, score.kind) == ("whimbrel", "title"):
                said.append(at_least(f"share found first by title, {known.site}", score.first, GOAL_FIRST))
                said.append(at_least(f"share in the top three by title, {known.site}", score.top_three, GOAL_TOP_THREE))
        said.append(at_least(f"first, ahead of plain BM25, {known.site}", known.lead, GOAL_LEAD))
    for one in [*report.speed, *([report.scale.speed] if report.scale else [])]:
        said.append(at_least(f"pages indexed a second of CPU, {one.site}", one.pages_a_second, GOAL_PAGES_A_SECOND))
        said.append(at_most(f"index by its text, {one.site}", one.share, GOAL_SHARE))
    timed = [late for late in report.latency if late.goal_p95]
    return [*said, *(at_most(f"ms, 95th percentile, {late.way}", late.p95, late.goal_p95) for late in timed)]


def run(plan: SearchTrial, say: Say) -> SearchReport:
    began = machine.describe(plan.work)
    folders = [_crawled(site, plan.work, say) for site in plan.sites]
    speeds = [speed(str(site), folder, BUILDS) for site, folder in zip(plan.sites, folders, strict=True)]
    for one in speeds:
        say(f"{one.site}: {one.pages:,} pages indexed {memory_of(one)}")
    read = [kept_pages(folder) for folder in folders] if plan.items or plan.documents else []
    known = []
    if plan.items:
        known = [_known(*each, plan, say) for each in zip(plan.sites, folders, read, strict=True)]
    latency: list[Latency] = []
    scale = None
    if plan.documents:
        queries = asked_of([page for pages in read for page in pages], plan.seed)
        folders += [_crawled(site, plan.work, say) for site in plan.more_sites]
        scale = scaled(folders, plan.work / "large", plan.documents, say)
        latency = latencies(plan.work / "large", queries, plan.seconds, say)
    return SearchReport(began, TUNED_ON, known, speeds, latency, scale)


def _crawled(site: Path, work: Path, say: Say) -> Path:
    folder = work / "-".join(site.parts[-3:])
    crawl(site, folder, say)
    return folder


def crawl(site: Path, folder: Path, say: Say) -> None:
    """The site as a crawl keeps it, from nginx on loopback."""
    start = STARTS.get(site, "index.html")
    if site in PACKAGES:
        machine.need_package(site / start, PACKAGES[site], say)
    if not (site / start).is_file():
        raise MissingTool(f"{site} holds no {start}. Name a folder of HTML pages with --site.")
    server = folder.with_name(f"{folder.name}-server")
    for place in (folder, server):
        shutil.rmtree(place, ignore_errors=True)
    server.mkdir(parents=True)
    with serving(site, server, machine.cores().beside) as origin:
        settings = load(Path("/dev/null"), {}, api.flags_of({}))
        opened = api.open_crawl(settings, api.read_seeds([f"{origin}/{start}"]), folder)
        try:
            ended = asyncio.run(opened.manager.run(settings.crawl.time_limit_seconds))
        finally:
            opened.store.close()
    say(f"{site}: {ended.words}")


def asked_of(pages: list[KeptPage], seed: int) -> list[str]:
    """Queries as readers would type them: the texts of links, and short paragraphs, which headings are."""
    anchors = {text for page in pages for _, text in page.links if 1 <= len(text.split()) <= 6}
    headings = {part for page in pages for part in page.paragraphs if 1 <= len(part.split()) <= 6}
    chance = random.Random(seed)
    both = [chance.sample(sorted(those), min(1_000, len(those))) for those in (anchors, headings)]
    queries = [query for those in both for query in those]
    chance.shuffle(queries)
    return queries


def _known(site: Path, folder: Path, pages: list[KeptPage], plan: SearchTrial, say: Say) -> KnownItemFigures:
    chosen = sample(pages, plan.items, plan.seed)
    # The index is built without the anchors that are asked for; it is built anew afterwards.
    with Indexer(folder, leave_out=chosen.left_out) as indexer:
        indexer.rebuild()
    shutil.rmtree(folder / "plain", ignore_errors=True)
    plain = Plain(folder / "plain", ((page.key, f"{page.title}\n{page.text}") for page in pages))
    with Searcher(folder) as searcher:
        scores = [
            *judged("whimbrel", chosen.items, lambda query: _ours(searcher, query)),
            *judged("plain BM25", chosen.items, lambda query: plain.best(query, TOP)),
        ]
    firsts = {engine: [s.first for s in scores if s.engine == engine] for engine in ("whimbrel", "plain BM25")}
    ours, theirs = (sum(shares) / len(shares) for shares in firsts.values())
    say(f"{site}: first {ours:.1%}, plain BM25 {theirs:.1%}")
    return KnownItemFigures(str(site), len(pages), scores, ours - theirs)


def _ours(searcher: Searcher, query: str) -> list[int]:
    answer = searcher.answer(parse(query), size=TOP, snippets=False, facets=False)
    return [hit.key for hit in answer.hits]


def judged(engine: str, items: list[KnownItem], best: Callable[[str], list[int]]) -> list[SearchScore]:
    places: dict[str, list[int]] = {kind: [] for kind in KINDS}
    for item in items:
        places[item.kind].append(_place(best(item.query), item.right))
    return [_score(engine, kind, found) for kind, found in places.items() if found]


def _place(keys: Iterable[int], right: frozenset[int]) -> int:
    """From 1; 0 where none of the right pages is among them."""
    return next((place for place, key in enumerate(keys, 1) if key in right), 0)


def _score(engine: str, kind: str, places: list[int]) -> SearchScore:
    count = len(places)
    return SearchScore(
        engine,
        kind,
        count,
        sum(place == 1 for place in places) / count,
        sum(1 <= place <= 3 for place in places) / count,
        sum(1 / place for place in places if place) / count,
    )
