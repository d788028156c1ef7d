"""Where a URL stands in the queue.

The durable queue is sorted by band, smaller first, and within a band by the sequence number in which the
URLs were found: oldest first, or newest first where `newest_first` says so.

    breadth   shortest distance from a seed first; within a distance in the order of discovery.
    depth     longest distance first; within a distance the latest found first. Because a page's links are
              one further from the seed than everything found before it, that is a stack: the last link of
              the page just read comes next.

    coverage  queued as for breadth; a window of the queue is then sorted by how much each page is expected to lead to
              that no other does (`coverage`).
    priority  the same with the lists of `priority`.
    similarity the same by how like the pages read so far each is, in the words of a query and by links (`similarity`).
    structure what its link promises first, where a crawl looks for pages of one kind.

An asset (style sheet, image) stands after all pages of its depth and before the next depth's. What is urgent stands
before everything. Pages that are visited again stand behind those never seen, by the class of how often they change,
the quickest first: what they lead to is found early, and what hardly changes waits.
"""

from enum import StrEnum

from whimbrel.revisit.classes import INTERVALS

URGENT_BAND = -(1 << 40)
REVISIT_BAND = 1 << 40
_PACES = tuple(INTERVALS)


class Order(StrEnum):
    BREADTH = "breadth"
    DEPTH = "depth"
    COVERAGE = "coverage"
    PRIORITY = "priority"
    SIMILARITY = "similarity"
    STRUCTURE = "structure"


PROMISES = 1_000
"""Steps in which the promise of a link counts."""


def band(order: Order, depth: int, asset: bool = False) -> int:
    """Smaller comes first. Negative for depth first; changes by two a depth, so that assets fit between."""
    return (-2 * depth if order is Order.DEPTH else 2 * depth) + asset


def revisit_band(pace: str, asset: bool = False) -> int:
    """Of a page that is visited again, by its class."""
    return REVISIT_BAND + 2 * _PACES.index(pace) + asset


def pace_of(band: int) -> str:
    """The class of what stands in this band; none for what was never visited."""
    place = (band - REVISIT_BAND) // 2
    return _PACES[place] if 0 <= place < len(_PACES) else ""


def promised(score: float) -> int:
    """The band of a link by its promise, 0 to 1: the more it promises, the sooner it comes."""
    return round(PROMISES * (1.0 - min(1.0, max(0.0, score))))


def newest_first(order: Order) -> bool:
    """Whether a band is emptied from its latest URL (sequence descending) rather than its earliest."""
    return order is Order.DEPTH
