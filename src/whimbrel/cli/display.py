"""What a person sees while a crawl runs, and the table that closes it."""

import time
from collections import deque

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from whimbrel.cli.folder import many
from whimbrel.cli.words import duration, harmless, number, size
from whimbrel.migrants.manager import Ended, Manager

PLAIN_SECONDS = 5.0
RATE_SECONDS = 10.0
SHOWN_ERRORS = 4


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


class LiveDisplay:
    """Redraws itself in place on a terminal."""

    def __init__(self, manager: Manager, limit: int | None, console: Console) -> None:
        self._manager = manager
        self._limit = limit
        self._gauge = Gauge(manager, limit)
        self._began = time.monotonic()
        self._live = Live(console=console, refresh_per_second=4, transient=True, get_renderable=self._draw)

    def __enter__(self) -> "LiveDisplay":
        self._live.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._live.__exit__(None, None, None)

    def tick(self) -> None:
        """The live display draws by itself."""

    def _draw(self) -> Group:
        now = time.monotonic()
        progress = self._manager.progress
        rate = self._gauge.rate(now)
        remaining = self._gauge.remaining(rate)
        of = f" of {number(self._limit)}" if self._limit is not None else ""
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", justify="right")
        grid.add_column()
        grid.add_row("pages", Text(f"{number(progress.pages)}{of}", style="bold"))
        grid.add_row("pages/s", f"{rate:.1f}")
        grid.add_row("queue", f"{number(progress.queued)} ({progress.in_flight} under way)")
        grid.add_row("polite", _waiting(progress.hosts_waiting, progress.next_ready_seconds))
        grid.add_row("bytes", _bytes(progress.bytes))
        again = f"{number(progress.retries)} tried again later" if progress.retries else ""
        grid.add_row("errors", ", ".join(filter(None, (_errors(progress.errors), again))) or "none")
        to_go = f", about {duration(remaining)} to go" if remaining is not None else ""
        grid.add_row("time", f"{duration(now - self._began)}{to_go}")
        notes = [Text(f"  {harmless(note)}", style="yellow") for note in progress.notes[-3:]]
        return Group(grid, *notes)


class PlainDisplay:
    """A line now and then, for logs and pipes."""

    def __init__(self, manager: Manager, limit: int | None, console: Console) -> None:
        self._manager = manager
        self._gauge = Gauge(manager, limit)
        self._console = console
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
        errors = f", errors: {_errors(progress.errors)}" if progress.errors else ""
        self._console.print(
            f"{many(progress.pages, 'page')}, {rate:.1f}/s, {number(progress.queued)} queued, "
            f"{many(progress.hosts_waiting, 'host')} waiting, {_bytes(progress.bytes)}{errors}{to_go}",
            highlight=False, markup=False, soft_wrap=True,
        )  # fmt: skip

    def _tell_notes(self) -> None:
        for note in self._manager.progress.notes[self._told :]:
            self._console.print(harmless(note), highlight=False, markup=False, soft_wrap=True)
        self._told = len(self._manager.progress.notes)


def summary(manager: Manager, ended: Ended, seconds: float, console: Console) -> None:
    """The table that closes every run."""
    progress = manager.progress
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", justify="right")
    table.add_column()
    rate = progress.visits / seconds if seconds > 0 else 0.0
    table.add_row("ended", Text(harmless(ended.words)))
    table.add_row("pages kept", f"{number(progress.pages)} in the folder")
    visits = ", ".join(f"{number(count)} {outcome}" for outcome, count in progress.outcomes.most_common())
    table.add_row("this run", many(progress.visits, "visit") + (f": {visits}" if visits else ""))
    table.add_row("bytes", _bytes(progress.bytes))
    if progress.errors:
        table.add_row("errors", _errors(progress.errors, len(progress.errors)))
    table.add_row("time", f"{duration(seconds)}, {rate:.1f} pages/s")
    console.print(table)


def _waiting(hosts: int, seconds: float) -> str:
    if not hosts:
        return "no host waiting"
    return f"{many(hosts, 'host')} waiting, the next in {seconds:.1f} s"


def _bytes(counted: dict[str, int]) -> str:
    return (
        f"{size(counted.get('novel', 0))} novel, {size(counted.get('duplicate', 0))} duplicate, "
        f"{size(counted.get('not_modified', 0))} not modified"
    )


def _errors(errors: dict[str, int], most: int = SHOWN_ERRORS) -> str:
    ranked = sorted(errors.items(), key=lambda item: -item[1])
    return ", ".join(f"{number(count)} {kind}" for kind, count in ranked[:most])
