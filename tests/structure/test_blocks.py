"""What pages are put together of, how alike that makes them, and which belong together."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.structure.blocks import Blocks, alike
from whimbrel.structure.linkage import Linkage

WEIGHTS = st.floats(0, 100)


def test_paths_that_come_together_are_one_block() -> None:
    blocks = Blocks([{1, 2, 3}, {1, 2, 3, 4, 5}, {1, 4, 5, 9}])
    assert sorted(sorted(paths) for paths in blocks.paths) == [[1], [2, 3], [4, 5]]
    assert blocks.of({1, 2, 3}) == blocks.pages[0]
    assert blocks.of({1, 9}) == blocks.of({1}), "what one page alone has is its own"


def test_what_comes_and_goes_among_like_pages_weighs_little() -> None:
    template = [{1, 10, 11} if page % 2 else {1, 20, 21} for page in range(40)]
    chance = Random(1)
    pages = [paths | {own for own in range(30, 38) if chance.random() < 0.5} for paths in template]
    blocks = Blocks(pages)
    weight = {min(paths): blocks.weights[at] for at, paths in enumerate(blocks.paths)}
    assert weight[10] == pytest.approx(weight[20])
    assert max(weight[own] for own in range(30, 38)) < 0.8 * weight[10]
    assert weight[1] < 0.1 * weight[10], "what all have tells nothing"


@given(WEIGHTS, WEIGHTS, st.floats(0, 1))
def test_likeness_is_a_share_and_the_same_both_ways(a: float, b: float, share: float) -> None:
    shared = share * min(a, b)
    assert alike(shared, a, b) == alike(shared, b, a)
    assert 0.0 <= alike(shared, a, b) <= 1.0 + 1e-9


def test_parts_that_the_larger_has_alone_count_less_than_those_that_each_has() -> None:
    assert alike(4, 4, 10) > alike(4, 7, 7)


def test_pages_are_joined_by_the_average_of_their_distances() -> None:
    distances = [[0.0, 0.1, 0.5, 0.9], [0.1, 0.0, 0.3, 0.9], [0.5, 0.3, 0.0, 0.8], [0.9, 0.9, 0.8, 0.0]]
    linkage = Linkage([[1 - distance for distance in row] for row in distances])
    assert linkage.groups(0.05) == [[0], [1], [2], [3]]
    assert linkage.groups(0.2) == [[0, 1], [2], [3]]
    assert linkage.groups(0.45) == [[0, 1, 2], [3]]
    assert linkage.joint(0, 2) == pytest.approx(0.4)
    assert linkage.joint(3, 1) == pytest.approx((0.9 + 0.9 + 0.8) / 3)
    assert linkage.joint(1, 1) == 0.0


def test_no_pages_make_no_groups() -> None:
    assert Linkage([]).groups(0.5) == []
    assert Linkage([[1.0]]).groups(0.5) == [[0]]
