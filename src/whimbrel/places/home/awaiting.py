"""Places that have joined and were not heard yet in a run: how long work waits for them, and what is said of it."""

import time
from collections.abc import Callable

from whimbrel.migrants.clock import Clock
from whimbrel.places.home.book import BookedPlace
from whimbrel.places.link.dial import LONGEST_PAUSE_SECONDS

AWAITED_SECONDS = 15.0
"""A place dials again every few seconds, and a try may hang for ten."""
MISSED_SECONDS = LONGEST_PAUSE_SECONDS + 3.0
"""For one that the run before waited for in vain: it dials again within its longest pause, and has so long to arrive. A
run that did not wait at all would never hear of it again where it is over sooner."""
SAID_AFTER_SECONDS = 1.0


class Awaiting:
    """`say` hears what is waited for, and when that is over; `until` has, by place, until when, by the clock of the
    day."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = self._began_at = 0.0
        self._said: set[str] = set()
        self.say: Callable[[str], None] = lambda words: None
        self.until: dict[str, float] = {}
        self.missed: set[str] = set()

    def begin(self) -> None:
        self._began, self._began_at = self._clock.monotonic(), self._clock.time()

    def may_come(self, place: BookedPlace) -> bool:
        """Asked while something is to be done there."""
        waited = self._clock.monotonic() - self._began
        patience = MISSED_SECONDS if place.missed else AWAITED_SECONDS
        if waited >= patience:
            self._give_up(place, patience)
        elif waited >= SAID_AFTER_SECONDS and place.name not in self._said:
            self._said.add(place.name)
            self.until[place.name] = self._began_at + patience
            self.say(self._words(place))
        return waited < patience

    def heard(self, name: str) -> None:
        self.until.pop(name, None)
        self.missed.discard(name)

    def _give_up(self, place: BookedPlace, patience: float) -> None:
        if place.name in self.missed:
            return
        self.missed.add(place.name)
        self.until.pop(place.name, None)
        self.say(f"place `{place.name}` did not come in {patience:.0f} s: its work is done from home until it does")

    def _words(self, place: BookedPlace) -> str:
        began, until = _time(self._began_at), _time(self.until[place.name])
        before = f"; last seen {_day(place.seen_at)}" if place.seen_at else ""
        return (
            f"waiting for place `{place.name}` since {began}: it has not called{before}. From {until} on "
            f"{', '.join(place.sites)} is visited from home"
        )


def _time(at: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(at))


def _day(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
