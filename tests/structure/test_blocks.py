"""What pages are put together of, how alike that makes them, and which belong together."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.structure.blocks import LEAN, SharedBlocks, alike
from whimbrel.structure.ground import one_template
from whimbrel.structure.linkage import Linkage
from whimbrel.structure.shape import WORDS

WEIGHTS = st.floats(0, 100)


def test_paths_that_come_together_are_one_block() -> None:
    blocks = SharedBlocks([{1, 2, 3}, {1, 2, 3, 4, 5}, {1, 4, 5, 9}])
    assert sorted(sorted(paths) for paths in blocks.paths) == [[1], [2, 3], [4, 5]]
    assert blocks.of({1, 2, 3}) == blocks.pages[0]
    assert blocks.of({1, 9}) == blocks.of({1}), "what one page alone has is its own"


def test_what_comes_and_goes_among_like_pages_weighs_little() -> None:
    template = [{1, 10, 11} if page % 2 else {1, 20, 21} for page in range(40)]
    chance = Random(1)
    pages = [paths | {own for own in range(30, 38) if chance.random() < 0.5} for paths in template]
    blocks = SharedBlocks(pages)
    weight = {min(paths): blocks.weights[at] for at, paths in enumerate(blocks.paths)}
    assert weight[10] == pytest.approx(weight[20])
    assert max(weight[own] for own in range(30, 38)) < 0.8 * weight[10]
    assert weight[1] < 0.1 * weight[10], "what all have tells nothing"


@given(WEIGHTS, WEIGHTS, st.floats(0, 1), st.floats(0, 1))
def test_likeness_is_a_share_and_the_same_both_ways(a: float, b: float, share: float, lean: float) -> None:
    shared = share * min(a, b)
    assert alike(shared, a, b, lean) == alike(shared, b, a, lean)
    assert 0.0 <= alike(shared, a, b, lean) <= 1.0 + 1e-9


def test_parts_that_the_larger_has_alone_count_less_than_those_that_each_has() -> None:
    assert alike(4, 4, 10, LEAN) > alike(4, 7, 7, LEAN)


def linked(distances: list[list[float]]) -> Linkage:
    return Linkage([[1 - distance for distance in row] for row in distances])


def test_pages_are_joined_by_the_average_of_their_distances() -> None:
    linkage = linked([[0.0, 0.1, 0.5, 0.9], [0.1, 0.0, 0.3, 0.9], [0.5, 0.3, 0.0, 0.8], [0.9, 0.9, 0.8, 0.0]])
    assert linkage.joint(0, 2) == pytest.approx(0.4)
    assert linkage.joint(3, 1) == pytest.approx((0.9 + 0.9 + 0.8) / 3)
    assert linkage.joint(1, 1) == 0.0


def nested(within: float, between: float) -> Linkage:
    """Three groups of four; the first two are as far from each other as said, and both far from the third."""
    return linked(
        [
            [0.0 if a == b else within if a // 4 == b // 4 else between if max(a, b) < 8 else 0.95 for b in range(12)]
            for a in range(12)
        ]
    )


def test_groups_are_those_that_stay_by_themselves_for_long() -> None:
    first, second, third = list(range(4)), list(range(4, 8)), list(range(8, 12))
    assert nested(0.1, 0.6).groups(3) == [first, second, third], "together early, joined late: two kinds"
    assert nested(0.4, 0.5).groups(3) == [first + second, third], "no sooner together than joined: parts of one"
    assert nested(0.02, 0.3).groups(3) == nested(0.2, 0.3).groups(3) == [first + second, third]
    assert nested(0.1, 0.6).groups(5) == [first + second + third], "four are too few to be one of two"


def test_what_is_joined_late_to_many_makes_no_other_group_of_them() -> None:
    """One page after the other, each farther off: nowhere do two groups meet."""
    many = 9
    linkage = linked([[0.0 if a == b else max(a, b) / 10 for b in range(many)] for a in range(many)])
    assert linkage.groups(3) == [list(range(many))]


def test_equal_pages_are_one_group_and_pages_without_anything_in_common_none() -> None:
    assert linked([[0.0] * 7] * 7).groups(3) == [list(range(7))]
    assert linked([[float(a != b) for b in range(4)] for a in range(4)]).groups(2) == [[0, 1, 2, 3]]


@given(st.lists(st.lists(st.floats(0, 1), min_size=14, max_size=14), min_size=14, max_size=14), st.integers(1, 5))
def test_every_page_is_in_one_group(drawn: list[list[float]], fewest: int) -> None:
    linkage = linked([[0.0 if a == b else drawn[min(a, b)][max(a, b)] for b in range(14)] for a in range(14)])
    groups = linkage.groups(fewest)
    assert sorted(page for group in groups for page in group) == list(range(14))
    assert groups == sorted(groups)
    assert any(len(group) >= fewest for group in groups)


def test_no_pages_make_no_groups() -> None:
    assert Linkage([]).groups(3) == []
    assert Linkage([[1.0]]).groups(3) == [[0]]


def test_one_template_filled_more_or_less_is_told_from_two_that_say_different_things() -> None:
    elements = frozenset(range(16, 16 * 21, 16))
    more = elements | {16 * 21}
    parameters, returns, members = (16 * number + WORDS for number in (1, 2, 3))
    assert one_template(elements, more)
    assert one_template(elements | {parameters}, more | {parameters, returns}), "one says more than the other"
    assert not one_template(elements | {parameters}, elements | {members}), "each says what the other does not"
    assert not one_template(elements, elements | set(range(16 * 30, 16 * 34, 16))), "four elements of 24 are more"
