"""A clock that stands still until it is told to jump."""


class JumpingClock:
    """Call it for the time, in seconds."""

    __slots__ = ("_now",)

    def __init__(self, start: float = 1_000_000.0) -> None:
        self._now = start

    def __call__(self) -> float:
        return self._now

    def jump(self, seconds: float) -> float:
        if seconds < 0:
            raise ValueError("time does not run backwards")
        self._now += seconds
        return self._now
