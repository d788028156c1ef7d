"""The query that was meant, where a word of the one typed is on no page: taken for another that is a slip away.

A word that no page holds may still be a good word: it is replaced only by one that goes with its neighbours in the
query, which means that some page says them beside each other ("event lopp" is "event loop", and "yale university" is
not "kale university"). Where it has no neighbour that any page holds, there is nothing else to go by, and nothing to
lose. A word that a few pages hold may be somebody's slip, too. It is replaced where no page holds all that was typed,
and some page holds it all with a word in its place that many times as many pages write.

A word that English has ("loch", "wind") is no slip, whatever the pages say, and three letters are one slip away from
much: these are replaced only beside others, where a page or a link is called just what the query is then. Nor are words
slips that come in a question in another language than the pages.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeAlias

import msgspec

from whimbrel.search.ask.asking import Asker
from whimbrel.search.ask.spelling import Speller
from whimbrel.search.contract import Query
from whimbrel.topic.thesaurus import LANGUAGE, is_word

MOST_CORRECTED = 4
"""Words of one query: each costs some queries of its own, and whoever errs more often means something else."""

SHORTEST_ALONE = 4
"""Letters of a word that is replaced without a page that is called so."""

RARE_PAGES = 3
TIMES_AS_MANY = 10
MOST_TOGETHER = 12
"""Words of a query: no page holds all words of a longer one, whatever it says."""

Best: TypeAlias = Callable[[Any], float]
"""The best score that any page has for a query of the word index; 0 where none answers."""


class Corrector:
    """Several words may be near; the one with which some page answers best was meant."""

    def __init__(self, speller: Speller, asker: Asker, best: Best) -> None:
        self._speller = speller
        self._asker = asker
        self._best_of = best

    def meant(self, query: Query) -> tuple[Query, str]:
        """The query that was meant, and how a person would have typed it, "" for no change."""
        instead: dict[str, str] = {}
        if self._asker.lexicon.foreign(query):
            return query, ""
        words = self._asker.lexicon.content(query)
        held = {word: self._asker.pages_with(word) for word in words}
        for word in [word for word, pages in held.items() if not pages][:MOST_CORRECTED]:
            instead |= self._better(query, instead, word, self._neighbours(words, word))
        rare = [word for word, pages in held.items() if 0 < pages <= RARE_PAGES]
        if not instead and rare and len(held) <= MOST_TOGETHER and not self._together(query):
            instead = self._more_usual(query, rare[:MOST_CORRECTED])
        return with_words(query, instead)

    def _together(self, query: Query) -> bool:
        return self._best_of(self._asker.all_of(query)) > 0

    def _more_usual(self, query: Query, rare: list[str]) -> dict[str, str]:
        for word in rare:
            least = TIMES_AS_MANY * self._asker.pages_with(word)
            for meant in self._suggested(word):
                tried = with_words(query, {word: meant})[0]
                if self._asker.pages_with(meant) >= least and self._together(tried) and self._may_be(word, tried):
                    return {word: meant}
        return {}

    def _suggested(self, word: str) -> list[str]:
        """A stop word in its place would only leave the word out."""
        return [meant for meant in self._speller.suggestions(word) if not self._asker.lexicon.little([meant])]

    def _may_be(self, word: str, tried: Query) -> bool:
        """Whether a word can be a slip for what is tried in its place."""
        good = len(word) < SHORTEST_ALONE or (LANGUAGE in self._asker.lexicon.spoken and is_word(word))
        return not good or (len(tried.said) > 1 and self._best_of(self._asker.called(tried)) > 0)

    def _neighbours(self, words: list[str], word: str) -> list[tuple[str, str]]:
        """The pairs of words in the query that hold it, the other being on some page. Letters alone tell nothing."""
        pairs = [pair for pair in pairwise(words) if word in pair and pair[0] != pair[1] and min(map(len, pair)) > 1]
        return [pair for pair in pairs if any(map(self._asker.pages_with, pair))]

    def _better(
        self, query: Query, instead: dict[str, str], word: str, neighbours: list[tuple[str, str]]
    ) -> dict[str, str]:
        chosen: dict[str, str] = {}
        least = -1.0
        for meant in self._suggested(word):
            pairs = [tuple(meant if one == word else one for one in pair) for pair in neighbours]
            if pairs and not any(self._best_of(self._asker.beside(*pair)) for pair in pairs):
                continue
            tried = with_words(query, {**instead, word: meant})[0]
            score = self._best_of(self._asker.ask(tried).whole) if self._may_be(word, tried) else -1.0
            if score > least:
                chosen, least = {word: meant}, score
        return chosen


def with_words(query: Query, instead: dict[str, str]) -> tuple[Query, str]:
    """The query with other words, and how a person would have typed it."""
    if not instead:
        return query, ""
    typed = " ".join(_replaced(piece, instead) for piece in query.text.split())
    words = tuple(instead.get(word, word) for word in query.words)
    said = tuple(instead.get(word, word) for word in query.said)
    joined = tuple(tuple(instead.get(word, word) for word in name) for name in query.joined)
    return msgspec.structs.replace(query, words=words, said=said, joined=joined), typed


def _replaced(piece: str, instead: dict[str, str]) -> str:
    lower = piece.lower()
    for word, meant in instead.items():
        at = lower.find(word)
        if at >= 0 and not piece.startswith("-"):
            return piece[:at] + meant + piece[at + len(word) :]
    return piece
