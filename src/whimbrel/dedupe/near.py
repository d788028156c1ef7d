"""Whether two texts are one page in two editions, and in what words that is said.

Resemblance alone takes pages of one template for copies of each other: "No usage of X" and "No usage of Y" share nine
shingles in ten. So what a site says everywhere is left out first, and two pages stay two when their titles name
different things, when one name stands in the place of another throughout, or when nothing but numbers differs.
"""

import re
from collections import Counter
from collections.abc import Iterator, Set
from itertools import filterfalse

from msgspec import Struct

from whimbrel.dedupe.shingles import resemblance, shingles_of, words_of
from whimbrel.dedupe.template import Own, words_in

ALIKE = 0.6
"""Resemblance from which two texts are near-twins: of 100 words eight may differ."""

ALIKE_BY_ANOTHER_TITLE = 0.85
"""The same where one title says more than the other: "Preferences" and "Uses of Preferences" share a lot."""

WORTH_A_LOOK = ALIKE - 0.12
"""Estimated resemblance from which the texts themselves are compared; the estimate strays by 0.05."""

LEAST_WORDS = 40
"""Words of its own below which a page has no near-twins: two short notices differ by the one word that matters."""

RENAMED_PLACES = 2
"""Places in which a word stands for the same other word before that is another name and not an edit."""

_DIGIT = re.compile(r"\d")


class Likeness(Struct, frozen=True):
    """How alike two pages are, whether that makes them twins, and why or why not."""

    similarity: float
    twins: bool
    reason: str


def compare(one: Own, other: Own) -> Likeness:
    """Two pages by what is their own."""
    objection = other_title(one, other)
    if objection:
        return Likeness(0.0, False, objection)
    words, others = words_of(one.text), words_of(other.text)
    if min(len(words), len(others)) < LEAST_WORDS:
        return Likeness(0.0, False, f"fewer than {LEAST_WORDS} words of its own")
    if words == others:
        return Likeness(1.0, True, "same words")
    similarity = resemblance(shingles_of(words), shingles_of(others))
    if similarity < (ALIKE if _same_title(one, other) else ALIKE_BY_ANOTHER_TITLE):
        return Likeness(similarity, False, "too little in common")
    objection = _other_subject(one, other)
    if objection:
        return Likeness(similarity, False, objection)
    return Likeness(similarity, True, "nearly the same words")


def other_title(one: Own, other: Own) -> str:
    """In what the titles say that these are two pages, or "". A longer title ("… (print view)") may be the same
    page's; one with other words in it may not."""
    usual = one.usual | other.usual
    mine, theirs = one.title - other.title - usual, other.title - one.title - usual
    if mine and theirs:
        return f"the titles differ: {min(mine)}, {min(theirs)}"
    return ""


def _same_title(one: Own, other: Own) -> bool:
    """Also where one release of a manual stands for another; not where one says "Uses of" before it."""
    mine, theirs = one.title | one.usual, other.title | other.usual
    return len(mine - theirs) == len(theirs - mine)


def _other_subject(one: Own, other: Own) -> str:
    words, others = words_in(one.text), words_in(other.text)
    usual = one.usual | other.usual
    # A line of the template with one number changed is left out on one page only; its words are on both all the same.
    mine = _only(words, {*others, *words_in(other.left_out)} | usual)
    theirs = _only(others, {*words, *words_in(one.left_out)} | usual)
    swaps = Counter(swap for swap in _swaps(words, others) if usual.isdisjoint(swap))
    renamed = next((swap for swap, places in swaps.items() if places >= RENAMED_PLACES), None) or next(
        _as_often(mine, theirs, swaps), None
    )
    if renamed:
        return f"one says {renamed[0]} where the other says {renamed[1]}"
    if mine and theirs and all(map(_DIGIT.search, (*mine, *theirs))):
        return "only numbers differ"
    return ""


def _only(words: list[str], absent: Set[str]) -> Counter[str]:
    return Counter(filterfalse(absent.__contains__, words))


def _as_often(mine: Counter[str], theirs: Counter[str], swaps: Counter[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Words that one text has as often as the other has another: three times, or twice and once in the same place."""
    by_times = {times: word for word, times in theirs.items() if times > RENAMED_PLACES}
    for word, times in mine.items():
        if times in by_times:
            yield word, by_times[times]
    for word, instead in swaps:
        if mine[word] == theirs[instead] >= RENAMED_PLACES:
            yield word, instead


def _swaps(words: list[str], others: list[str]) -> Iterator[tuple[str, str]]:
    """Words with what the other text has between the same neighbours, where one of the two is in one text only."""
    mine, theirs = {*words}, {*others}
    between = dict(zip(_neighbours(others), others, strict=True))
    for word, instead in zip(words, map(between.get, _neighbours(words), words), strict=True):
        if instead != word and (word not in theirs or instead not in mine):
            yield word, instead


def _neighbours(words: list[str]) -> Iterator[tuple[str, str]]:
    return zip(["", *words[:-1]], [*words[1:], ""], strict=True) if words else iter(())
