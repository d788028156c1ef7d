"""What the pages of a kind have in common, and how alike a page is to that."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.structure.profile import Profile

PATHS = st.frozensets(st.integers(0, 12), max_size=10)
SOME = st.lists(PATHS, min_size=1, max_size=4)


def weigh(path: int) -> float:
    return 1.0 + path / 3


def weight(paths: frozenset[int]) -> float:
    return sum(map(weigh, paths))


def test_a_path_counts_by_the_share_that_has_it() -> None:
    profile = Profile([{1, 2}, {1}], lambda path: 1.0)
    assert profile.weight == 1.5
    # 1 shared of 1 + 1.5 - 1; the page has all that both members have.
    assert profile.similarity(frozenset({1}), 1.0) == pytest.approx(1 / 1.5)


def test_where_few_are_known_what_one_has_counts_for_more() -> None:
    assert Profile([{1, 2}, {1}], lambda path: 1.0, root=True).weight == pytest.approx(1 + 0.5**0.5)


def test_a_page_that_lacks_what_all_have_is_less_alike() -> None:
    profile = Profile([{1, 2, 3}, {1, 2, 4}], lambda path: 1.0)
    without_common, with_all = frozenset({1, 3, 4}), frozenset({1, 2, 3})
    # The first shares 1 + 0.5 + 0.5 of 3 + 3 - 2, and has half of what both have.
    assert profile.similarity(without_common, 3.0) == pytest.approx(2 / 4 * 0.5**0.5)
    assert profile.similarity(with_all, 3.0) == pytest.approx(2.5 / 3.5)


def test_one_member_is_like_itself_and_nothing_is_like_nothing() -> None:
    assert Profile([{1, 2}], weigh).similarity(frozenset({1, 2}), weight(frozenset({1, 2}))) == pytest.approx(1.0)
    assert Profile([], weigh).similarity(frozenset({1}), 1.0) == 0.0
    assert Profile([{1}], weigh).similarity(frozenset(), 0.0) == 0.0


@given(SOME, PATHS, st.booleans())
def test_never_more_than_the_weights_allow(members: list[frozenset[int]], paths: frozenset[int], root: bool) -> None:
    profile = Profile(members, weigh, root=root)
    alike = profile.similarity(paths, weight(paths))
    assert 0.0 <= alike <= profile.at_most(weight(paths)) + 1e-9 <= 1.0 + 1e-9


@given(SOME, PATHS)
def test_the_order_of_members_does_not_matter(members: list[frozenset[int]], paths: frozenset[int]) -> None:
    one, other = Profile(members, weigh), Profile(members[::-1], weigh)
    assert one.similarity(paths, weight(paths)) == pytest.approx(other.similarity(paths, weight(paths)))
