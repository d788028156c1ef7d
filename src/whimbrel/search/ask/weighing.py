"""Which of the pages that the word index found stand first: its score of their text, put together with the rest."""

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from whimbrel.rank.fuse import Columns, Values, freshness_values, scores
from whimbrel.rank.graph import Numbers, Shares
from whimbrel.search.ask.why import weights_of
from whimbrel.search.contract import SearchSettings
from whimbrel.search.ranks import Ranks


class HitCandidate(Struct, frozen=True, gc=False):
    """A page that matches, with its score and the parts of it that differ between pages, each from 0 to 1."""

    key: int
    text: float
    meaning: float
    link: float
    freshness: float
    reader: float
    profile: float
    cited: float
    score: float

    @property
    def values(self) -> Values:
        return Values(
            self.text, self.meaning, self.link, self.freshness, self.reader, profile=self.profile, cited=self.cited
        )


class Ranking(Struct, frozen=True):
    """Candidates in their order, by columns: most of them are never looked at. `best` is the best text score."""

    keys: Numbers
    columns: tuple[Shares, ...]
    best: float

    def between(self, first: int, end: int) -> list[HitCandidate]:
        columns = [self.keys[first:end].tolist(), *(column[first:end].tolist() for column in self.columns)]
        return [HitCandidate(*row) for row in zip(*columns, strict=True)]

    def in_order(self, order: NDArray[Any]) -> "Ranking":
        return Ranking(self.keys[order], tuple(column[order] for column in self.columns), self.best)


NOTHING = Ranking(np.zeros(0, np.int64), (np.zeros(0),) * 8, 0.0)


class Matching(Struct, frozen=True):
    """Pages that match, by columns: when each was last changed, the score of its text, how near its meaning is, and
    what readers make of it, how near it is to what interests the one who asks, and how others that match cite it."""

    keys: Numbers
    moments: Shares
    texts: Shares
    meanings: Shares
    readers: Shares
    profiles: Shares
    cited: Shares


def weighed(found: Matching, ranks: Ranks, settings: SearchSettings, now: float) -> Ranking:
    """In the order in which they were given."""
    best = float(found.texts.max())
    ranks.refresh()
    text = found.texts / best if best > 0 else np.zeros(len(found.texts))
    link = ranks.values(found.keys)
    fresh = freshness_values(now - found.moments, settings.freshness_half_life_days)
    columns = Columns(text, found.meanings, link, fresh, found.readers, profile=found.profiles, cited=found.cited)
    score = scores(columns, weights_of(settings))
    parts = (text, found.meanings, link, fresh, found.readers, found.profiles, found.cited)
    return Ranking(found.keys, (*parts, score), best)


def best_first(ranking: Ranking) -> Ranking:
    """By score, and by key where that is equal."""
    return ranking.in_order(np.lexsort((ranking.keys, -ranking.columns[-1])))
