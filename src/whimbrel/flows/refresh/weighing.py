"""How much each page matters: by link rank where an index has worked it out, else by how often links led to it, and by
how many read it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from whimbrel.rank.importance import UNLINKED, importance, importance_read
from whimbrel.repository.contract import Visited

BY_RANK, BY_LINKS = "PageRank", "links counted"


class Weighing:
    """`ranks` are shares of all link rank by key, empty where nobody has worked them out; `mean_met` is how often the
    average page was met, by which pages are weighed then. `read` is how many readers a page had, of so many `pages`."""

    def __init__(
        self, ranks: Mapping[int, float], mean_met: float = 0.0, priorities: Mapping[int, float] = {},
        read: Mapping[int, int] = {}, pages: int = 0,
    ) -> None:  # fmt: skip
        self._read = read
        self._all_readers = sum(read.values())
        self._pages = pages
        self._ranks = ranks
        self._mean = 1.0 + mean_met
        self._priorities = priorities

    @property
    def by(self) -> str:
        return BY_RANK if self._ranks else BY_LINKS

    def times_mean(self, key: int, met: int) -> float:
        """The page's weight by links; 1 for an ordinary page."""
        if self._ranks:
            return len(self._ranks) * self._ranks[key] if key in self._ranks else UNLINKED
        return (1.0 + met) / self._mean

    def importance(self, one: Visited) -> float:
        guessed = importance(self.times_mean(one.key, one.met), one.priority, self._priorities.get(one.lane, 0.5))
        return importance_read(guessed, self._read.get(one.key, 0), self._all_readers, self._pages)


def weighing(ranks: Mapping[int, float], pages: Iterable[Visited], read: Mapping[int, int] = {}) -> Weighing:
    """For these pages, with the usual priority of each of their sites."""
    met = count = 0
    said: defaultdict[int, list[float]] = defaultdict(list)
    for one in pages:
        met += one.met
        count += 1
        if one.priority is not None:
            said[one.lane].append(one.priority)
    priorities = {lane: sum(values) / len(values) for lane, values in said.items()}
    return Weighing(ranks, met / max(1, count), priorities, read, count)
