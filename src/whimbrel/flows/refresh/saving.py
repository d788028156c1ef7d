"""What a refresh found, beside what fetching everything again would have cost."""

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

from whimbrel.repository.port.writer import Writer

if TYPE_CHECKING:
    from whimbrel.flows.refresh.course import Course


class Savings(Struct, frozen=True):
    """What a refresh found, and what it did not have to fetch. Bytes are those that came over the wire."""

    asked: int
    standings: dict[str, int]
    new: int
    skipped: int
    copies: int
    """Not asked for, because a learned rule calls them the same page as another that is kept."""
    received_bytes: int
    recrawl_bytes: int
    recrawl_pages: int
    because: dict[str, int]


def savings(course: "Course", store: Writer, visits: int, new: int, standings: Counter[str], received: int) -> Savings:
    why = {words: count for words, count in course.why.items() if count}
    past = store.past
    return Savings(
        visits,
        dict(standings),
        new,
        course.skipped,
        course.copies,
        received,
        past.bytes_of_all(),
        past.pages_in_all(),
        why,
    )
