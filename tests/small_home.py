"""Home without processes or sockets: what is due is visited in a world in a dictionary and taken in, step by step."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random

from grown_folder import Fetcher, Served
from whimbrel.flows.gather.deciding import Gathered, Gathering, Terms
from whimbrel.flows.refresh.again import Again, JudgingRules
from whimbrel.flows.visit.crawl import visit
from whimbrel.flows.visit.tools import Tools
from whimbrel.frontier.cache import UrlCache
from whimbrel.frontier.order import Order
from whimbrel.frontier.traps import TrapSettings
from whimbrel.frontier.watch import Watch
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED
from whimbrel.records.visit import Link
from whimbrel.repository.contract import KnownUrl, Lease, LeaseWanted
from whimbrel.repository.embedded.store import Store
from whimbrel.urls.normal import key as key_of
from whimbrel.urls.resolve import LinkResolver

HOST = "http://a.example"
TERMS = Terms(None, None, Order.BREADTH)


def url_of(path: str) -> Url:
    return Url(HOST + path)


class SmallHome:
    """`seed` shuffles the order in which visits of a step come home."""

    def __init__(self, folder: Path, world: Mapping[str, Served], terms: Terms = TERMS, seed: int = 0) -> None:
        self.store = Store(folder)
        self.world = {HOST + path: served for path, served in world.items()}
        self.now = 1_000_000.0
        self._terms = terms
        self._watch = Watch(TrapSettings())
        self._again = Again(self.store.past, JudgingRules())
        self._chance = Random(seed)
        self._admitted: Counter[str] = Counter()

    def gathering(self) -> Gathering:
        return Gathering(self.store, self._terms, self._watch, self.now, self._admitted, self._again)

    def plant(self, *paths: str) -> None:
        links = [Link(key_of(url_of(path)), url_of(path), 0, 0, False, "", "") for path in paths]
        self.store.commit(self.gathering().plant(links).plan, self.now)

    def step(self) -> Gathered | None:
        """Visits all that is due; None where nothing is."""
        due = self._due()
        return self._visit(due) if due else None

    def return_to(self, *paths: str) -> Gathered:
        """Visits kept pages once more, as a refresh does."""
        self.store.past.prepare()
        rows = [self.row(path) for path in paths]
        return self._visit([(Lease(-1, 0, 0, row.key, 0), row) for row in rows])

    def _visit(self, due: list[tuple[Lease, KnownUrl]]) -> Gathered:
        self.now += 1.0
        tools = Tools(
            fetcher=Fetcher(self.world), resolver=LinkResolver(), cache=UrlCache(1_000), judge=lambda _: ACCEPTED,
            rewrite=None, now=lambda: self.now, agent="whimbrel", assets=False, retries=0,
            retry_seconds=lambda url, attempt: 1.0, busy=lambda url, wait: 1.0, at_work_on=lambda key: None,
        )  # fmt: skip
        self._chance.shuffle(due)
        visits = [
            (asyncio.run(visit(Task(known.key, known.url, known.depth, known.hops, 0, False), tools)), lease)
            for lease, known in due
        ]
        gathered = self.gathering().take(visits)
        self.store.commit(gathered.plan, self.now)
        self.store.pages = gathered.pages
        return gathered

    def run(self) -> None:
        while self.step() is not None:
            pass

    def _due(self) -> list[tuple[Lease, KnownUrl]]:
        lanes = [lane[0] for lane in self.store.lanes_due()]
        return [place for lane in lanes for place in self.store.lease(LeaseWanted(lane, 100, self.now))]

    def row(self, path: str) -> KnownUrl:
        key = key_of(url_of(path))
        return self.store.known([key])[key]

    def outcome(self, path: str) -> str:
        row = self.row(path)
        return f"{row.outcome}:{row.rule}" if row.rule else str(row.outcome)
