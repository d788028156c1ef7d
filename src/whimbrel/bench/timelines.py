"""`bench timelines`: real pages through time, each state visited as a refresh visits it.

No server answers here: the flows are fed with the responses it would have sent. All else is what `refresh` does: each
state is read as a migrant reads it, judged with the page's habits and its neighbours as the folder has them, and
committed to a folder, one for each service. A state whose bytes came before counts as a visit that saw no change. Some
pages ask not to be kept (noindex, noarchive): they are played with `directives_off_hosts` naming their service, since a
refresh would otherwise obey and compare nothing.

Nothing is fitted to these pages: what is learned of a page comes from its own visits before, and from those of its
service. So leaving a service out of the learning of another changes nothing, and each stands for itself.
"""

import lzma
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from whimbrel.bench.goals import Goal, at_least, at_most
from whimbrel.bench.playing import HTML, Player
from whimbrel.change.decide import decide
from whimbrel.change.version import ComparedVersion, read_version
from whimbrel.parse import html

LEAST_FOUND = 0.98
MOST_ALARMS, MOST_FIRST_ALARMS = 0.01, 0.02

Say = Callable[[str], None]
Seen = Callable[[bytes], object]


class TimelineStep(Struct, frozen=True):
    """A state of a page. `label`: changed or unchanged since the state before, or neither where nobody can say."""

    at: str
    html: str
    label: str | None = None

    @property
    def moment(self) -> float:
        return datetime.fromisoformat(self.at).timestamp()


class TimelineScore(Struct, frozen=True):
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


class TimelinesReport(Struct, frozen=True):
    """`late`: changes that were told at a step after theirs, because what was held for noise stayed."""

    pages: int
    scores: tuple[TimelineScore, ...]
    mistakes: tuple[str, ...]
    missing: tuple[str, ...]
    late: int
    versions: int


REFRESHED, FIRST = "refresh", "first refresh"


class _TimelineTally:
    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str, str, bool]] = Counter()
        self.mistakes: list[str] = []

    def add(self, method: str, page: str, number: int, label: str | None, alarm: bool) -> None:
        if label not in ("changed", "unchanged"):
            return
        self.counts[method, _service(page), label, alarm] += 1
        if method in (REFRESHED, FIRST) and alarm != (label == "changed"):
            self.mistakes.append(f"{method}: {'alarm' if alarm else 'missed'}, {page}, state {number + 1}")

    def scores(self) -> Iterator[TimelineScore]:
        methods = dict.fromkeys(method for method, *_ in self.counts)
        services = sorted({service for _, service, *_ in self.counts})
        for method in methods:
            for group, members in (*((one, [one]) for one in services), ("all", services)):
                counts = [
                    self._of(method, members, label, alarm)
                    for label in ("changed", "unchanged")
                    for alarm in (True, False)
                ]
                yield TimelineScore(method, group, counts[0] + counts[1], counts[0], counts[2] + counts[3], counts[2])

    def _of(self, method: str, services: Iterable[str], label: str, alarm: bool) -> int:
        return sum(self.counts[method, service, label, alarm] for service in services)


def _service(page: str) -> str:
    return page.partition("-")[0]


def run(folder: Path, work: Path, say: Say) -> TimelinesReport:
    """Every page in `folder`, which holds `SERVICE-PAGE.jsonl.xz`."""
    paths = sorted(folder.glob("*.jsonl.xz"))
    methods, missing = _methods()
    tally = _TimelineTally()
    late = versions = 0
    for service in sorted({_service(path.name) for path in paths}):
        say(f"{service} …")
        pages = {_page(path): steps_of(path) for path in paths if _service(path.name) == service}
        for page, steps in pages.items():
            _compare(page, steps, methods, tally)
        player = Player(work / service, f"{service}.example")
        try:
            for page, number, alarm in _played(player, pages):
                tally.add(REFRESHED, page, number, pages[page][number].label, alarm)
            late, versions = late + player.late, versions + player.versions
        finally:
            player.close()
    scores = tuple(tally.scores())
    return TimelinesReport(len(paths), scores, tuple(tally.mistakes), missing, late, versions)


def _played(player: Player, pages: Mapping[str, list[TimelineStep]]) -> Iterator[tuple[str, int, bool]]:
    """Every state after a page's first, in the order of time, and whether a change was told."""
    order = sorted((step.moment, page, number) for page, steps in pages.items() for number, step in enumerate(steps))
    for moment, page, number in order:
        told = player.visit(page, pages[page][number].html.encode(), moment)
        if number:
            yield page, number, bool(told)


def _page(path: Path) -> str:
    return path.name.removesuffix(".jsonl.xz")


def steps_of(path: Path) -> list[TimelineStep]:
    with lzma.open(path) as lines:
        return [msgspec.json.decode(line, type=TimelineStep) for line in lines]


def goals(report: TimelinesReport) -> list[Goal]:
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


def _compare(page: str, steps: list[TimelineStep], methods: Mapping[str, Seen], tally: _TimelineTally) -> None:
    """As if each step were a first refresh: nothing is known but the state before."""
    was: dict[str, object] = {}
    before: ComparedVersion | None = None
    for number, step in enumerate(steps):
        body = step.html.encode()
        after = read_version(body, HTML)
        now = {method: seen(body) for method, seen in methods.items()}
        if before is not None:
            tally.add(FIRST, page, number, step.label, decide(before, after).changed)
            for method in methods:
                tally.add(method, page, number, step.label, was[method] != now[method])
        was, before = now, after
