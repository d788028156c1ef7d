"""What readers do with pages (P0 §6.2): thirteen actions of the paper under its numbers, and what else is told."""

from enum import IntEnum

from msgspec import Struct

from whimbrel.records.url import Url


class Action(IntEnum):
    """`docs/readers.md` says for each what it is in our reader."""

    SCROLL = 1
    COPY = 2
    FIND = 3
    BACK = 4
    OPEN_URL = 5
    FORWARD = 6
    STOP = 7
    FAVOURITE = 8
    PRINT = 9
    SAVE = 10
    HYPERLINK = 11
    HOME = 12
    CLICK = 13
    TIME = 14
    """Seconds from opening a page to leaving it."""
    ACTIVE = 15
    """Seconds of these in which it was in view and somebody was there."""
    KEY_UP = 16
    KEY_DOWN = 17
    REFRESH = 18
    STARS = 19
    """The amount is how many, 1 to 5."""
    SHOWN = 20
    """Among the results of a query, at a rank."""
    OPENED = 21
    """From the results of a query."""
    LOW_RATING = 22
    CRAWL_MORE = 23

    @property
    def word(self) -> str:
        return self.name.lower()


WORDS = {action.word: action for action in Action}
PAPERS = tuple(Action(number) for number in range(1, 14))
"""The thirteen of the paper."""


class Deed(Struct, frozen=True):
    """One thing that a reader did. `query` and `rank` led to the page, "" and 0 where nothing is known of them."""

    reader: int
    at: float
    page: Url
    version: int
    action: Action
    amount: float
    query: str = ""
    rank: int = 0
