"""The bounded URL cache of the duplicate eliminator (P0 §5.2.6).

A page names about a hundred links and nearly all of them are known. The cache answers for those without
asking the store, counts how often each was met (its occurrence count, OC), and lets the least used go first,
among equally used ones the least recently met.
"""

from collections import Counter
from collections.abc import Sequence

_TRAIL = 1 << 16
_KEPT = 0.75


class UrlCache:
    """Keys of URLs that home was told about, each with the smallest depth it was met at.

    Meetings are only noted at first and counted some thousands at a time: counting in bulk costs half of
    counting one by one. `_uses` stands in the order of the last meeting. Holds at most `capacity` keys after
    every call; counts not yet drained are kept beside, also those of keys that have left.
    """

    __slots__ = ("_capacity", "_deepest", "_depths", "_trail", "_undrained", "_uses")

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError("a URL cache needs room for at least one key")
        self._capacity = capacity
        self._depths: dict[int, int] = {}
        self._uses: dict[int, int] = {}
        self._trail: list[int] = []
        self._undrained: Counter[int] = Counter()
        self._deepest = 0

    def __len__(self) -> int:
        return len(self._depths)

    def __contains__(self, key: int) -> bool:
        return key in self._depths

    def depth(self, key: int) -> int | None:
        return self._depths.get(key)

    def meet(self, keys: Sequence[int], depth: int) -> list[int]:
        """Those of `keys`, met on one page as links of `depth`, that home has to be told about.

        That is every key not in the cache or known only at a larger depth; each once, in the page's order.
        From now on they count as told.
        """
        depths = self._depths
        told = [key for key in keys if key not in depths]
        if depth < self._deepest:
            told = [key for key in keys if depths.get(key, depth + 1) > depth]
        else:
            self._deepest = depth
        trail = self._trail
        trail += keys
        if told:
            told = list(dict.fromkeys(told))
            for key in told:
                depths[key] = depth
            if len(depths) > self._capacity:
                self._evict()
        if len(trail) > _TRAIL:
            self._fold()
        return told

    @property
    def undrained(self) -> int:
        """Keys whose counts nobody has asked for yet; those met last are not among them."""
        return len(self._undrained)

    def drain(self) -> list[tuple[int, int]]:
        """Every key met since the last drain and how often, so that occurrence counts can be stored."""
        self._fold()
        drained = list(self._undrained.items())
        self._undrained = Counter()
        return drained

    def _fold(self) -> None:
        # Counting backwards leaves the keys in the order of their last meeting, latest first.
        met = Counter(reversed(self._trail))
        self._trail.clear()
        uses = self._uses
        for key in reversed(met):
            uses[key] = uses.pop(key, 0) + met[key]
        if self._undrained:
            self._undrained.update(met)
        else:
            self._undrained = met

    def _evict(self) -> None:
        """Leave the least used quarter out; a quarter at a time makes the sorting cheap per key."""
        self._fold()
        kept = max(1, int(self._capacity * _KEPT))
        # The sort is stable: among equal counts the least recently met stay in front.
        leaving = sorted(self._uses, key=self._uses.__getitem__)[:-kept]
        for key in leaving:
            del self._uses[key], self._depths[key]
