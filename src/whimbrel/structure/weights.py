"""How much a path says, and how alike two sets of paths are.

A path that most pages of a site have says little about a page (inverse document frequency), and a path near the root
says more than one deep inside.
"""

from collections import Counter
from collections.abc import Collection
from math import log

from whimbrel.structure.shape import depth_of

DECAY = 0.5
"""Of a path's weight with each level; found on half of a documentation's pages, judged on the others."""

LEAST = 0.02
"""So that pages which have all in common are alike, not undefined."""


class Weights(dict[int, float]):
    """The weight of every path, worked out when it is first asked for."""

    def __init__(self, background: Collection[frozenset[int]]) -> None:
        super().__init__()
        self._pages = len(background)
        self._having = Counter(path for paths in background for path in paths)

    def __missing__(self, path: int) -> float:
        rarity = log((self._pages + 1) / (self._having[path] + 0.5))
        weight = self[path] = max(rarity, LEAST) * DECAY ** depth_of(path)
        return weight

    def of(self, paths: Collection[int]) -> float:
        """The weight of all of these."""
        return sum(map(self.__getitem__, paths))

    def similarity(self, a: frozenset[int], b: frozenset[int]) -> float:
        """The share of weight that both have (Jaccard's index), from 0 to 1."""
        if a == b:
            return 1.0
        shared = self.of(a & b)
        return shared / (self.of(a) + self.of(b) - shared)
