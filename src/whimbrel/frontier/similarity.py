"""The order of Siddiqui and Singh while a crawl runs (P3): what waits comes by how like the pages read so far it is.

A page that waits was not read. By its links it is as alike as SimRank says, exactly: that needs only the pages that
lead there. For its words stands the mean of those pages' weights. What cannot be told yet, a page found since the last
time or named by a person, comes last, in the order of discovery. The formulas are those of `rank.likeness`, with the
weakness that stands there.
"""

from array import array
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from whimbrel.rank.graph import Numbers, Shares
from whimbrel.rank.likeness import CONTENT, STRUCTURE, likeness_among, query_weights
from whimbrel.rank.simrank import DECAY, SimRank

MOST_LINKS = 2_000_000
"""Of all pages together; what comes later is read no more."""
RELINKED_SHARE, REWEIGHED_SHARE = 4, 50
"""Links are gone through again when a fourth more pages were read, weights when a fiftieth more were."""


class SaidOnPage(Struct, frozen=True):
    """How often a page says each word of the query, and how often its commonest word."""

    counts: tuple[int, ...]
    most: int


class Similarity:
    """Pages as they are read, and scores of those that they lead to."""

    def __init__(self, chance: np.random.Generator) -> None:
        self._chance = chance
        self._places: dict[int, int] = {}
        self._said: list[SaidOnPage] = []
        self._sources = array("q")
        self._targets = array("q")
        self._lent: Shares = np.zeros(0)
        self._relinked_at = self._reweighed_at = 0
        self._waiting: Numbers = np.zeros(0, np.int64)
        self._scores: Shares = np.zeros(0)

    @property
    def pages(self) -> int:
        return len(self._said)

    @property
    def precision(self) -> float:
        """The share of pages that say a word of the query."""
        return sum(any(one.counts) for one in self._said) / max(1, len(self._said))

    def take_in(self, key: int, said: SaidOnPage, links: Sequence[int]) -> None:
        """A page that was read; its links as keys."""
        if key in self._places or len(self._targets) >= MOST_LINKS:
            return
        place = self._places[key] = len(self._said)
        self._said.append(said)
        self._targets.extend(links)
        self._sources.extend([place] * len(links))

    def scores(self, keys: Sequence[int]) -> list[float]:
        """What each of these is worth; 0 where nothing is known of it."""
        read = len(self._said)
        if read >= self._reweighed_at + max(1, self._reweighed_at // REWEIGHED_SHARE):
            self._reweigh()
        if not len(self._waiting):
            return [0.0] * len(keys)
        wanted: Numbers = np.array(keys, np.int64)
        at = np.minimum(np.searchsorted(self._waiting, wanted), len(self._waiting) - 1)
        found: list[float] = np.where(self._waiting[at] == wanted, self._scores[at], 0.0).tolist()
        return found

    def _reweigh(self) -> None:
        read = self._reweighed_at = len(self._said)
        sources: Numbers = np.array(self._sources, np.int64)
        targets: Numbers = np.array(self._targets, np.int64)
        if read >= self._relinked_at + max(1, self._relinked_at // RELINKED_SHARE):
            self._relink(sources, targets)
        weights = query_weights(
            np.array([one.counts for one in self._said], np.int64), np.array([one.most for one in self._said], np.int64)
        )
        self._waiting, which = np.unique(targets, return_inverse=True)
        pages = np.bincount(which)
        content = likeness_among(np.bincount(which, weights=weights[sources]) / pages, weights)
        lent: Shares = np.full(read, self._lent.mean())
        lent[: len(self._lent)] = self._lent
        structure = 1.0 + DECAY * np.bincount(which, weights=lent[sources]) / pages
        self._scores = CONTENT * content + STRUCTURE * structure

    def _relink(self, sources: Numbers, targets: Numbers) -> None:
        self._relinked_at = len(self._said)
        keys: Numbers = np.array(list(self._places), np.int64)
        by_key = np.argsort(keys)
        at = np.minimum(np.searchsorted(keys, targets, sorter=by_key), len(keys) - 1)
        read = keys[by_key[at]] == targets
        self._lent = SimRank(sources[read], by_key[at][read], len(keys), self._chance).sums_behind()
