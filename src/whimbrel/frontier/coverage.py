"""Greedy coverage (P0 §4.3.1): the page whose links lead to most that is new comes next.

A URL's weight is the number of its links that no URL picked before it covers. That is greedy maximum coverage, done
lazily: weights only ever fall, so the heap's top is weighed again when it is popped and picked where it still leads.
Each pick costs as many weighings as there are URLs that fell below others since, not a sorting of all.
"""

import re
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from heapq import heapify, heappop, heapreplace
from typing import TypeVar

_FRONT = re.compile(r"(.*/)(?:(?:index|default|home)\.[A-Za-z]{3,5})?")

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


class Sections:
    """What a site's sitemap says that the front page of a directory leads to: all that is listed below it."""

    def __init__(self, listed: Sequence[tuple[str, int]]) -> None:
        self._urls = [url for url, _ in listed]
        self._keys = [key for _, key in listed]

    def below(self, url: str) -> frozenset[int]:
        """The keys of the listed pages below this one; none for a page that is no front page."""
        front = _FRONT.fullmatch(url)
        if front is None or not self._urls:
            return frozenset()
        first = bisect_left(self._urls, front[1])
        last = bisect_left(self._urls, front[1] + chr(0x10FFFF))
        return frozenset(self._keys[first:last])
