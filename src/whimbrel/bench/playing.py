"""Visits to pages as a refresh makes them, without a server: the flows are fed with the answers it would have given."""

from collections.abc import Callable
from pathlib import Path

from whimbrel.flows.gather.deciding import Gathering, Terms
from whimbrel.flows.packing import unpack
from whimbrel.flows.refresh.again import Again, JudgingRules
from whimbrel.flows.visit.crawl import receive
from whimbrel.flows.visit.tools import NothingFetched, Tools
from whimbrel.frontier.cache import UrlCache
from whimbrel.frontier.order import Order
from whimbrel.frontier.traps import TrapSettings
from whimbrel.frontier.watch import Watch
from whimbrel.records.response import Response
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.verdict import refused
from whimbrel.records.visit import Outcome
from whimbrel.repository.contract import FoundUrl, Lease, Noted, Plan
from whimbrel.repository.engines import open_writer
from whimbrel.urls.normal import key as key_of
from whimbrel.urls.resolve import LinkResolver

HTML = "text/html; charset=utf-8"
_NOWHERE = -1
_NOT_PLAYED = refused("bench", "it is not played")
_PATIENCE = JudgingRules(gone_after_seconds=0.0, twice=True)
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"


class Player:
    """Visits pages of a host, each visit a run of its own unless `begin` parts them; what they ask of robots does not
    count."""

    def __init__(self, folder: Path, host: str) -> None:
        self._store = open_writer(folder)
        self._store.past.prepare()
        self._host = host
        self._moment = 0.0
        self._tools = Tools(
            fetcher=NothingFetched(_NOT_PLAYED), resolver=LinkResolver(), cache=UrlCache(10_000),
            judge=lambda url: _NOT_PLAYED, rewrite=None, now=lambda: self._moment, agent="whimbrel", assets=False,
            retries=0, retry_seconds=lambda url, attempt: 0.0, busy=lambda url, wait: 0.0,
            at_work_on=lambda key: None, unheeded=frozenset({host}),
        )  # fmt: skip
        self._keys: dict[int, str] = {}
        self._again: Again | None = None
        self.late = self.second_looks = 0

    def begin(self) -> None:
        """A run begins, which the visits from now on belong to."""
        self._again = Again(self._store.past, _PATIENCE)

    def end(self, moment: float) -> list[tuple[str, Noted]]:
        """The run ends; what it tells after all, and of which pages."""
        assert self._again is not None, "a run ends that began"
        plan = self._gathering(self._again, moment).look_back().plan
        self._store.commit(plan, moment)
        return [(self._keys[note.key], note) for note in plan.noted]

    def close(self) -> None:
        self._store.close()

    @property
    def versions(self) -> int:
        """How many states the folder keeps."""
        return sum(len(self._store.past.states(key)[1]) for key in self._keys)

    def kept_text(self, page: str) -> str:
        """What the folder says that the page says."""
        past, key = self._store.past, key_of(self._url(page))
        return unpack(past.reading(past.held([key])[key].version)).text

    def _url(self, page: str) -> Url:
        return Url(f"https://{self._host}/{page}")

    def visit(self, page: str, body: bytes, moment: float, again: Callable[[], bytes] | None = None) -> list[Noted]:
        """The changes that are told. `again` is what the page says when it is asked for once more, without it the
        same."""
        judge = self._again or Again(self._store.past, _PATIENCE)
        plan = self._asked(page, body, moment, judge)
        if plan.queued:
            self.second_looks += 1
            plan = self._asked(page, again() if again is not None else body, moment, judge)
        return [note for note in plan.noted if note.told and note.what == "changed"]

    def _asked(self, page: str, body: bytes, moment: float, again: Again) -> Plan:
        self._moment = moment
        url = self._url(page)
        key = key_of(url)
        self._keys[key] = page
        response = Response(url, 200, {"content-type": HTML}, _HEAD, body, body, b"", "", "", 0.0)
        visit = receive(Task(key, url, 0, 0, 0, False), response, self._tools, moment)
        if not self._store.known([key]):
            found = FoundUrl(key, url, self._host, 0, 0, 0, 0, None, moment, Outcome.DISCOVERED, "", "")
            self._store.commit(Plan(found=[found]), moment)
        gathered = self._gathering(again, moment).take([(visit, Lease(_NOWHERE, 0, 0, key, 0))])
        plan = gathered.plan
        asked_again, plan.found, plan.done, plan.queued, plan.patterns = plan.queued, [], [], [], {}
        self._store.commit(plan, moment)
        self._store.pages = gathered.pages
        self.late += len(plan.settled_down)
        plan.queued = asked_again
        return plan

    def _gathering(self, again: Again, moment: float) -> Gathering:
        terms = Terms(None, None, Order.BREADTH, refreshing=True)
        return Gathering(self._store, terms, Watch(TrapSettings()), moment, again=again)
