"""What home and migrants read the time from: the module `time`, or a clock that a test lets jump."""

import time
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
