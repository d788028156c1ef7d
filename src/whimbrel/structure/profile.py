"""What the pages of one kind have in common, and how alike a page is to that.

A path counts by the share of the members that have it. Likeness is the weight that page and members share, over the
weight of both (Jaccard's index, with shares for the members), times the root of the share of what all members have
that the page has too: what all have is the template, what one has may be chance.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from math import sqrt

Weigh = Callable[[int], float]


class Profile:
    """Of some pages, by their paths. `root` takes the root of the shares: then what one member has counts for more,
    which is right where a few examples are all that is known of a kind."""

    def __init__(self, members: Sequence[Collection[int]], weigh: Weigh, *, root: bool = False) -> None:
        having = Counter(path for paths in members for path in paths)
        shares = {path: count / len(members) for path, count in having.items()}
        self._shares = {path: weigh(path) * (sqrt(share) if root else share) for path, share in shares.items()}
        self._common = {path: weigh(path) for path, share in shares.items() if share == 1.0}
        self.weight = sum(self._shares.values())
        self._common_weight = sum(self._common.values())

    def similarity(self, paths: frozenset[int], weight: float) -> float:
        """From 0 to 1; `weight` is that of the page's paths."""
        shares = self._shares
        shared = sum([shares[path] for path in paths if path in shares])
        if not shared:
            return 0.0
        likeness = shared / (weight + self.weight - shared)
        if not self._common_weight:
            return likeness
        common = self._common
        return likeness * sqrt(sum([common[path] for path in paths if path in common]) / self._common_weight)

    def at_most(self, weight: float) -> float:
        """How alike a page of this weight can be: the lighter of both all in the heavier."""
        return min(weight, self.weight) / max(weight, self.weight) if self.weight else 0.0
