"""Which pages, feeds and sitemaps lead to new pages, by what was found through them at earlier visits, and what readers
made of it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from whimbrel.repository.contract import Visited
from whimbrel.revisit.history import unpacked
from whimbrel.revisit.sources import (
    LOOKED_BACK_SECONDS,
    NO_FINDS,
    NOTHING_USUAL,
    Finds,
    interest,
    rate_of_new,
    usual_of,
    worth_of_source,
)

_SAME_VISIT_SECONDS = 600.0
"""What is found so soon after the first visit was found at it: it says what there was, not how much comes."""


class Leading:
    """`found` are the news of late: through which URL each was found, when, and which it was; `readers` is how many
    opened a page, by its key."""

    def __init__(
        self,
        sources: Iterable[Visited],
        found: Iterable[tuple[int, float, int]],
        readers: Mapping[int, int] = {},
    ) -> None:
        moments: defaultdict[int, list[float]] = defaultdict(list)
        read: defaultdict[int, int] = defaultdict(int)
        for via, at, key in found:
            moments[via].append(at)
            read[via] += readers.get(key, 0)
        news = sum(map(len, moments.values()))
        usual = sum(read.values()) / news if news else 0.0
        self._interest = {via: interest(read[via], len(some), usual) for via, some in moments.items()}
        self._finds: dict[int, Finds] = {}
        by_lane: defaultdict[int, list[Finds]] = defaultdict(list)
        for one in sources:
            finds = _finds(one, moments.get(one.key, []))
            by_lane[one.lane].append(finds)
            if finds.count:
                self._finds[one.key] = finds
        self._usual = {lane: usual_of(every) for lane, every in by_lane.items()}

    def rate(self, one: Visited) -> float:
        """New pages a second through this URL, each by what readers made of those before."""
        usual = self._usual.get(one.lane, NOTHING_USUAL)
        rate = rate_of_new(self._finds.get(one.key) or _finds(one, []), usual)
        return rate * self._interest.get(one.key, 1.0)

    def worth(self, one: Visited, now: float) -> float:
        """Of visiting it now for what it leads to."""
        return worth_of_source(self.rate(one), max(0.0, now - one.visited_at))


def _finds(one: Visited, moments: list[float]) -> Finds:
    history = unpacked(one.history) if one.history else None
    first = history.first_at if history is not None else one.at
    listened = one.visited_at - first
    if listened <= _SAME_VISIT_SECONDS:
        return NO_FINDS
    since = [at for at in moments if at > first + _SAME_VISIT_SECONDS]
    fruitful, changes = len(set(since)), history.changes if history is not None else 0
    return Finds(len(since), min(listened, LOOKED_BACK_SECONDS), fruitful, max(0, changes - fruitful))
