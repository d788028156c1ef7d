"""Greedy coverage (P0 §4.3.1): the page whose links lead to most that is new comes next.

A URL's weight is the number of its links that no URL picked before it covers. That is greedy maximum coverage, done
lazily: weights only ever fall, so the heap's top is weighed again when it is popped and picked where it still leads.
Each pick costs as many weighings as there are URLs that fell below others since, not a sorting of all.
"""

from collections.abc import Hashable, Iterator, Mapping, Set
from heapq import heapify, heappop, heapreplace
from typing import TypeVar

Page = TypeVar("Page", bound=Hashable)
Target = TypeVar("Target", bound=Hashable)


def by_coverage(links: Mapping[Page, Set[Target]], covered: Set[Target] = frozenset()) -> Iterator[tuple[Page, int]]:
    """Every page of the queue with its weight at the moment it is picked; of equal ones the earlier in the queue."""
    reached = set(covered)
    pages = list(links)
    heap = [(-len(links[page]), place) for place, page in enumerate(pages)]
    heapify(heap)
    while heap:
        promised, place = heap[0]
        targets = links[pages[place]]
        weight = sum(target not in reached for target in targets)
        if weight < -promised:
            heapreplace(heap, (-weight, place))
            continue
        heappop(heap)
        reached |= targets
        yield pages[place], weight
