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

from whimbrel.dedupe.shingles import WIDTH, resemblance, shingles_of, words_of
from whimbrel.dedupe.template import Own, is_number, words_in

ALIKE = 0.6
"""Resemblance from which two texts are near-twins: of 100 words eight may differ."""

ALIKE_BY_ANOTHER_TITLE = 0.85
"""The same where one title says more than the other: "Preferences" and "Uses of Preferences" share a lot."""

ALIKE_AS_A_WHOLE = 0.9
"""The same for pages with few words of their own, seen as a whole, and where the titles have other numbers."""

WORTH_A_LOOK = ALIKE - 0.12
"""Estimated resemblance from which the texts themselves are compared; the estimate strays by 0.05."""

LEAST_WORDS = 40
"""Words of its own below which a page has no near-twins: two short notices differ by the one word that matters."""

RENAMED_PLACES = 2
"""Places in which a word stands for the same other word before that is another name and not an edit."""

RENAMED_SHARE = 0.5
"""Of what differs between two texts under one title, the part that is one name in the place of another before that
makes two pages: a release of a long manual renames a thing or two and stays the same page."""

_DIGIT = re.compile(r"\d")
_DIGITS = re.compile(r"\d+")


class NearLikeness(Struct, frozen=True):
    """How alike two pages are, whether that makes them twins, and why or why not."""

    similarity: float
    twins: bool
    reason: str


def compare(one: Own, other: Own) -> NearLikeness:
    """Two pages by what is their own."""
    objection = other_title(one, other)
    if objection:
        return NearLikeness(0.0, False, objection)
    words, others = words_of(one.text), words_of(other.text)
    if min(len(words), len(others)) < LEAST_WORDS:
        return NearLikeness(0.0, False, f"fewer than {LEAST_WORDS} words of its own")
    if words == others:
        return NearLikeness(1.0, True, "same words")
    shingles, theirs = shingles_of(words), shingles_of(others)
    similarity = resemblance(shingles, theirs)
    if similarity < _least_likeness(one, other):
        return NearLikeness(similarity, False, "too little in common")
    named = bool(one.title) and _named_alike(one, other)
    objection = _other_subject(one, other, _apart(shingles, theirs) if named else 0)
    if objection:
        return NearLikeness(similarity, False, objection)
    return NearLikeness(similarity, True, "nearly the same words")


def is_short(own: Own) -> bool:
    """Whether a page has too few words of its own to be judged by these alone."""
    return len(words_of(own.text)) < LEAST_WORDS


def compare_whole(one: Own, other: Own, whole: str, other_whole: str) -> NearLikeness:
    """Two pages of which one is short: by all that is seen of them, where their titles agree.

    Most of what is seen is the site's, so what is left without it must be alike too. Where the title names nothing that
    is the page's own, the main texts must be the same, and no name may stand for another anywhere.
    """
    objection = other_title(one, other)
    if objection or not _named_alike(one, other):
        return NearLikeness(0.0, False, objection or "few words, and the titles do not agree")
    similarity = resemblance(shingles_of(words_of(whole)), shingles_of(words_of(other_whole)))
    if similarity < ALIKE_AS_A_WHOLE:
        return NearLikeness(similarity, False, "few words, and too little in common")
    objection = _other_few_words(one, other) or _renamed_anywhere(one, other, whole, other_whole)
    if objection:
        return NearLikeness(similarity, False, objection)
    return NearLikeness(similarity, True, "nearly the same page as a whole")


def _other_few_words(one: Own, other: Own) -> str:
    words, others = words_of(one.text), words_of(other.text)
    if not one.title:
        same = words == others and words_of(one.left_out) == words_of(other.left_out)
        return "" if same else "few words, those differ, and the titles say nothing"
    if words == others:
        return ""
    shingles, theirs = shingles_of(words), shingles_of(others)
    if resemblance(shingles, theirs) < ALIKE:
        return "few words of its own, and those differ"
    return _other_subject(one, other, _apart(shingles, theirs))


def _renamed_anywhere(one: Own, other: Own, whole: str, other_whole: str) -> str:
    """In the path that leads to the page, in what is next to it: there a short page says what it is about, be it once
    where its title does not. Dates and counters that stand around it say nothing."""
    numbers = filter(is_number, words_in(f"{whole} {other_whole}"))
    usual = frozenset((*one.usual, *other.usual, *numbers))
    places = RENAMED_PLACES if one.title else 1
    return _other_subject(Own(whole, usual=usual), Own(other_whole, usual=usual), 0, places)


def other_title(one: Own, other: Own) -> str:
    """In what the titles say that these are two pages, or "". A longer title ("… (print view)") may be the same
    page's, and so may one with other numbers (of a chapter, a release); one with other words in it may not."""
    mine, theirs = _words_apart(one, other)
    if mine and theirs and not all(map(is_number, mine | theirs)):
        return f"the titles differ: {min(mine)}, {min(theirs)}"
    return ""


def _words_apart(one: Own, other: Own) -> tuple[Set[str], Set[str]]:
    usual = one.usual | other.usual
    return one.title - other.title - usual, other.title - one.title - usual


def _least_likeness(one: Own, other: Own) -> float:
    """What is asked of two texts where one release of a manual stands for another in the titles, where other numbers
    do, and where one says "Uses of" before it."""
    if all(_words_apart(one, other)):
        return ALIKE_AS_A_WHOLE
    mine, theirs = one.title | one.usual, other.title | other.usual
    return ALIKE if len(mine - theirs) == len(theirs - mine) else ALIKE_BY_ANOTHER_TITLE


def _named_alike(one: Own, other: Own) -> bool:
    """Whether both titles have the same words, numbers aside, of the page's own and of the site's. What the site says
    in its titles is the same in two releases ("deb12u1", "deb12u2") but for its digits."""
    mine, theirs = ({*filterfalse(is_number, own.title)} for own in (one, other))
    if mine != theirs:
        return False
    usual, others = ({_DIGITS.sub("0", word) for word in own.usual if not is_number(word)} for own in (one, other))
    return mine | usual == theirs | others and bool(one.title | one.usual)


def _apart(shingles: Set[int], others: Set[int]) -> int:
    """Shingles that stand in the place of others."""
    shared = len(shingles & others)
    return min(len(shingles), len(others)) - shared


def _other_subject(one: Own, other: Own, apart: int, places: int = RENAMED_PLACES) -> str:
    """`apart`: shingles of the one text that stand in the place of others, where the titles name the same thing. Then
    one word for another among many edits is an edit too, though it be made twice."""
    words, others = words_in(one.text), words_in(other.text)
    usual = one.usual | other.usual
    # A line of the template with one number changed is left out on one page only; its words are on both all the same.
    mine = _only(words, {*others, *words_in(other.left_out)} | usual)
    theirs = _only(others, {*words, *words_in(one.left_out)} | usual)
    swaps = Counter(swap for swap in _swaps(words, others) if usual.isdisjoint(swap))
    least = max(places, RENAMED_SHARE * apart / WIDTH)
    renamed = next((swap for swap, places in swaps.items() if places >= least), None) or next(
        _as_often(mine, theirs, swaps, least), None
    )
    if renamed:
        return f"one says {renamed[0]} where the other says {renamed[1]}"
    if mine and theirs and all(map(_DIGIT.search, (*mine, *theirs))):
        return "only numbers differ"
    return ""


def _only(words: list[str], absent: Set[str]) -> Counter[str]:
    return Counter(filterfalse(absent.__contains__, words))


def _as_often(
    mine: Counter[str], theirs: Counter[str], swaps: Counter[tuple[str, str]], least: float
) -> Iterator[tuple[str, str]]:
    """Words that one text has as often as the other has another: three times, or twice and once in the same place."""
    by_times = {times: word for word, times in theirs.items() if times > RENAMED_PLACES and times >= least}
    for word, times in mine.items():
        if times in by_times:
            yield word, by_times[times]
    for word, instead in swaps:
        if mine[word] == theirs[instead] >= least:
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
