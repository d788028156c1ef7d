"""What each stage of a page costs, in one process over a real crawl of the site.

`python -m whimbrel.bench.stages SEED FOLDER PAGES` crawls in batches: the batch is fetched, then every stage runs over
the whole batch by itself and its CPU time is taken. Most stages run a second time inside the visit, so this process
says what a stage costs and not how fast a crawl is. Prints JSON.
"""

import asyncio
import gc
import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import uvloop
from msgspec import Struct

from whimbrel.bench.floor import AT_A_TIME, fetcher
from whimbrel.bench.followers import FOLLOWERS
from whimbrel.dedupe import exact
from whimbrel.fetch.http import Fetcher
from whimbrel.flows.gather.deciding import Gathering, Terms
from whimbrel.flows.packing import pack
from whimbrel.flows.visit import crawl
from whimbrel.flows.visit.tools import Tools
from whimbrel.frontier.cache import UrlCache
from whimbrel.frontier.order import Order
from whimbrel.frontier.patterns import shape
from whimbrel.frontier.traps import TrapSettings
from whimbrel.frontier.watch import Watch
from whimbrel.migrants.wire import messages as wire
from whimbrel.parse import html
from whimbrel.records.page import Page
from whimbrel.records.response import Failure, Response
from whimbrel.records.task import NO_VALIDATORS, Task, Validators
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.records.visit import Link, Reading, Visit
from whimbrel.repository import warc
from whimbrel.repository.contract import KnownUrl, Lease, LeaseWanted
from whimbrel.repository.engines import open_writer
from whimbrel.urls.normal import host
from whimbrel.urls.normal import key as key_of
from whimbrel.urls.resolve import LinkResolver
from whimbrel.urls.scope import Scope, ScopeKind

BATCH = 256
PARCEL = 64
STAGES = {
    "fetch": "fetch: request, receive, take the head apart",
    "read": "read: parse, title, text, anchors",
    "links": "links: resolve, key, known or new, in scope or not",
    "digests": "digests: of the bytes, of the text, its shape",
    "records": "archive records: write and compress",
    "pack": "pack text and links: write and compress",
    "wire": "wire: to home, both ends",
    "decide": "home decides: known, twins, traps",
    "commit": "home commits: WARC and SQLite",
}

Result = TypeVar("Result")
Answer = Response | Failure | Verdict


class StageCosts(Struct, frozen=True):
    """CPU microseconds a page; `commit_wall` is how long a commit took with the disk, a page."""

    pages: int
    stages: dict[str, float]
    visit: float
    commit_wall: float
    followers: dict[str, float]


class FetchedBefore:
    """Answers that were fetched before, for a visit to find."""

    def __init__(self) -> None:
        self.answers: dict[Url, Answer] = {}

    async def fetch(
        self, url: Url, validators: Validators = NO_VALIDATORS, *, any_type: bool = False
    ) -> Response | Failure | Verdict:
        return self.answers[url]


class StagesBench:
    """One crawl, taken apart."""

    def __init__(self, seed: Url, folder: Path) -> None:
        self._store = open_writer(folder)
        self._terms = Terms(None, None, Order.BREADTH)
        self._watch = Watch(TrapSettings())
        self._host = host(seed)
        self._scope = Scope(ScopeKind.HOST, (seed,))
        self._resolver, self._cache = LinkResolver(), UrlCache(500_000)
        self._held = FetchedBefore()
        self._tools = Tools(
            fetcher=self._held, resolver=LinkResolver(), cache=UrlCache(500_000), judge=self._scope.judge, rewrite=None,
            now=time.time, agent="whimbrel-bench", assets=False, retries=0, retry_seconds=lambda url, attempt: 0.0,
            busy=lambda url, wait: 0.0, at_work_on=lambda key: None,
        )  # fmt: skip
        self._used: Counter[str] = Counter()
        self.pages = 0
        seeds = [Link(key_of(seed), seed, 0, 0, False, "", "")]
        self._store.commit(self._gathering().plant(seeds).plan, time.time())

    def _gathering(self) -> Gathering:
        return Gathering(self._store, self._terms, self._watch, time.time())

    def _timed(self, stage: str, work: Callable[[], Result]) -> Result:
        began = time.process_time_ns()
        result = work()
        self._used[stage] += time.process_time_ns() - began
        return result

    async def run(self, most_pages: int) -> None:
        engine = fetcher()
        while self.pages < most_pages and (places := self._next()):
            began = time.process_time_ns()
            await self._fetch(engine, [known.url for _, known in places])
            self._used["fetch"] += time.process_time_ns() - began
            await self._batch(places)
        await engine.close()
        self._store.close()

    def _next(self) -> list[tuple[Lease, KnownUrl]]:
        lane = self._store.lane(self._host)
        return [] if lane is None else self._store.lease(LeaseWanted(lane, BATCH, time.time()))

    async def _fetch(self, engine: Fetcher, urls: list[Url]) -> None:
        waiting = iter(urls)
        self._held.answers = {}

        async def worker() -> None:
            for url in waiting:
                self._held.answers[url] = await engine.fetch(url)

        await asyncio.gather(*(worker() for _ in range(AT_A_TIME)))

    async def _batch(self, places: list[tuple[Lease, KnownUrl]]) -> None:
        tasks = [Task(known.key, known.url, known.depth, known.hops, 0, False) for _, known in places]
        answers = [self._held.answers[task.url] for task in tasks]
        documents = [a for a in answers if isinstance(a, Response) and a.status == 200 and _is_markup(a)]
        self.pages += len(documents)
        self._migrant_stages(documents)
        began = time.process_time_ns()
        visits = [await crawl.visit(task, self._tools) for task in tasks]
        self._used["visit"] += time.process_time_ns() - began
        self._home_stages(visits, [lease for lease, _ in places])

    def _migrant_stages(self, documents: list[Response]) -> None:
        pages = self._timed("read", lambda: [html.read(r.body, r.headers.get("content-type", "")) for r in documents])
        together = list(zip(documents, pages, strict=True))
        readings = self._timed("links", lambda: [self._links(r, page) for r, page in together])
        digests = self._timed("digests", lambda: [_digests(r, page) for r, page in together])
        self._timed("records", lambda: [_records(r, digest) for r, digest in zip(documents, digests, strict=True)])
        self._timed("pack", lambda: [pack(reading) for reading in readings])
        for follower in FOLLOWERS:
            self._timed(follower.name, lambda f=follower: [f.follow(r, page) for r, page in together])  # type: ignore[misc]

    def _links(self, response: Response, page: Page) -> Reading:
        targets = self._resolver.resolve_all([anchor.href for anchor in page.anchors], response.url)
        places: dict[int, Url] = {}
        anchors = []
        for anchor, target in zip(page.anchors, targets, strict=True):
            if target is not None and target[1] not in places:
                places[target[1]] = target[0]
                anchors.append(anchor.text)
        for key in self._cache.meet(list(places), 1):
            self._scope.judge(places[key])
        return Reading(page.text, list(places.values()), anchors, [True] * len(places), page.headings)

    def _home_stages(self, visits: list[Visit], leases: list[Lease]) -> None:
        parcels = [
            wire.Parcel(number, visits[at : at + PARCEL], [], [], [])
            for number, at in enumerate(range(0, len(visits), PARCEL))
        ]
        self._timed("wire", lambda: [wire.read_from_migrant(wire.encode(parcel)) for parcel in parcels])
        gathering = self._gathering()
        gathered = self._timed("decide", lambda: gathering.take(list(zip(visits, leases, strict=True))))
        began = time.perf_counter_ns()
        self._timed("commit", lambda: self._store.commit(gathered.plan, time.time()))
        self._used["commit_wall"] += time.perf_counter_ns() - began
        self._store.pages = gathered.pages

    def costs(self) -> StageCosts:
        each = {name: used / 1000 / max(1, self.pages) for name, used in self._used.items()}
        stages = {name: each.get(name, 0.0) for name in STAGES}
        followers = {follower.name: each.get(follower.name, 0.0) for follower in FOLLOWERS}
        return StageCosts(self.pages, stages, each.get("visit", 0.0), each.get("commit_wall", 0.0), followers)


def _is_markup(response: Response) -> bool:
    return response.headers.get("content-type", "").startswith("text/html")


def _digests(response: Response, page: Page) -> bytes:
    exact.text_digest(page.text)
    shape(page.text)
    return exact.digest(response.body)


def _records(response: Response, digest: bytes) -> bytes:
    name, at, url = warc.record_id(), time.time(), response.url
    label = warc.labelled(digest)
    record = warc.response(url, at, response.address, response.protocol, response.head, response.raw, label, name)
    fields = [("fetchTimeMs", "1"), ("hopsFromSeed", "1"), ("charsetForLinkExtraction", "UTF-8")]
    return record + warc.request(url, at, response.request_head, name) + warc.metadata(url, at, fields, name)


def main() -> None:
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    bench = StagesBench(Url(sys.argv[1]), Path(sys.argv[2]))
    uvloop.run(bench.run(int(sys.argv[3])))
    costs = bench.costs()
    print(json.dumps({name: getattr(costs, name) for name in costs.__struct_fields__}))


if __name__ == "__main__":
    main()
