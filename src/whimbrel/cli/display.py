"""What a person sees while a crawl runs, and the table that closes it."""

import time
from collections import deque
from typing import Protocol

from whimbrel.cli.folder import many
from whimbrel.cli.lines import Lines
from whimbrel.cli.words import duration, harmless, number, size
from whimbrel.migrants.manager import Ended, Manager

PLAIN_SECONDS = 5.0
RATE_SECONDS = 10.0
SHOWN_ERRORS = 4


class Display(Protocol):
    """Shown for as long as it is entered; `tick` is called a few times a second."""

    def __enter__(self) -> "Display": ...
    def __exit__(self, *error: object) -> None: ...
    def tick(self) -> None: ...


class Gauge:
    """Pages a second over the last moments, and what that means for the rest."""

    def __init__(self, manager: Manager, limit: int | None) -> None:
        self._manager = manager
        self._limit = limit
        self._marks: deque[tuple[float, int]] = deque([(time.monotonic(), manager.progress.visits)])

    def rate(self, now: float) -> float:
        visits = self._manager.progress.visits
        self._marks.append((now, visits))
        while len(self._marks) > 2 and self._marks[0][0] < now - RATE_SECONDS:
            self._marks.popleft()
        (then, before) = self._marks[0]
        return (visits - before) / (now - then) if now > then else 0.0

    def remaining(self, rate: float) -> float | None:
        """Seconds to go as far as is known now; more links may still be found."""
        progress = self._manager.progress
        left = progress.queued
        if self._limit is not None:
            left = min(left, max(0, self._limit - progress.pages))
        return left / rate if rate > 0 else None


class PlainDisplay:
    """A line now and then, for logs and pipes."""

    def __init__(self, manager: Manager, limit: int | None, lines: Lines) -> None:
        self._manager = manager
        self._gauge = Gauge(manager, limit)
        self._lines = lines
        self._next = time.monotonic() + PLAIN_SECONDS
        self._told = 0

    def __enter__(self) -> "PlainDisplay":
        return self

    def __exit__(self, *error: object) -> None:
        self._tell_notes()

    def tick(self) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + PLAIN_SECONDS
        self._tell_notes()
        progress = self._manager.progress
        rate = self._gauge.rate(now)
        remaining = self._gauge.remaining(rate)
        to_go = f", about {duration(remaining)} to go" if remaining is not None else ""
        errors = f", errors: {errors_of(progress.errors)}" if progress.errors else ""
        self._lines.say(
            f"{many(progress.pages, 'page')}, {rate:.1f}/s, {number(progress.queued)} queued, "
            f"{many(progress.hosts_waiting, 'host')} waiting, {traffic(progress.bytes)}{errors}{to_go}"
        )

    def _tell_notes(self) -> None:
        for note in self._manager.progress.notes[self._told :]:
            self._lines.say(harmless(note))
        self._told = len(self._manager.progress.notes)


def summary(manager: Manager, ended: Ended, seconds: float, lines: Lines) -> None:
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
        ("this run", many(progress.visits, "visit") + (f": {visits}" if visits else "")),
        ("bytes", traffic(progress.bytes)),
    ]
    if progress.errors:
        rows.append(("errors", errors_of(progress.errors, len(progress.errors))))
    lines.table([*rows, ("time", f"{duration(seconds)}, {rate:.1f} pages/s")], dim=True)


def traffic(counted: dict[str, int]) -> str:
    return (
        f"{size(counted.get('novel', 0))} novel, {size(counted.get('duplicate', 0))} duplicate, "
        f"{size(counted.get('not_modified', 0))} not modified"
    )


def errors_of(errors: dict[str, int], most: int = SHOWN_ERRORS) -> str:
    ranked = sorted(errors.items(), key=lambda item: -item[1])
    return ", ".join(f"{number(count)} {kind}" for kind, count in ranked[:most])
