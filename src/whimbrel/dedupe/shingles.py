"""A text as the set of its runs of three words (Broder 1997), each run a 64-bit number."""

import re
from collections.abc import Set

from xxhash import xxh3_64_intdigest

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


def runs_of(words: list[bytes]) -> list[int]:
    """The shingles one after the other, those that come again too: enough for a sketch, and quicker than the set."""
    runs = zip(words, words[1:], words[2:], strict=False)
    return list(map(xxh3_64_intdigest, map(b" ".join, runs)))


def shingles_of(words: list[bytes]) -> set[int]:
    return set(runs_of(words))


def resemblance(one: Set[int], other: Set[int]) -> float:
    """The share of all their shingles that both have; nothing resembles an empty text."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0
