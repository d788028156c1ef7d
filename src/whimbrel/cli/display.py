"""What a person sees while a crawl runs, and the table that closes it."""

import textwrap
import time
from collections import Counter, deque
from typing import Protocol

from whimbrel.cli.folder import many
from whimbrel.cli.lines import Lines
from whimbrel.cli.words import duration, harmless, number, size
from whimbrel.migrants.home.ending import RunEnd
from whimbrel.migrants.home.forecast import Forecast
from whimbrel.migrants.home.manager import Manager
from whimbrel.migrants.home.progress import Progress

PLAIN_SECONDS = 5.0
RATE_SECONDS = 10.0
SOON_SECONDS = 5.0
COLUMNS = 80
"""Of a line in a log or a pipe, whatever terminal it is read in."""
SHOWN_ERRORS = 4


class Display(Protocol):
    """Shown for as long as it is entered; `tick` is called a few times a second."""

    def __enter__(self) -> "Display": ...
    def __exit__(self, *error: object) -> None: ...
    def tick(self) -> None: ...


class PaceGauge:
    """Visits a second over the last moments, and how long the run will yet take."""

    def __init__(self, manager: Manager, limit: int | None, now: float) -> None:
        self._manager = manager
        self._forecast = Forecast(limit)
        self._began = now
        self._marks: deque[tuple[float, int]] = deque([(now, manager.progress.visits)])

    def note(self, now: float) -> None:
        progress = self._manager.progress
        self._forecast.note(now - self._began, progress.visits, progress.queued, progress.pages)

    def rate(self, now: float) -> float:
        visits = self._manager.progress.visits
        self._marks.append((now, visits))
        while len(self._marks) > 2 and self._marks[0][0] < now - RATE_SECONDS:
            self._marks.popleft()
        (then, before) = self._marks[0]
        return (visits - before) / (now - then) if now > then else 0.0

    def to_go(self) -> str:
        """Words for how long it will yet take; "" while nothing believable can be said."""
        left = self._forecast.remaining()
        # Of several hosts the slowest is left over, and how long that takes no common rate tells.
        if left is None or self._manager.progress.hosts_at_work > 1:
            return ""
        return f"about {duration(left)} to go" if left >= SOON_SECONDS else f"less than {2 * SOON_SECONDS:.0f} s to go"


class PlainDisplay:
    """A line now and then, for logs and pipes."""

    def __init__(self, manager: Manager, limit: int | None, lines: Lines) -> None:
        self._manager = manager
        self._gauge = PaceGauge(manager, limit, time.monotonic())
        self._lines = lines
        self._next = time.monotonic() + PLAIN_SECONDS
        self._told = 0

    def __enter__(self) -> "PlainDisplay":
        return self

    def __exit__(self, *error: object) -> None:
        self._tell_notes()

    def tick(self) -> None:
        self._tell_notes()
        now = time.monotonic()
        self._gauge.note(now)
        if now < self._next:
            return
        self._next = now + PLAIN_SECONDS
        progress = self._manager.progress
        idle = progress.idle_until - time.time()
        self._lines.say(
            fitting(
                many(progress.pages, "page"),
                f"{self._gauge.rate(now):.1f}/s",
                harvested(progress),
                f"{number(progress.queued)} queued",
                awaiting(progress),
                self._gauge.to_go(),
                size(sum(progress.bytes.values())),
                _faults(progress.errors),
                f"{many(progress.hosts_waiting, 'host')} waiting" if progress.hosts_waiting else "",
                idling(idle) if idle > 0 else "",
            )
        )

    def _tell_notes(self) -> None:
        for note in self._manager.progress.notes[self._told :]:
            for line in textwrap.wrap(harmless(note), COLUMNS, subsequent_indent="  ", break_long_words=False):
                self._lines.say(line)
        self._told = len(self._manager.progress.notes)


def summary(manager: Manager, ended: RunEnd, seconds: float, lines: Lines) -> None:
    """The table that closes every run."""
    progress = manager.progress
    rate = progress.visits / seconds if seconds > 0 else 0.0
    beside = ", ".join(many(count, kind) for kind, count in progress.beside.items())
    visits = ", ".join(
        f"{number(count)} {outcome}" + (f" ({beside})" if beside and outcome == "fetched" else "")
        for outcome, count in progress.outcomes.most_common()
    )
    rows = [
        ("ended", harmless(ended.words)),
        ("pages kept", f"{number(progress.pages)} in the folder"),
        *([("harvest", harvested(progress))] if progress.judged else []),
        ("this run", many(progress.visits, "visit") + (f": {visits}" if visits else "")),
        ("bytes", traffic(progress.bytes)),
    ]
    if progress.replaced or progress.turned_down:
        made_room, not_taken = number(progress.replaced), number(progress.turned_down)
        rows.append(("collection", f"{made_room} made room, {not_taken} looked at and not taken"))
    if manager.likeness_told:
        rows.append(("similarity", harmless(manager.likeness_told)))
    if progress.errors:
        rows.append(("errors", errors_of(progress.errors, len(progress.errors))))
    lines.table([*rows, ("time", f"{duration(seconds)}, {rate:.1f} pages/s")], dim=True)


def idling(seconds: float) -> str:
    """While everything that is left has to wait, as pages that are asked for again after a minute."""
    return f"what is left is asked for in {duration(seconds)}"


def awaiting(progress: Progress) -> str:
    """Which places work waits for, and until when it does; "" where nothing does."""
    if not progress.awaited:
        return ""
    until = time.strftime("%H:%M:%S", time.localtime(max(progress.awaited.values())))
    return f"waiting for place {harmless(', '.join(sorted(progress.awaited)))} until {until}"


def harvested(progress: Progress) -> str:
    """The share of pages that were what was asked for; "" where nothing was."""
    if not progress.judged:
        return ""
    return f"{progress.relevant / progress.judged:.0%} of the pages relevant, lately {progress.lately:.0%}"


def fitting(*parts: str) -> str:
    """One line of what there is to say, the most important first; what is too long for it is left out."""
    line = ""
    for part in filter(None, parts):
        longer = f"{line}, {part}" if line else part
        line = longer if len(longer) <= COLUMNS else line
    return line


def _faults(errors: Counter[str]) -> str:
    """How many, and which kind there is most of."""
    if not errors:
        return ""
    ((kind, _),) = errors.most_common(1)
    return f"{many(errors.total(), 'error')} ({'mostly ' if len(errors) > 1 else ''}{kind})"


def traffic(counted: dict[str, int]) -> str:
    return (
        f"{size(counted.get('novel', 0))} new, {size(counted.get('duplicate', 0))} in copies of other pages, "
        f"{size(counted.get('not_modified', 0))} unchanged"
    )


def errors_of(errors: dict[str, int], most: int = SHOWN_ERRORS) -> str:
    ranked = sorted(errors.items(), key=lambda item: -item[1])
    return ", ".join(f"{number(count)} {kind}" for kind, count in ranked[:most])
