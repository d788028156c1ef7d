"""Words too common to say what is asked for: the stop word lists of the Snowball project, by language."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from whimbrel.parse.words import STEMMED, split

FALLBACK = "en"
"""Where no page says its language."""


@cache
def stop_words(language: str) -> frozenset[str]:
    """None for a language without a list."""
    name = STEMMED.get(language)
    if name is None:
        return frozenset()
    return frozenset((files("whimbrel.parse") / "stop_words" / f"{name}.txt").read_text("utf-8").split())


def content(words: Sequence[str], languages: Sequence[str]) -> list[str]:
    """What is asked for: the words, repeated ones too, without stop words unless there is nothing else.

    Of the languages, which come most spoken first, it is the one that more of the words are stop words of."""
    lists = [stop_words(language) for language in languages] or [stop_words(FALLBACK)]
    stops = max(lists, key=lambda those: sum(word in those for word in words))
    words = list(words)
    weighty = [word for at, word in enumerate(words) if word not in stops and not _negated(words, at, stops)]
    return weighty or list(words)


def content_of(text: str, language: str) -> list[str]:
    """The words of a text in one language, without stop words and single letters."""
    stops = stop_words(language or FALLBACK)
    return [word for word in split(text) if word not in stops and len(word) > 1]


def _negated(words: Sequence[str], at: int, stops: frozenset[str]) -> bool:
    """Whether it is what the apostrophe left of "doesn't": "doesn" before "t"."""
    return words[at + 1 : at + 2] == ["t"] and words[at][-1:] == "n" and words[at][:-1] in stops
