"""A million documents that read like real ones: each made from its number alone, so none has to be kept.

Words follow each other as they do in real pages, and lengths are theirs. One document in twenty is an edited copy of an
earlier one. One in twenty is a sibling: another one's text about something else, by another name throughout or with
other numbers, which must not be taken for a copy.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from random import Random

from msgspec import Struct

EDITS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)
EVERY = 20
LEAST_WORDS, MOST_WORDS = 50, 3_000
LINE_WORDS = 14

_COPY, _SIBLING = 19, 9
_MIXER = 0x9E3779B97F4A7C15
_DIGIT = re.compile(r"\d")


class Origin(Struct, frozen=True):
    """Where a document comes from. Of one that stands for itself `source` is its own number and `edits` is None."""

    source: int
    edits: float | None = None
    sibling: bool = False


class Language(Struct, frozen=True):
    """Which words follow each word, and how long the texts were."""

    followers: dict[str, list[str]]
    words: list[str]
    lengths: list[int]


def language_of(texts: Iterable[str]) -> Language:
    followers, words, lengths = defaultdict[str, list[str]](list), list[str](), list[int]()
    for text in texts:
        said = text.split()
        if LEAST_WORDS <= len(said) <= MOST_WORDS:
            lengths.append(len(said))
            words += said
            for word, follower in pairwise(said):
                followers[word].append(follower)
    return Language(dict(followers), words, sorted(lengths))


def origin(number: int) -> Origin:
    if number < EVERY or number % EVERY not in (_COPY, _SIBLING):
        return Origin(number)
    source = Random(number * _MIXER).randrange(number // EVERY) * EVERY + number // EVERY % _SIBLING
    if number % EVERY == _SIBLING:
        return Origin(source, sibling=True)
    return Origin(source, EDITS[number // EVERY % len(EDITS)])


def document(language: Language, number: int) -> str:
    """The text of a document, the same whenever it is asked for."""
    made = origin(number)
    renamed = made.sibling and number // EVERY % 2
    words = _prose(language, made.source, number if renamed else made.source)
    if made.sibling and not renamed:
        words = _renumbered(words, Random(number))
    if made.edits:
        words = _edited(language, words, made.edits, Random(number))
    lines = (words[at : at + LINE_WORDS] for at in range(0, len(words), LINE_WORDS))
    return "\n".join(map(" ".join, lines))


def _prose(language: Language, number: int, subject: int) -> list[str]:
    """Words that follow each other, about a subject that is named three times and has a number."""
    chance = Random(number ^ _MIXER).random
    length = language.lengths[int(chance() * len(language.lengths))]
    word, words = language.words[int(chance() * len(language.words))], list[str]()
    for _ in range(length):
        words.append(word)
        after = language.followers.get(word, language.words)
        word = after[int(chance() * len(after))]
    name = _name(language, subject)
    for at in (length // 2, length // 4, 0):
        words.insert(at, name)
    words.append(f"{1_000 + number % 9_000}")
    return words


def _name(language: Language, subject: int) -> str:
    chance = Random(subject + _MIXER)
    first, second = ("".join(filter(str.isalpha, chance.choice(language.words))) for _ in range(2))
    return f"{first.capitalize()}{second.capitalize()}{'xyz'[subject % 3]}"


def _edited(language: Language, words: list[str], share: float, chance: Random) -> list[str]:
    """Three edits in five replace a word, one drops it, one puts another before it."""
    edits = dict.fromkeys(chance.sample(range(len(words)), max(1, round(share * len(words)))), 0)
    said = list[str]()
    for at, word in enumerate(words):
        if at not in edits:
            said.append(word)
            continue
        kind = chance.random()
        if kind >= 0.2:
            said.append(chance.choice(language.words))
        if kind >= 0.8:
            said.append(word)
    return said


def _renumbered(words: list[str], chance: Random) -> list[str]:
    return [_DIGIT.sub(lambda digit: str(chance.randrange(10)), word) for word in words]
