"""Change of content by the root mean square of a text's symbols (P1 §4).

The order of symbols does not matter to it ("dog" is "god"), nor does white space: equal values never prove that
nothing changed, different ones prove that something did.
"""

from collections import Counter
from collections.abc import Sequence
from math import sqrt

from msgspec import Struct


class Rms(Struct, frozen=True):
    page: float
    paragraphs: tuple[float, ...]


def rms(text: str) -> float:
    """The root of the sum of squared codes over the number of distinct symbols."""
    return _rms(_symbols(text))


def rms_of(paragraphs: Sequence[str]) -> Rms:
    each = [_symbols(paragraph) for paragraph in paragraphs]
    page: Counter[str] = Counter()
    for symbols in each:
        page.update(symbols)
    return Rms(_rms(page), tuple(_rms(symbols) for symbols in each))


def _symbols(text: str) -> Counter[str]:
    return Counter("".join(text.casefold().split()))


def _rms(symbols: Counter[str]) -> float:
    if not symbols:
        return 0.0
    return sqrt(sum(ord(symbol) ** 2 * count for symbol, count in symbols.items()) / len(symbols))
