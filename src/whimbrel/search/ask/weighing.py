"""Which of the pages that the word index found stand first: its score of their text, put together with the rest."""

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from whimbrel.rank.fuse import Values, freshness_values, scores
from whimbrel.rank.graph import Numbers, Shares
from whimbrel.search.ask.why import weights_of
from whimbrel.search.contract import SearchSettings
from whimbrel.search.ranks import Ranks


class Candidate(Struct, frozen=True, gc=False):
    """A page that matches, with its score and the parts of it that differ between pages, each from 0 to 1."""

    key: int
    text: float
    link: float
    freshness: float
    score: float

    @property
    def values(self) -> Values:
        return Values(self.text, self.link, self.freshness)


class Ranking(Struct, frozen=True):
    """Candidates in their order, by columns: most of them are never looked at. `best` is the best text score."""

    keys: Numbers
    columns: tuple[Shares, ...]
    best: float

    def between(self, first: int, end: int) -> list[Candidate]:
        columns = [self.keys[first:end].tolist(), *(column[first:end].tolist() for column in self.columns)]
        return [Candidate(*row) for row in zip(*columns, strict=True)]

    def in_order(self, order: NDArray[Any]) -> "Ranking":
        return Ranking(self.keys[order], tuple(column[order] for column in self.columns), self.best)


NOTHING = Ranking(np.zeros(0, np.int64), (np.zeros(0),) * 4, 0.0)


def weighed(
    keys: list[int], moments: list[int], texts: list[float], ranks: Ranks, settings: SearchSettings, now: float
) -> Ranking:
    """In the order in which they were given. `moments` are when pages were last changed, `texts` their text scores."""
    numbers, raw = np.array(keys, np.int64), np.array(texts, np.float64)
    best = float(raw.max())
    ranks.refresh()
    text = raw / best if best > 0 else np.zeros(len(raw))
    link = ranks.values(numbers)
    fresh = freshness_values(now - np.array(moments, np.float64), settings.freshness_half_life_days)
    return Ranking(numbers, (text, link, fresh, scores(text, link, fresh, weights_of(settings))), best)


def best_first(ranking: Ranking) -> Ranking:
    """By score, and by key where that is equal."""
    return ranking.in_order(np.lexsort((ranking.keys, -ranking.columns[-1])))
