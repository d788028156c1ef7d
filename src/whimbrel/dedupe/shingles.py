"""A text as the set of its runs of three words (Broder 1997), each run a 30-bit number.

Every word is hashed once, to 64 bits. A run is the exclusive or of the lowest 30 bits of its first word, 30 from the
middle of its second and the highest 30 of its third: tabulation hashing, which is as good as truly random for minima
(Pătraşcu, Thorup 2012). Python reckons with numbers below 2³⁰ three times as fast as with larger ones.
"""

import re
from array import array
from collections.abc import Set

from xxhash import xxh3_64_digest

WIDTH = 3
"""Words a shingle. Of three, one edited word in fifty leaves nine shingles in ten as they were; two let pages of one
template pass for each other, five lose the copies with one edited word in twenty."""

# Thai to Burmese, Khmer, kana and Han are written without spaces: there every character stands as a word.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]"
)


# The bytes that these, and few others, begin with in UTF-8; looking for them is quicker than the expression.
_MAY_BE_UNSPACED = bytes([0xE0, 0xE1, *range(0xE3, 0xEA), 0xF0])


def words_of(text: str) -> list[bytes]:
    """The words in order, without regard to case."""
    encoded = text.lower().encode("utf-8", "surrogatepass")
    if len(encoded) > len(text) and len(encoded.translate(None, _MAY_BE_UNSPACED)) < len(encoded):
        encoded = _UNSPACED.sub(r" \g<0> ", text.lower()).encode("utf-8", "surrogatepass")
    return encoded.split()


_MIDDLE, _HIGH = 17, 34
_LANE = b"\xff\xff\xff\x3f\0\0\0\0"


def runs_of(words: list[bytes]) -> "array[int]":
    """The shingles one after the other, those that come again too: enough for a sketch, and quicker than the set.

    All runs are made at once, side by side in one large number of which each word has 64 bits.
    """
    count = len(words) - WIDTH + 1
    if count < 1:
        return array("I")
    hashes = int.from_bytes(b"".join(map(xxh3_64_digest, words)), "little")
    runs = hashes ^ hashes >> 64 + _MIDDLE ^ hashes >> 128 + _HIGH
    lowest = runs & int.from_bytes(_LANE * count, "little")
    return array("I", lowest.to_bytes(8 * count, "little"))[::2]


def shingles_of(words: list[bytes]) -> set[int]:
    return set(runs_of(words))


def resemblance(one: Set[int], other: Set[int]) -> float:
    """The share of all their shingles that both have; nothing resembles an empty text."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0
