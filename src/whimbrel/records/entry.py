"""What stands for a page in the index while its body stays where it is."""

from msgspec import Struct

ENTRY_RULE = "entry"
"""By this rule a page is not kept whose index entry came instead: its body is at the place, for whoever wants it."""
MOST_WORDS = 40
MOST_CHARACTERS = 300
"""Of a title or of what is said about a page."""


class PageEntry(Struct, frozen=True, array_like=True):
    """`words` are those that stand out in the page, each with its weight, the heaviest first;
    `about` is what the page says of itself, or how its text begins; `digest` is over the body."""

    key: int
    title: str
    about: str
    language: str
    digest: bytes
    words: list[tuple[str, int]]
