"""The ways between home and its places: how long a word takes there and back, and how much comes over in a second."""

import os

from whimbrel.migrants.home.places import PlaceMeasured
from whimbrel.places.home.book import BookedPlace
from whimbrel.places.link.calls import Here
from whimbrel.places.link.gauge import LinkGauge

ECHO_SECONDS = 30.0
"""As often as sites are chosen for again; what is asked and answered are 8 bytes."""


class MeasuredWays:
    """By place. Whoever answers no echo, as older releases do not, is not measured by it."""

    def __init__(self) -> None:
        self._gauges: dict[str, LinkGauge] = {}
        self._asked: dict[str, tuple[bytes, float]] = {}

    def gauge(self, place: str, booked: BookedPlace | None) -> LinkGauge:
        if place not in self._gauges:
            known = (booked.round_trip_seconds, booked.bytes_per_second) if booked is not None else ()
            self._gauges[place] = LinkGauge(*known)
        return self._gauges[place]

    def echo(self, place: str, now: float) -> bytes | None:
        """What is to be sent to a place and comes back at once; None where the last one is not long ago."""
        if place in self._asked and now - self._asked[place][1] < ECHO_SECONDS:
            return None
        word = os.urandom(8)
        self._asked[place] = word, now
        return word

    def heard(self, place: str, word: bytes, now: float) -> None:
        asked, at = self._asked.get(place, (b"", 0.0))
        if asked and word == asked:
            self._asked[place] = b"", at  # it counts once
            self._gauges[place].echoed(now - at)

    def note(self, place: str, booked: BookedPlace) -> None:
        """Writes down what was measured, for the next run to begin with."""
        gauge = self.gauge(place, booked)
        booked.round_trip_seconds, booked.bytes_per_second = gauge.round_trip_seconds, gauge.bytes_per_second


def measured(gauge: LinkGauge, here: Here | None) -> PlaceMeasured:
    load = here.load / here.cores if here is not None and here.cores else None
    return PlaceMeasured(gauge.round_trip_seconds or None, gauge.bytes_per_second or None, load)
