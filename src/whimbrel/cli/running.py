"""A run under a display, ended cleanly at the first Ctrl-C and at once by the second."""

import asyncio
import os
import signal
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from whimbrel.cli.display import Display, PlainDisplay
from whimbrel.cli.lines import Lines
from whimbrel.migrants.home.ending import RunEnd
from whimbrel.migrants.home.manager import Manager
from whimbrel.records.ending import Why

TICK_SECONDS = 0.25
ENDING = (signal.SIGINT, signal.SIGTERM)
STOPPING = "stopping: pages under way are still kept; Ctrl-C once more ends it at once"
FINISHING = "stopping: what is under way comes to its end; Ctrl-C once more ends it at once"


def display_for(manager: Manager, limit: int | None, lines: Lines) -> Display:
    if not lines.on_terminal:
        return PlainDisplay(manager, limit, lines)
    # Imported here: only what is redrawn in place needs `rich`.
    from whimbrel.cli.live import LiveDisplay

    return LiveDisplay(manager, limit, lines)


async def under(display: Display, manager: Manager, run: Awaitable[RunEnd]) -> RunEnd:
    """How `run` ended, which is the manager's work."""
    task = asyncio.current_task()
    assert task is not None
    heard = False

    def interrupt() -> None:
        nonlocal heard
        if heard:
            task.cancel()
            return
        heard = True
        manager.progress.notes.append(STOPPING)
        manager.stop(Why.STOPPED, "stopped by you; run the same command to go on")

    ticking = asyncio.create_task(_tick(display))
    try:
        with _interrupted_by(interrupt, lambda: heard), display:
            ended = await run
            await asyncio.sleep(0)  # what came while the run was ending anyway is heard too
            return ended
    except asyncio.CancelledError:
        return RunEnd(Why.KILLED, "ended at once; everything kept so far is safe")
    finally:
        ticking.cancel()


@contextmanager
def _interrupted_by(interrupt: Callable[[], None], heard: Callable[[], bool]) -> Iterator[None]:
    """A closed event loop hears nothing and does not say so: signals go back to whoever had them before, who is told
    that there was one: a run may have ended by itself at that moment."""
    loop, before = asyncio.get_running_loop(), {number: signal.getsignal(number) for number in ENDING}
    for number in ENDING:
        loop.add_signal_handler(number, interrupt)
    try:
        yield
    finally:
        # In between nobody listens, and the system's own way of ending a process is rude.
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
        for number in ENDING:
            loop.remove_signal_handler(number)
            signal.signal(number, before[number])
            outlasting = getattr(before[number], "__self__", None)
            if isinstance(outlasting, Interrupts) and heard():
                outlasting.heard = True
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)


class Interrupts:
    """For a command that outlasts its runs: SIGTERM means Ctrl-C, and `heard` says that there was one, whoever caught
    it.

    Raised where it is met, unless `gently`: then the first one ends a wait at once, lets work that no run does
    (summary, index, notices) come to its end, and only a second one is raised anywhere. For a KeyboardInterrupt that
    has passed through `exec` of a text, as it may in any import, makes CPython end the process by SIGINT even where it
    was caught (`_Py_UnhandledKeyboardInterrupt` in pythonrun.c)."""

    def __init__(self, *, gently: bool = False) -> None:
        self.heard = False
        self._raises = not gently
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> "Interrupts":
        self._before = {number: signal.signal(number, self._hear) for number in ENDING}
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def wait(self, seconds: float, sooner: threading.Event | None = None) -> None:
        """So long, or until something is heard, or not at all where it was heard before; or until it is `sooner`."""
        before, self._raises = self._raises, True
        try:
            if not self.heard:
                (sooner or threading.Event()).wait(max(0.0, seconds))
        except KeyboardInterrupt:
            pass  # `heard` says so
        finally:
            self._raises = before

    def _hear(self, number: int, frame: FrameType | None) -> None:
        again, self.heard = self.heard, True
        if again or self._raises:
            raise KeyboardInterrupt
        os.write(2, f"{FINISHING}\n".encode())  # a stream may be in the midst of writing when a signal comes


async def _tick(display: Display) -> None:
    while True:
        await asyncio.sleep(TICK_SECONDS)
        display.tick()
