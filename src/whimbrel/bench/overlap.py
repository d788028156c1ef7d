"""`bench overlap`: what more migrants and other orders change: pages asked for twice, bytes sent home, and how soon the
pages that matter come in.

Overlap, coverage and communication are the measures of Cho and García-Molina, "Parallel Crawlers" (WWW 2002), §4; the
PageRank gathered so far those of Cho, García-Molina and Page, "Efficient Crawling Through URL Ordering" (1998), §3.
"""

import asyncio
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

import msgspec
import numpy as np
import uvloop
from msgspec import Struct

from whimbrel import api
from whimbrel.bench import crawl, machine
from whimbrel.bench.crawling import Contents, contents
from whimbrel.bench.goals import Goal, holds
from whimbrel.bench.logged import Arrival, LoggedServer, witnessed
from whimbrel.bench.machine import Machine, Say
from whimbrel.config import load
from whimbrel.flows.listing import USUAL_PLACE
from whimbrel.flows.packing import unpack
from whimbrel.migrants.home.manager import Manager
from whimbrel.rank.graph import distinct
from whimbrel.rank.pagerank import pagerank
from whimbrel.records.visit import Visit
from whimbrel.repository.engines import open_reader

SHARES = (0.1, 0.25, 0.5)
KILL_SECONDS = 1.5


class OverlapTrial(Struct, frozen=True):
    """Every order with every number of migrants; then `killed` are crews of which members are killed at random, in the
    first of the orders. `seed` chooses whom and when."""

    site: Path
    migrants: tuple[int, ...]
    orders: tuple[str, ...]
    work: Path
    killed: tuple[int, ...] = ()
    seed: int = 1


class OverlapRun(Struct, frozen=True):
    """`asked` counts requests for pages at the server, `pages` different ones among them; `wire_bytes` is what came
    home, `fetched_bytes` what migrants received; `mass` is the PageRank of the first pages asked for, by their share
    of the site."""

    migrants: int
    order: str
    deaths: int
    asked: int
    pages: int
    wire_bytes: int
    fetched_bytes: int
    mass: tuple[float, ...]
    contents: Contents

    @property
    def overlap(self) -> float:
        return (self.asked - self.pages) / self.pages if self.pages else 0.0


class OverlapReport(Struct, frozen=True):
    """`best_mass` is what an order that knew all ranks beforehand would have gathered."""

    site: str
    machine: Machine
    shares: tuple[float, ...]
    best_mass: tuple[float, ...]
    runs: list[OverlapRun]
    faults: list[str]

    @property
    def same(self) -> bool:
        return len({run.contents.digest for run in self.runs}) == 1


class CrawlSeen(Struct, frozen=True):
    """A crawl as it went, before anything is concluded from it."""

    migrants: int
    order: str
    deaths: int
    arrivals: list[Arrival]
    wire_bytes: int
    fetched_bytes: int
    contents: Contents


def goals(report: OverlapReport) -> list[Goal]:
    twice = sum(run.asked - run.pages for run in report.runs if not run.deaths)
    return [
        holds("pages asked for twice though no migrant was killed", twice),
        holds("crawls that hold other URLs, outcomes or digests", len({r.contents.digest for r in report.runs}) - 1),
    ]


def run(plan: OverlapTrial, say: Say) -> OverlapReport:
    crawl.prepare(crawl.CrawlTrial(plan.site, (), 1, plan.work), say)
    began = machine.describe(plan.work)
    server_folder = plan.work / "server"
    server_folder.mkdir()
    chance = Random(plan.seed)
    calm = [(count, order, False) for order in plan.orders for count in plan.migrants]
    rough = [(count, plan.orders[0], True) for count in plan.killed]
    seen = []
    ranks: dict[str, float] = {}
    with witnessed(str(plan.site.resolve()), server_folder, ["127.0.0.1"]) as server:
        for count, order, killing in (*calm, *rough):
            server.forget()
            folder = plan.work / "run"
            seen.append(_crawl(folder, server, count, order, chance if killing else None))
            ranks = ranks or rank(folder, server.origin())
            shutil.rmtree(folder)
            say(
                f"{count} migrants, {order}{', killed at random' if killing else ''}: {len(seen[-1].arrivals)} requests"
            )
    runs = [conclude(one, ranks) for one in seen]
    return OverlapReport(
        site=str(plan.site),
        machine=began,
        shares=SHARES,
        best_mass=gathered(sorted(ranks, key=ranks.__getitem__, reverse=True), ranks),
        runs=runs,
        faults=faults_of(runs),
    )


def faults_of(runs: Sequence[OverlapRun]) -> list[str]:
    twice = [run for run in runs if run.asked != run.pages and not run.deaths]
    faults = [
        f"{run.migrants} migrants, {run.order}: {run.asked - run.pages} requests for a page asked for before"
        for run in twice
    ]
    first = runs[0].contents
    faults += [
        f"{run.migrants} migrants, {run.order}, {run.deaths} killed: holds something else than the first run "
        f"({run.contents.urls} URLs, {run.contents.pages} pages, not {first.urls} and {first.pages})"
        for run in runs
        if run.contents.digest != first.digest
    ]
    return faults


def _crawl(folder: Path, server: LoggedServer, migrants: int, order: str, chance: Random | None) -> CrawlSeen:
    """Home runs in this process, so that what comes home can be weighed; migrants are processes as always."""
    settings = load(None, {}, api.flags_of({"migrants": migrants, "order": order}))
    opened = api.open_crawl(settings, api.read_seeds([f"{server.origin()}/{crawl.START}"]), folder)
    scales = Scales()
    opened.manager.listen(scales.weigh)
    try:
        uvloop.run(_go(opened.manager, chance))
    finally:
        opened.store.close()
    deaths = opened.manager.progress.deaths
    held = contents(folder, server.origin())
    return CrawlSeen(migrants, order, deaths, server.arrivals(), scales.wire_bytes, scales.fetched_bytes, held)


async def _go(manager: Manager, chance: Random | None) -> None:
    killing = asyncio.create_task(_kill(manager, chance)) if chance is not None else None
    try:
        await manager.run()
    finally:
        if killing is not None:
            killing.cancel()


async def _kill(manager: Manager, chance: Random) -> None:
    while True:
        await asyncio.sleep(chance.uniform(0.5, 1.5) * KILL_SECONDS)
        if ready := manager.crew.ready:
            chance.choice(ready).cut()


class Scales:
    """Weighs visits as they were on the wire; what frames and pulses add is less than a thousandth."""

    def __init__(self) -> None:
        self._encoder = msgspec.msgpack.Encoder()
        self.wire_bytes = 0
        self.fetched_bytes = 0

    async def weigh(self, visits: list[Visit]) -> None:
        self.wire_bytes += sum(len(self._encoder.encode(visit)) for visit in visits)
        self.fetched_bytes += sum(visit.received_bytes for visit in visits)


def rank(folder: Path, origin: str) -> dict[str, float]:
    """PageRank of every kept page by its path, over the links that were kept."""
    with open_reader(folder) as reader:
        pages = list(reader.pages())
    numbers = {page.url: number for number, page in enumerate(pages)}
    sources, targets = [], []
    for number, page in enumerate(pages):
        found = [numbers[url] for url in unpack(page.reading).urls if url in numbers] if page.reading else []
        sources += [number] * len(found)
        targets += found
    links = distinct(np.array(sources, np.int64), np.array(targets, np.int64), len(pages))
    shares = pagerank(*links, len(pages))
    return {page.url.removeprefix(origin): float(share) for page, share in zip(pages, shares, strict=True)}


def gathered(order: Sequence[str], ranks: dict[str, float]) -> tuple[float, ...]:
    """The PageRank of the first tenth, quarter, half of the pages in this order."""
    counts = [round(share * len(ranks)) for share in SHARES]
    pages = list(dict.fromkeys(path for path in order if path in ranks))
    return tuple(sum(ranks[path] for path in pages[:count]) for count in counts)


def conclude(seen: CrawlSeen, ranks: dict[str, float]) -> OverlapRun:
    asked = Counter(arrival.path for arrival in seen.arrivals if arrival.path not in ("/robots.txt", USUAL_PLACE))
    return OverlapRun(
        migrants=seen.migrants,
        order=seen.order,
        deaths=seen.deaths,
        asked=asked.total(),
        pages=len(asked),
        wire_bytes=seen.wire_bytes,
        fetched_bytes=seen.fetched_bytes,
        mass=gathered([arrival.path for arrival in seen.arrivals], ranks),
        contents=seen.contents,
    )
