"""`bench timelines`: real pages through time, each state visited as a refresh visits it.

No server answers here: the flows are fed with the responses it would have sent. All else is what `refresh` does: each
state is read as a migrant reads it, judged with the page's habits and its neighbours as the folder has them, and
committed to a folder, one for each service. A state whose bytes came before counts as a visit that saw no change. Pages
that ask not to be kept (noindex, noarchive) are played as if they did not: a refresh would obey and compare nothing.

Nothing is fitted to these pages: what is learned of a page comes from its own visits before, and from those of its
service. So leaving a service out of the learning of another changes nothing, and each stands for itself.
"""

import lzma
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from whimbrel.bench.goals import Goal, at_least, at_most
from whimbrel.change.decide import decide
from whimbrel.change.version import Version, read_version
from whimbrel.flows.gather.deciding import Gathering, Terms
from whimbrel.flows.refresh.again import Again, Patience
from whimbrel.flows.visit.crawl import receive
from whimbrel.flows.visit.tools import Tools
from whimbrel.frontier.cache import UrlCache
from whimbrel.frontier.order import Order
from whimbrel.frontier.traps import TrapSettings
from whimbrel.frontier.watch import Watch
from whimbrel.parse import html
from whimbrel.records.response import Response
from whimbrel.records.task import NO_VALIDATORS, Task, Validators
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict, refused
from whimbrel.records.visit import Outcome
from whimbrel.repository.contract import Found, Lease, Plan
from whimbrel.repository.engines import open_writer
from whimbrel.urls.normal import key as key_of
from whimbrel.urls.resolve import Resolver

HTML = "text/html; charset=utf-8"
LEAST_FOUND = 0.98
MOST_ALARMS, MOST_FIRST_ALARMS = 0.01, 0.02
_NOWHERE = -1
_ASKS_NOT_TO = re.compile(rb"(<meta\b[^>]*\brobots\b[^>]*>)", re.IGNORECASE)

Say = Callable[[str], None]
Seen = Callable[[bytes], object]


class Step(Struct, frozen=True):
    """A state of a page. `label`: changed or unchanged since the state before, or neither where nobody can say."""

    at: str
    html: str
    label: str | None = None

    @property
    def moment(self) -> float:
        return datetime.fromisoformat(self.at).timestamp()


class Score(Struct, frozen=True):
    """How a method did on the pages of a service, or of all."""

    method: str
    service: str
    changes: int
    found: int
    unchanged: int
    alarms: int

    @property
    def recall(self) -> float:
        return self.found / self.changes if self.changes else 1.0

    @property
    def alarmed(self) -> float:
        return self.alarms / self.unchanged if self.unchanged else 0.0


class Report(Struct, frozen=True):
    """`late`: changes that were told at a step after theirs, because what was held for noise stayed."""

    pages: int
    scores: tuple[Score, ...]
    mistakes: tuple[str, ...]
    missing: tuple[str, ...]
    late: int
    versions: int


REFRESHED, FIRST = "refresh", "first refresh"


class _Tally:
    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str, str, bool]] = Counter()
        self.mistakes: list[str] = []

    def add(self, method: str, page: str, number: int, label: str | None, alarm: bool) -> None:
        if label not in ("changed", "unchanged"):
            return
        self.counts[method, _service(page), label, alarm] += 1
        if method in (REFRESHED, FIRST) and alarm != (label == "changed"):
            self.mistakes.append(f"{method}: {'alarm' if alarm else 'missed'}, {page}, state {number + 1}")

    def scores(self) -> Iterator[Score]:
        methods = dict.fromkeys(method for method, *_ in self.counts)
        services = sorted({service for _, service, *_ in self.counts})
        for method in methods:
            for group, members in (*((one, [one]) for one in services), ("all", services)):
                counts = [
                    self._of(method, members, label, alarm)
                    for label in ("changed", "unchanged")
                    for alarm in (True, False)
                ]
                yield Score(method, group, counts[0] + counts[1], counts[0], counts[2] + counts[3], counts[2])

    def _of(self, method: str, services: Iterable[str], label: str, alarm: bool) -> int:
        return sum(self.counts[method, service, label, alarm] for service in services)


def _service(page: str) -> str:
    return page.partition("-")[0]


def run(folder: Path, work: Path, say: Say) -> Report:
    """Every page in `folder`, which holds `SERVICE-PAGE.jsonl.xz`."""
    paths = sorted(folder.glob("*.jsonl.xz"))
    methods, missing = _methods()
    tally = _Tally()
    late = versions = 0
    for service in sorted({_service(path.name) for path in paths}):
        say(f"{service} …")
        pages = {_page(path): steps_of(path) for path in paths if _service(path.name) == service}
        for page, steps in pages.items():
            _compare(page, steps, methods, tally)
        player = Player(work / service, service)
        try:
            for page, number, step, alarm in player.play(pages):
                tally.add(REFRESHED, page, number, step.label, alarm)
            late, versions = late + player.late, versions + player.versions
        finally:
            player.close()
    scores = tuple(tally.scores())
    return Report(len(paths), scores, tuple(tally.mistakes), missing, late, versions)


def _page(path: Path) -> str:
    return path.name.removesuffix(".jsonl.xz")


def steps_of(path: Path) -> list[Step]:
    with lzma.open(path) as lines:
        return [msgspec.json.decode(line, type=Step) for line in lines]


def goals(report: Report) -> list[Goal]:
    said = []
    for score in report.scores:
        if score.service == "all" and score.method in (REFRESHED, FIRST):
            most = MOST_ALARMS if score.method == REFRESHED else MOST_FIRST_ALARMS
            said.append(at_least(f"{score.method}: share of changes told at their step", score.recall, LEAST_FOUND))
            said.append(at_most(f"{score.method}: share of unchanged steps with an alarm", score.alarmed, most))
    return said


# Each pair by itself.


def _methods() -> tuple[Mapping[str, Seen], tuple[str, ...]]:
    found: dict[str, Seen] = {
        "visible text": lambda body: html.read(body, HTML).text,
        "visible text or links": _text_or_links,
    }
    try:
        import trafilatura  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return found, ("trafilatura is not installed; run: pip install -r requirements/bench.lock",)
    return found | {"trafilatura's text": lambda body: trafilatura.extract(body.decode())}, ()


def _text_or_links(body: bytes) -> object:
    page = html.read(body, HTML)
    return page.text, [anchor.href for anchor in page.anchors]


def _compare(page: str, steps: list[Step], methods: Mapping[str, Seen], tally: _Tally) -> None:
    """As if each step were a first refresh: nothing is known but the state before."""
    was: dict[str, object] = {}
    before: Version | None = None
    for number, step in enumerate(steps):
        body = step.html.encode()
        after = read_version(body, HTML)
        now = {method: seen(body) for method, seen in methods.items()}
        if before is not None:
            tally.add(FIRST, page, number, step.label, decide(before, after).changed)
            for method in methods:
                tally.add(method, page, number, step.label, was[method] != now[method])
        was, before = now, after


# As a refresh.


class Nobody:
    """Nothing is fetched here."""

    async def fetch(self, url: Url, validators: Validators = NO_VALIDATORS, *, any_type: bool = False) -> Verdict:
        return _left_out(url)


class Player:
    """Visits the pages of a service in the order of time, each visit a run of its own."""

    def __init__(self, folder: Path, service: str) -> None:
        self._store = open_writer(folder)
        self._store.past.prepare()
        self._service = service
        self._moment = 0.0
        self._tools = Tools(
            fetcher=Nobody(), resolver=Resolver(), cache=UrlCache(10_000), judge=_left_out, rewrite=None,
            now=lambda: self._moment, agent="whimbrel", assets=False, retries=0,
            retry_seconds=lambda url, attempt: 0.0, busy=lambda url, wait: 0.0, at_work_on=lambda key: None,
        )  # fmt: skip
        self._keys: set[int] = set()
        self.late = 0

    def close(self) -> None:
        self._store.close()

    @property
    def versions(self) -> int:
        """How many states the folder keeps."""
        return sum(len(self._store.past.states(key)[1]) for key in self._keys)

    def play(self, pages: Mapping[str, list[Step]]) -> Iterator[tuple[str, int, Step, bool]]:
        """Every state after a page's first, and whether a change was told."""
        self._keys = {key_of(self._url(page)) for page in pages}
        order = sorted(
            (step.moment, page, number) for page, steps in pages.items() for number, step in enumerate(steps)
        )
        for moment, page, number in order:
            step = pages[page][number]
            alarm = self._visit(page, _ASKS_NOT_TO.sub(b"", step.html.encode()), moment)
            if number:
                yield page, number, step, alarm

    def _url(self, page: str) -> Url:
        return Url(f"https://{self._service}.example/{page}")

    def _visit(self, page: str, body: bytes, moment: float) -> bool:
        self._moment = moment
        url = self._url(page)
        key = key_of(url)
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
        response = Response(url, 200, {"content-type": HTML}, head, body, body, b"", "", "", 0.0)
        visit = receive(Task(key, url, 0, 0, 0, False), response, self._tools, moment)
        if not self._store.known([key]):
            host = f"{self._service}.example"
            found = Found(key, url, host, 0, 0, 0, 0, None, moment, Outcome.DISCOVERED, "", "")
            self._store.commit(Plan(found=[found]), moment)
        again = Again(self._store.past, Patience(gone_after_seconds=0.0))
        terms = Terms(None, None, Order.BREADTH, refreshing=True)
        gathering = Gathering(self._store, terms, Watch(TrapSettings()), moment, again=again)
        gathered = gathering.take([(visit, Lease(_NOWHERE, 0, 0, key, 0))])
        plan = gathered.plan
        plan.found, plan.done, plan.queued, plan.patterns = [], [], [], {}
        self._store.commit(plan, moment)
        self._store.pages = gathered.pages
        self.late += len(plan.settled_down)
        return any(note.told and note.what == "changed" for note in plan.noted)


def _left_out(url: Url) -> Verdict:
    return refused("bench", "the timelines do not hold it")
