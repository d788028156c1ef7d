"""The query that was meant, where the one typed finds nothing: words taken for others that are a slip away."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

import msgspec

from whimbrel.search.asking import Asker
from whimbrel.search.contract import Query
from whimbrel.search.spelling import Speller

MOST_CORRECTED = 4
"""Words of one query: each costs some queries of its own, and whoever errs more often means something else."""

Best: TypeAlias = Callable[[Query], float]
"""The best text score that any page has for a query; 0 where none answers."""


class Corrector:
    """Several words may be near; the one with which some page answers best was meant."""

    def __init__(self, speller: Speller, asker: Asker, best: Best) -> None:
        self._speller = speller
        self._asker = asker
        self._best = best

    def unknown(self, query: Query) -> tuple[Query, str]:
        """Words that no page holds are replaced. The second is how a person would have typed it, "" for no change."""
        instead: dict[str, str] = {}
        unknown = [word for word in query.words if not self._asker.pages_with(word)]
        for word in unknown[:MOST_CORRECTED]:
            instead |= self._better(query, instead, [word], least=-1.0)
        return with_words(query, instead)

    def unanswered(self, query: Query) -> tuple[Query, str]:
        """Every word is on some page but no page answers: a slip may have made another word of one of them."""
        return with_words(query, self._better(query, {}, query.words[:MOST_CORRECTED], least=0.0))

    def _better(self, query: Query, instead: dict[str, str], words: Iterable[str], least: float) -> dict[str, str]:
        chosen: dict[str, str] = {}
        for word in words:
            for meant in self._speller.suggestions(word):
                score = self._best(with_words(query, {**instead, word: meant})[0])
                if score > least:
                    chosen, least = {word: meant}, score
        return chosen


def with_words(query: Query, instead: dict[str, str]) -> tuple[Query, str]:
    """The query with other words, and how a person would have typed it."""
    if not instead:
        return query, ""
    typed = " ".join(_replaced(piece, instead) for piece in query.text.split())
    words = tuple(dict.fromkeys(instead.get(word, word) for word in query.words))
    said = tuple(instead.get(word, word) for word in query.said)
    return msgspec.structs.replace(query, words=words, said=said), typed


def _replaced(piece: str, instead: dict[str, str]) -> str:
    lower = piece.lower()
    for word, meant in instead.items():
        at = lower.find(word)
        if at >= 0 and not piece.startswith("-"):
            return piece[:at] + meant + piece[at + len(word) :]
    return piece
