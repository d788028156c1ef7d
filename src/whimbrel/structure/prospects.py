"""Links that wait to be followed, the most promising first, while what is promising is still being learned."""

from heapq import heapify, heappop, heappush, nlargest
from typing import Generic, TypeVar

from whimbrel.structure.leads import Leads, Traits

MOST = 50_000
RESCORED_EVERY = 64
RESCORED_SHARE = 20
"""Links taken before all are scored again: at least so many, and one in so many that wait, so that a long queue costs
no more a link than a short one. A score that fell is noticed when its link comes first, one that rose only then."""

Key = TypeVar("Key")


class Prospects(Generic[Key]):
    """A page is offered as often as links to it are met; the best of them counts. Of equals the oldest comes first."""

    def __init__(self, leads: Leads, most: int = MOST) -> None:
        self._leads = leads
        self._most = most
        self._waiting: dict[Key, Traits] = {}
        self._heap: list[tuple[float, int, Key]] = []
        self._offers = 0
        self._taken = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def offer(self, key: Key, link: Traits) -> None:
        score = self._leads.score(link)
        known = self._waiting.get(key)
        if known is not None and (known.slots == link.slots or self._leads.score(known) >= score):
            return
        self._waiting[key] = link
        self._offers += 1
        heappush(self._heap, (-score, self._offers, key))
        if len(self._heap) > 2 * self._most:
            self._score_again()

    def take(self) -> tuple[Key, Traits] | None:
        """The most promising page and the link to it, or None where none waits."""
        self._taken += 1
        if self._taken > max(RESCORED_EVERY, len(self._waiting) // RESCORED_SHARE):
            self._score_again()
        while self._heap:
            minus, offer, key = heappop(self._heap)
            link = self._waiting.get(key)
            if link is None:
                continue
            score = self._leads.score(link)
            # A little less is still about the same: without slack every lesson would sort the queue anew.
            if score < -minus - 1e-3 and self._heap and score < -self._heap[0][0]:
                heappush(self._heap, (-score, offer, key))
                continue
            del self._waiting[key]
            return key, link
        return None

    def _score_again(self) -> None:
        """And forget the least promising beyond `most`: the durable queue still has them."""
        self._taken = 0
        every = [(self._leads.score(link), -at, key) for at, (key, link) in enumerate(self._waiting.items())]
        kept = nlargest(self._most, every) if len(every) > self._most else every
        if len(kept) < len(every):
            self._waiting = {key: self._waiting[key] for _, _, key in sorted(kept, key=lambda one: -one[1])}
        self._heap = [(-score, -at, key) for score, at, key in kept]
        self._offers = max(self._offers, len(every))
        heapify(self._heap)
