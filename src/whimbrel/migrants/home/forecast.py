"""How long a run will yet take, told only while the forecast has stood up to what came after it.

What is queued is not all there is: pages lead to more. Where every visit brings `g` new URLs, a queue of `q` takes `q`
visits if nothing more is found, `q / (1 - g)` if it goes on like that; in between lies `q / (1 - g/2)`, as discovery
fades towards the end of a site. Up to a half these agree well within a factor of two; beyond it nothing is foretold.

A rate may change too: a slow host is left over, a new part of the site is found. So a forecast is believed when it
would have been right for as long as it looks ahead: every forecast made within that stretch, told the same end. That
also keeps silent until half of the work is done.
"""

from collections import deque

from msgspec import Struct

MOST_DISCOVERY = 0.5
AGREEMENT = 1.5
"""How far forecasts of one stretch may lie apart: below two, so that the present one has some room to err."""
MOST_MARKS = 512
LEAST_MARKS = 8
_LATELY = 0.25
"""Of the time since the beginning, by which rates are measured."""


class RunMark(Struct, frozen=True):
    """How a run stood at a moment, in seconds since it began, and when it seemed to end then."""

    at: float
    visits: int
    queued: int
    pages: int
    end: float | None = None


class Forecast:
    """Told how a run stands a few times a second; the marks thin out as they grow many."""

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit
        self._marks: deque[RunMark] = deque()
        self._every = 0.0

    def note(self, at: float, visits: int, queued: int, pages: int) -> None:
        if self._marks and at - self._marks[-1].at < self._every:
            return
        left = self._left(at, visits, queued, pages)
        self._marks.append(RunMark(at, visits, queued, pages, None if left is None else at + left))
        if len(self._marks) > MOST_MARKS:
            self._marks = deque(mark for place, mark in enumerate(self._marks) if place % 2 == 0)
            self._every = (self._marks[-1].at - self._marks[0].at) / MOST_MARKS

    def remaining(self) -> float | None:
        """Seconds to go; None while nothing believable can be said."""
        if len(self._marks) < LEAST_MARKS or self._marks[-1].end is None:
            return None
        now = self._marks[-1]
        assert now.end is not None
        left = now.end - now.at
        if left > now.at - self._marks[0].at:
            return None
        for mark in reversed(self._marks):
            if mark.at < now.at - left:
                break
            if mark.end is None:
                return None
            then, truly = mark.end - mark.at, now.end - mark.at
            if then > AGREEMENT * truly or truly > AGREEMENT * then:
                return None
        return left

    def _left(self, at: float, visits: int, queued: int, pages: int) -> float | None:
        """Seconds to go as it looks now: until the queue is empty or the limit is reached, whichever comes first."""
        then = self._lately(at)
        if then is None or at <= then.at or visits <= then.visits:
            return None
        seconds = (at - then.at) / (visits - then.visits)
        more = (queued + visits - then.queued - then.visits) / (visits - then.visits)
        visits_left = queued / (1 - max(0.0, more) / 2) if more <= MOST_DISCOVERY else None
        if self._limit is None:
            return None if visits_left is None else visits_left * seconds
        worth = (pages - then.pages) / (visits - then.visits)
        wanted = max(0, self._limit - pages)
        to_limit = wanted / worth if worth > 0 else None
        if visits_left is None:
            return to_limit * seconds if to_limit is not None and to_limit <= queued else None
        return min(visits_left, visits_left if to_limit is None else to_limit) * seconds

    def _lately(self, at: float) -> RunMark | None:
        """The last mark that is a quarter of the time ago."""
        if not self._marks:
            return None
        since = at - _LATELY * (at - self._marks[0].at)
        return next((mark for mark in reversed(self._marks) if mark.at <= since), self._marks[0])
