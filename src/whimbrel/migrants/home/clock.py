"""What home reads the time from: the module `time`, or a clock that a test lets jump."""

from typing import Protocol


class Clock(Protocol):
    """`time` is the moment in seconds since 1970, `monotonic` a count that nobody sets back."""

    def time(self) -> float: ...

    def monotonic(self) -> float: ...
