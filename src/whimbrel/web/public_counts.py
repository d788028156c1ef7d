"""How much of a folder anybody could have fetched: what took credentials to read is not counted."""

from msgspec import Struct

from whimbrel.repository.contract import NothingThere
from whimbrel.repository.engines import open_reader
from whimbrel.repository.location import Where
from whimbrel.repository.views import Selection, Site

_KEPT = ("fetched", "unchanged")


class PublicCounts(Struct, frozen=True):
    """URLs by outcome, and pages by host where there are any."""

    states: dict[str, int]
    pages_on: dict[str, int]


def public_counts(where: Where) -> PublicCounts:
    try:
        with open_reader(where) as reader:
            states = {one: reader.count(Selection(outcomes=(one,), private=False)) for one in reader.counts().states}
            pages_on = {
                lane.host: reader.count(Selection(_KEPT, site=Site(lane.host), assets=False, private=False))
                for lane in reader.lanes()
                if lane.kept
            }
    except NothingThere:
        return PublicCounts({}, {})
    return PublicCounts(states, {host: count for host, count in pages_on.items() if count})
