"""A run as a terminal shows it: redrawn in place."""

import time

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from whimbrel.cli.display import PaceGauge, awaiting, errors_of, idling, traffic
from whimbrel.cli.folder import many
from whimbrel.cli.lines import Lines
from whimbrel.cli.words import duration, harmless, number
from whimbrel.migrants.home.manager import Manager


class LiveDisplay:
    """Redraws itself in place on a terminal."""

    def __init__(self, manager: Manager, limit: int | None, lines: Lines) -> None:
        self._manager = manager
        self._limit = limit
        self._gauge = PaceGauge(manager, limit, time.monotonic())
        self._began = time.monotonic()
        console = Console(stderr=lines.err, highlight=False)
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
        self._gauge.note(now)
        of = f" of {number(self._limit)}" if self._limit is not None else ""
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", justify="right")
        grid.add_column()
        grid.add_row("pages", Text(f"{number(progress.pages)}{of}", style="bold"))
        grid.add_row("pages/s", f"{rate:.1f}")
        grid.add_row("queue", f"{number(progress.queued)} ({progress.in_flight} under way)")
        idle = progress.idle_until - time.time()
        polite = idling(idle) if idle > 0 else _waiting(progress.hosts_waiting, progress.next_ready_seconds)
        grid.add_row("polite", polite)
        if awaited := awaiting(progress):
            grid.add_row("place", Text(awaited, style="yellow"))
        grid.add_row("bytes", traffic(progress.bytes))
        again = f"{number(progress.retries)} tried again later" if progress.retries else ""
        grid.add_row("errors", ", ".join(filter(None, (errors_of(progress.errors), again))) or "none")
        grid.add_row("time", ", ".join(filter(None, (duration(now - self._began), self._gauge.to_go()))))
        notes = [Text(f"  {harmless(note)}", style="yellow") for note in progress.notes[-3:]]
        return Group(grid, *notes)


def _waiting(hosts: int, seconds: float) -> str:
    if not hosts:
        return "no host waiting"
    return f"{many(hosts, 'host')} waiting, the next in {seconds:.1f} s"
