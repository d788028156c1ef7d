"""Words too common to say what is asked for: the stop word lists of the Snowball project, by language."""

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files

from whimbrel.parse.words import STEMMED, split

FALLBACK = "en"
"""Where no page says its language."""

FEWEST_FOREIGN, FEWEST_ASKING = 2, 4
"""Words of another language, among so many in all: a name may have two of them."""


@cache
def stop_words(language: str) -> frozenset[str]:
    """None for a language without a list."""
    name = STEMMED.get(language)
    if name is None:
        return frozenset()
    return frozenset((files("whimbrel.parse") / "stop_words" / f"{name}.txt").read_text("utf-8").split())


def content(words: Sequence[str], languages: Sequence[str]) -> list[str]:
    """What is asked for: the words, repeated ones too, without stop words unless there is nothing else.

    Of the languages, which come most spoken first, it is the one that more of the words are stop words of, unless they
    are in another language altogether."""
    words = list(words)
    stops = stop_words(_asked_in(tuple(words), tuple(languages or (FALLBACK,))))
    weighty = [word for at, word in enumerate(words) if word not in stops and not _negated(words, at, stops)]
    return weighty or list(words)


def asked_in(words: Sequence[str], languages: Sequence[str]) -> str:
    """The language of a question: of these, or another that its words tell."""
    return _asked_in(tuple(words), tuple(languages or (FALLBACK,)))


def foreign(words: Sequence[str], languages: Sequence[str]) -> str:
    """The language of a question that is in none of these: two of its words are stop words there that are longer than a
    letter, and more than in any of these; "" where nothing tells."""
    known = tuple(languages or (FALLBACK,))
    asked = _asked_in(tuple(words), known)
    return asked if asked not in known else ""


@lru_cache(256)
def _asked_in(words: tuple[str, ...], languages: tuple[str, ...]) -> str:
    """The language that more of the words are stop words of, the first of several."""
    own = max(languages, key=lambda language: sum(word in stop_words(language) for word in words))
    if len(words) < FEWEST_ASKING:
        return own
    said = {word for word in words if len(word) > 1}
    other = max(
        (one for one in STEMMED if one not in languages), key=lambda one: len(said & stop_words(one)), default=own
    )
    count = len(said & stop_words(other))
    return other if count >= max(FEWEST_FOREIGN, len(said & stop_words(own)) + 1) else own


def content_of(text: str, language: str) -> list[str]:
    """The words of a text in one language, without stop words and single letters."""
    stops = stop_words(language or FALLBACK)
    return [word for word in split(text) if word not in stops and len(word) > 1]


def _negated(words: Sequence[str], at: int, stops: frozenset[str]) -> bool:
    """Whether it is what the apostrophe left of "doesn't": "doesn" before "t"."""
    return words[at + 1 : at + 2] == ["t"] and words[at][-1:] == "n" and words[at][:-1] in stops
