"""The URL cache against a slow one that does everything one by one."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.frontier.cache import UrlCache

PAGES = st.lists(st.tuples(st.lists(st.integers(0, 25), max_size=12), st.integers(0, 5)), max_size=40)


class Naive:
    """Counts, times and depths of the keys inside, in the plainest way."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.inside: dict[int, tuple[int, int, int]] = {}
        self.clock = 0

    def meet(self, keys: list[int], depth: int) -> list[int]:
        told = []
        for key in keys:
            self.clock += 1
            count, _, known = self.inside.get(key, (0, 0, depth + 1))
            if known > depth:
                told.append(key)
            self.inside[key] = (count + 1, self.clock, min(known, depth))
        if len(self.inside) > self.capacity:
            kept = max(1, self.capacity * 3 // 4)
            by_use = sorted(self.inside.items(), key=lambda entry: entry[1][:2])
            self.inside = dict(by_use[-kept:])
        return told


@given(PAGES, st.integers(1, 30), st.sets(st.integers(0, 40)))
def test_it_tells_and_forgets_as_the_naive_one(
    pages: list[tuple[list[int], int]], capacity: int, drains: set[int]
) -> None:
    cache, naive = UrlCache(capacity), Naive(capacity)
    for at, (keys, depth) in enumerate(pages):
        assert cache.meet(keys, depth) == naive.meet(keys, depth)
        assert {key: cache.depth(key) for key in range(26) if key in cache} == {
            key: known for key, (_, _, known) in naive.inside.items()
        }
        if at in drains:
            cache.drain()


@given(PAGES, st.integers(1, 30), st.sets(st.integers(0, 40)))
def test_no_meeting_is_lost_or_counted_twice(
    pages: list[tuple[list[int], int]], capacity: int, drains: set[int]
) -> None:
    cache, drained, met = UrlCache(capacity), Counter[int](), Counter[int]()
    for at, (keys, depth) in enumerate(pages):
        cache.meet(keys, depth)
        met.update(keys)
        if at in drains:
            drained.update(dict(cache.drain()))
    drained.update(dict(cache.drain()))
    assert drained == met
    assert cache.drain() == []


@given(PAGES, st.integers(1, 30))
def test_it_never_holds_more_than_its_capacity(pages: list[tuple[list[int], int]], capacity: int) -> None:
    cache = UrlCache(capacity)
    for keys, depth in pages:
        cache.meet(keys, depth)
        assert len(cache) <= capacity


def test_the_least_used_leave_first_and_of_those_the_least_recent() -> None:
    cache = UrlCache(4)
    cache.meet([1, 2, 3, 4], 0)
    cache.meet([1, 3], 0)
    cache.meet([2, 4], 0)
    cache.meet([3], 0)
    cache.meet([5], 0)
    assert [key for key in range(6) if key in cache] == [2, 3, 4]


def test_a_key_met_nearer_is_told_again_and_then_not() -> None:
    cache = UrlCache(10)
    assert cache.meet([7, 8, 7], 3) == [7, 8]
    assert cache.meet([7, 8], 4) == []
    assert cache.meet([7], 2) == [7]
    assert cache.meet([7, 8], 3) == []


def test_long_trails_are_folded_on_the_way() -> None:
    cache = UrlCache(1000)
    for _ in range(1500):
        cache.meet(list(range(100)), 1)
    assert dict(cache.drain()) == dict.fromkeys(range(100), 1500)


def test_a_cache_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        UrlCache(0)
