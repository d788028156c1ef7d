"""Apriori and the papers' page weight: both worked examples, and a second way of counting."""

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.behaviour.actions import basket
from whimbrel.behaviour.patterns import MOST_ITEMS, Mined, Unminable, frequent_sets, least_count, mine
from whimbrel.records.deed import Action

FIFTEEN_READERS = [
    {8, 1, 5}, {10, 8, 1}, {6}, {7}, {9}, {11}, {12}, {1, 8, 10}, {4}, {2}, {8, 3}, {13}, {8, 10}, {8}, {1, 5}
]  # fmt: skip


def test_the_papers_readers_at_a_count_of_two() -> None:
    mined = mine(FIFTEEN_READERS, 2, 0.6)
    assert isinstance(mined, Mined)
    counts = {frozenset(items): count for items, count in mined.frequent.items()}
    assert (counts[frozenset({8})], counts[frozenset({1})], counts[frozenset({10})]) == (6, 4, 3)
    assert counts[frozenset({1, 8, 10})] == 2
    assert set(mined.largest) == {1, 8, 10}
    assert mined.weight == pytest.approx(3.0, abs=0.005)
    every = mine(FIFTEEN_READERS, 2, 0.0)
    assert isinstance(every, Mined)
    shares = {frozenset(rule.given): round(100 * rule.confidence) for rule in every.rules}
    assert shares == {
        frozenset({10}): 67, frozenset({8}): 33, frozenset({1}): 50,
        frozenset({8, 10}): 67, frozenset({1, 10}): 100, frozenset({1, 8}): 67,
    }  # fmt: skip


def test_the_papers_readers_at_a_count_of_three() -> None:
    """Two pairs are frequent, equally often: the one of larger weight is taken."""
    mined = mine(FIFTEEN_READERS, 3, 0.6)
    assert isinstance(mined, Mined)
    assert set(mined.largest) == {8, 10}
    assert mined.weight == pytest.approx(1.0)
    pairs = {frozenset(items): count for items, count in mined.frequent.items() if len(items) == 2}
    assert pairs == {frozenset({8, 10}): 3, frozenset({1, 8}): 3}


def test_a_share_is_rounded_up_to_baskets_and_a_whole_number_is_a_count() -> None:
    assert least_count(0.2, 15) == 3
    assert least_count(0.2, 16) == 4
    assert least_count(2, 15) == 2
    assert least_count(1.0, 15) == 1
    for nonsense in (0, -1, 1.5, float("nan"), float("inf")):
        assert isinstance(least_count(nonsense, 15), Unminable)


def test_one_item_alone_makes_no_rule_and_nobody_no_weight() -> None:
    assert mine([{1}, {1}, {2}], 2).weight == 0.0  # type: ignore[union-attr]
    assert mine([], 0.2) == Mined({}, (), [], 0.0)


def test_what_would_take_for_ever_is_refused_in_words() -> None:
    always = [set(range(MOST_ITEMS + 8))] * 3
    refused = mine(always, 2)
    assert isinstance(refused, Unminable)
    assert "raise the least support" in refused.reason
    assert isinstance(mine([{1}], 1, 1.5), Unminable)


baskets_of_a_page = st.lists(st.frozensets(st.integers(1, 7), max_size=6), max_size=25)


@given(baskets_of_a_page, st.integers(1, 6))
def test_frequent_sets_are_those_that_counting_finds(baskets: list[frozenset[int]], least: int) -> None:
    items = sorted(set().union(*baskets))
    counted = {
        frozenset(some): sum(set(some) <= each for each in baskets)
        for size in range(1, len(items) + 1)
        for some in combinations(items, size)
    }
    found = frequent_sets(baskets, least)
    assert isinstance(found, dict)
    assert {frozenset(some): count for some, count in found.items()} == {
        some: count for some, count in counted.items() if count >= least
    }


@given(baskets_of_a_page, st.integers(1, 4), st.floats(0, 1), st.randoms())
def test_the_weight_depends_neither_on_the_order_of_readers_nor_of_actions(
    baskets: list[frozenset[int]], least: int, confidence: float, chance: random.Random
) -> None:
    shuffled = [chance.sample(sorted(each), len(each)) for each in chance.sample(baskets, len(baskets))]
    one, other = mine(baskets, least, confidence), mine(shuffled, least, confidence)
    assert isinstance(one, Mined)
    assert isinstance(other, Mined)
    assert one.weight == pytest.approx(other.weight)
    assert len(one.largest) == len(other.largest)


def test_an_amount_becomes_an_item_from_its_threshold_on() -> None:
    did = {Action.SCROLL: 1.0, Action.ACTIVE: 29.0, Action.STARS: 4.0, Action.COPY: 0.0}
    assert basket(did) == {Action.SCROLL, Action.STARS}
    assert basket(did, {Action.ACTIVE: 20.0}) == {Action.SCROLL, Action.STARS, Action.ACTIVE}
