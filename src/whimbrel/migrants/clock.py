"""What home and migrants read the time from: the module `time`, or a clock that a test lets jump."""

import asyncio
import time
from contextlib import suppress
from typing import Protocol


class Clock(Protocol):
    """`time` is the moment in seconds since 1970, `monotonic` a count that nobody sets back."""

    def time(self) -> float: ...

    def monotonic(self) -> float: ...


class HomeClock:
    """Home's time on a machine whose clock may be wrong: how far apart the two are was measured, once."""

    def __init__(self, ahead_seconds: float = 0.0) -> None:
        self._ahead = ahead_seconds

    def time(self) -> float:
        return time.time() + self._ahead

    def monotonic(self) -> float:
        return time.monotonic()


async def woken(event: asyncio.Event, seconds: float) -> None:
    """Until the event is set or the time is over. Not by `asyncio.wait_for`, which up to Python 3.11 forgets that it
    was cancelled when the event comes in the same turn of the loop: Ctrl-C then ends nothing."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
