"""How much a path says, and how alike two sets of paths are.

A path that most pages of a site have says little about a page that has it (inverse document frequency) and the more
about one that lacks it; one that hardly any other page has is the page's own and no template's; and a path near the
root says more than one deep inside. What a heading says counts like a path of three to four levels, wherever it
stands, if other pages say it too.
"""

from collections import Counter
from collections.abc import Collection
from heapq import nlargest
from math import log

from whimbrel.structure.shape import WORDS, depth_of

DECAY = 0.5
"""Of a path's weight with each level."""

SUPPORT = 1
"""A path that one other page has counts for two thirds, one that many have for about all.

This and `DECAY` were found on one half of the pages of two documentations; the other halves are judged.
"""

WORDS_SHARE = 0.1
"""What the words of a heading weigh beside the root: from 0.07 to 0.2 kinds are told about as well."""

WORDS_PAGES = 2
"""So many pages have to say it before it is the template that does."""

LEAST = 0.02
"""So that pages which have all in common are alike, not undefined."""


class Weights(dict[int, float]):
    """The weight of every path, worked out when it is first asked for."""

    def __init__(self, background: Collection[frozenset[int]]) -> None:
        super().__init__()
        self._pages = len(background)
        self._having = Counter(path for paths in background for path in paths)

    def __missing__(self, path: int) -> float:
        weight = self[path] = self._weight(self._having[path], depth_of(path))
        return weight

    def unknown(self, depth: int) -> float:
        """The weight of a path that no page has."""
        return self._weight(0, depth)

    def most_telling(self, most: int) -> list[int]:
        """The paths that make the most of the weight of all pages."""
        return nlargest(most, self._having, key=lambda path: self._having[path] * self[path])

    def _weight(self, pages: int, depth: int) -> float:
        rarity = log((self._pages + 1) / (pages + 0.5))
        if depth == WORDS:
            return WORDS_SHARE * (max(rarity, LEAST) + self._lack(pages)) if pages >= WORDS_PAGES else 0.0
        support = (pages + 1) / (pages + 1 + SUPPORT)
        return (max(rarity, LEAST) * support + self._lack(pages)) * float(DECAY**depth)

    def _lack(self, pages: int) -> float:
        """How rare it is to lack a path that most have, times how often that happens."""
        without = self._pages - pages
        if without >= pages:
            return 0.0
        return log((self._pages + 1) / (without + 0.5)) * without / self._pages

    def of(self, paths: Collection[int]) -> float:
        """The weight of all of these."""
        return sum(map(self.__getitem__, paths))

    def similarity(self, a: frozenset[int], b: frozenset[int]) -> float:
        """The share of weight that both have (Jaccard's index), from 0 to 1."""
        if a == b:
            return 1.0
        shared = self.of(a & b)
        return shared / (self.of(a) + self.of(b) - shared)
