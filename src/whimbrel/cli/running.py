"""A run under a display, ended cleanly at the first Ctrl-C and at once by the second."""

import asyncio
import signal
from collections.abc import Awaitable

from whimbrel.cli.display import Display, PlainDisplay
from whimbrel.cli.lines import Lines
from whimbrel.migrants.manager import Ended, Manager

TICK_SECONDS = 0.25


def display_for(manager: Manager, limit: int | None, lines: Lines) -> Display:
    if not lines.on_terminal:
        return PlainDisplay(manager, limit, lines)
    # Imported here: only what is redrawn in place needs `rich`.
    from whimbrel.cli.live import LiveDisplay

    return LiveDisplay(manager, limit, lines)


async def under(display: Display, manager: Manager, run: Awaitable[Ended]) -> Ended:
    """How `run` ended, which is the manager's work."""
    task = asyncio.current_task()
    assert task is not None

    def interrupt() -> None:
        if manager.stopping:
            task.cancel()
        else:
            manager.stop("stopped", "stopped by you; run the same command to go on")

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, interrupt)
    ticking = asyncio.create_task(_tick(display))
    try:
        with display:
            return await run
    except asyncio.CancelledError:
        return Ended("killed", "ended at once; everything committed is safe")
    finally:
        ticking.cancel()


async def _tick(display: Display) -> None:
    while True:
        await asyncio.sleep(TICK_SECONDS)
        display.tick()
