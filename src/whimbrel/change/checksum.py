"""Change of content by a checksum that weighs symbols by their size on the page (P1 §4)."""

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

K = 0.0001
PLAIN = 12
"""Points of ordinary text."""

# The sizes of headings beside ordinary text, after the rendering section of the HTML standard (§15.3.7).
_EMS = {"h1": 2.0, "h2": 1.5, "h3": 1.17, "h4": 1.0, "h5": 0.83, "h6": 0.67}


class Checksum(Struct, frozen=True):
    page: float
    paragraphs: tuple[float, ...]


def importance(tag: str) -> float:
    """What a symbol in this element weighs: its size in points."""
    return PLAIN * _EMS.get(tag, 1.0)


def checksum(text: str, importance: float = PLAIN) -> float:
    """The sum of importance × code × K over the symbols, case folded and without white space."""
    symbols = Counter("".join(text.casefold().split()))
    return importance * sum(ord(symbol) * count for symbol, count in symbols.items()) * K


def checksum_of(paragraphs: Sequence[tuple[str, str]]) -> Checksum:
    """Of paragraphs, each with the name of its element."""
    each = tuple(checksum(text, importance(tag)) for tag, text in paragraphs)
    return Checksum(sum(each), each)
