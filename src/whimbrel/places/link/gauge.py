"""How far and how wide the way to a place is, from what crosses it. Time is an argument."""

from collections import deque
from math import inf

LOOKS = 8
"""The shortest of so many round trips counts: the others waited behind something."""
KEPT = 0.8
"""Of what earlier messages told of the width, with each that tells more."""


class LinkGauge:
    """Seen from home. Begins with what was measured in an earlier run, until something is measured in this one."""

    def __init__(self, round_trip_seconds: float = 0.0, bytes_per_second: float = 0.0) -> None:
        self._earlier = round_trip_seconds, bytes_per_second
        self._round_trips: deque[float] = deque(maxlen=LOOKS)
        self._bytes = self._seconds = 0.0
        self._train_at = inf
        self._train_bytes = 0

    def echoed(self, seconds: float) -> None:
        """A few bytes went to the place, and came back after so long."""
        self._round_trips.append(max(0.0, seconds))

    def frame(self, size: int, more: bool, now: float) -> None:
        """A frame has come; `more` of its message was sent right behind it. What follows the first frame of a message
        takes as long as the narrowest part of the way lets it."""
        if self._train_at < inf:
            self._train_bytes += size
        elif more:
            self._train_at, self._train_bytes = now, 0
        if not more and self._train_at < inf:
            self._bytes = KEPT * self._bytes + self._train_bytes
            self._seconds = KEPT * self._seconds + max(0.0, now - self._train_at)
            self._train_at = inf

    def interrupted(self) -> None:
        """The way was cut: how long that lasted says nothing of its width."""
        self._train_at = inf

    @property
    def round_trip_seconds(self) -> float:
        """0 while it is not known."""
        return min(self._round_trips, default=self._earlier[0])

    @property
    def bytes_per_second(self) -> float:
        """0 while it is not known. Means are of bytes and of seconds: frames that were read late, and so all at once,
        do not make the way look wide."""
        return self._bytes / self._seconds if self._seconds else self._earlier[1]
