"""Pages that wait to be fetched, the most promising first, while what is promising is still being learned."""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

RESCORED_EVERY = 16
RESCORED_SHARE = 20
"""Pages learned from before all are scored again: at least so many, and one in so many that wait, so that a long queue
costs no more a page than a short one."""

SLACK = 1e-3
"""A little less is still about the same: without slack every lesson would sort the queue anew."""

MOST_STEPS = 16
MOST_REMEMBERED = 100_000

Page = TypeVar("Page")


class Prospects(Generic[Page]):
    """Orders pages by `promise`, and remembers what each promised; `key` tells them apart."""

    def __init__(self, key: Callable[[Page], int], promise: Callable[[Page], float]) -> None:
        self._key = key
        self._promise = promise
        self._promised: dict[int, float] = {}
        self._learned = 0

    def ordered(self, pages: Sequence[Page], learned: int) -> list[Page]:
        """The most promising first, of equals the one that came first; `learned` pages were learned from so far."""
        if self._outdated(len(pages), learned) or len(self._promised) >= MOST_REMEMBERED:
            self._promised.clear()
            self._learned = learned
        key, promised = self._key, self._promised
        for page in pages:
            if key(page) not in promised:
                promised[key(page)] = self._promise(page)
        return sorted(pages, key=self._place)

    def freshen(self, queue: deque[Page], learned: int) -> None:
        """Before the first of an ordered queue is taken: where it promises less by now, others go before it."""
        if self._outdated(len(queue), learned):
            pages = self.ordered(list(queue), learned)
            queue.clear()
            queue.extend(pages)
            return
        for _ in range(min(MOST_STEPS, len(queue) - 1)):
            first = queue[0]
            now = self._promised[self._key(first)] = self._promise(first)
            if now >= -self._place(queue[1]) - SLACK:
                return
            queue.popleft()
            queue.insert(bisect_right(queue, -now, key=self._place), first)

    def _outdated(self, waiting: int, learned: int) -> bool:
        return learned - self._learned >= max(RESCORED_EVERY, waiting // RESCORED_SHARE)

    def _place(self, page: Page) -> float:
        return -self._promised.get(self._key(page), 0.0)
