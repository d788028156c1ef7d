"""What goes into one itinerary: pages to be visited again are cut by site and by the class of how often they change.

An itinerary of one class is done, or halted by a more urgent one, without the others. What was never visited has no
class and goes out together. All itineraries of a site go to whoever holds the site, so politeness has one owner.
"""

from typing import NamedTuple, TypeAlias

from whimbrel.frontier.order import URGENT_BAND, pace_of
from whimbrel.migrants.wire.itinerary import ORDINARY, URGENT
from whimbrel.migrants.wire.messages import LaneWork
from whimbrel.repository.contract import Lease


class Trip(NamedTuple):
    """What one itinerary is about: `site` is the number of its lane, 0 where it is about many."""

    priority: int
    site: int = 0
    pace: str = ""


Given: TypeAlias = dict[str, dict[Trip, list[LaneWork]]]
"""Lanes by the name of the migrant and by itinerary."""


def trip_of(lease: Lease) -> Trip:
    if lease.band == URGENT_BAND:
        return Trip(URGENT)
    pace = pace_of(lease.band)
    return Trip(ORDINARY, lease.lane, pace) if pace else Trip(ORDINARY)
