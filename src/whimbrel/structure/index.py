"""The nearest of many groups of pages, without comparing with each of them, and with the same answer."""

from collections.abc import Iterable

from msgspec import Struct

from whimbrel.structure.profile import Profile
from whimbrel.structure.weights import Weights


class Near(Struct, frozen=True):
    """A group and how alike a page is to the profile of its members."""

    group: int
    similarity: float


class Index:
    """Groups by the paths of their members.

    Paths are looked up from the heaviest on. A group that shares none of those looked up can share at most the weight
    of the others, so the search ends as soon as that cannot be enough any more. And a group whose pages weigh much more
    or much less than this one cannot be near it, whatever they share.
    """

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._members: list[list[frozenset[int]]] = []
        self._profiles: list[Profile] = []
        self._having: dict[int, dict[int, None]] = {}

    def __len__(self) -> int:
        return len(self._members)

    def new_group(self, paths: frozenset[int]) -> int:
        self._members.append([])
        self._profiles.append(Profile([], self._weights.__getitem__))
        self.add(len(self._members) - 1, paths)
        return len(self._members) - 1

    def add(self, group: int, paths: frozenset[int]) -> None:
        self._members[group].append(paths)
        self._profiles[group] = Profile(self._members[group], self._weights.__getitem__)
        for path in paths:
            self._having.setdefault(path, {})[group] = None

    def size(self, group: int) -> int:
        return len(self._members[group])

    def nearest(self, paths: frozenset[int], most: int = 2) -> list[Near]:
        """The nearest groups, nearest first; of equals the oldest. Groups that share nothing are not named."""
        weights = self._weights
        whole = left = weights.of(paths)
        found: dict[int, float] = {}
        far: set[int] = set()
        best: list[float] = [0.0] * most
        for path in sorted(paths, key=weights.__getitem__, reverse=True):
            # A little slack: sums of the same weights in another order differ in their last digits.
            if left < best[-1] * whole * (1 - 1e-9):
                break
            for group in self._having.get(path, ()):
                if group in found or group in far:
                    continue
                if self._profiles[group].at_most(whole) < best[-1] * (1 - 1e-9):
                    far.add(group)
                else:
                    found[group] = similarity = self._profiles[group].similarity(paths, whole)
                    if similarity > best[-1]:
                        best = sorted([*best, similarity], reverse=True)[:most]
            left -= weights[path]
        return _ranked((Near(group, similarity) for group, similarity in found.items()), most)

    def against_all(self, paths: frozenset[int], most: int = 2) -> list[Near]:
        """The same, by comparing with every group."""
        whole = self._weights.of(paths)
        profiles = enumerate(self._profiles)
        return _ranked((Near(group, profile.similarity(paths, whole)) for group, profile in profiles), most)


def _ranked(every: Iterable[Near], most: int) -> list[Near]:
    alike = [near for near in every if near.similarity > 0]
    return sorted(alike, key=lambda near: (-near.similarity, near.group))[:most]
