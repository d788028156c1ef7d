"""Priority lists: the golden example, and that nothing is lost or starved."""

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from whimbrel.frontier.priority import TURNS, by_priority, forward_links, lists, value

FORWARD = [20, 18, 11, 4, 3, 40, 79, 65, 155, 60, 21, 13, 52, 60, 15, 5, 16, 53]
GOLDEN = [(place, value(forward, 0)) for place, forward in enumerate(FORWARD)]
PAGES = st.lists(st.integers(-50, 50), max_size=60).map(lambda values: list(enumerate(map(float, values))))


def test_the_golden_lists() -> None:
    assert [[FORWARD[page] for page in part] for part in lists(GOLDEN)] == [
        [155, 79, 65, 60, 60, 53],
        [52, 40, 21, 20, 18, 16],
        [15, 13, 11, 5, 4, 3],
    ]


def test_the_golden_twelve() -> None:
    first = [FORWARD[page] for page in islice(by_priority(GOLDEN), 12)]
    assert first == [155, 79, 65, 60, 52, 40, 15, 60, 53, 21, 20, 13]


def test_back_links_count_against_a_page() -> None:
    assert value(20, 5) == 15
    assert list(by_priority([("linked", value(9, 8)), ("linking", value(9, 0))])) == ["linking", "linked"]


def test_a_page_never_fetched_is_like_its_parent_else_like_its_site() -> None:
    assert forward_links(7, 30, 12.5) == 7
    assert forward_links(0, 30, 12.5) == 0
    assert forward_links(None, 30, 12.5) == 30
    assert forward_links(None, None, 12.5) == 12.5


@given(PAGES)
def test_every_page_is_handed_out_once_and_the_lists_are_nearly_equal(pages: list[tuple[int, float]]) -> None:
    parts = lists(pages)
    assert sorted(by_priority(pages)) == sorted(page for page, _ in pages)
    sizes = [len(part) for part in parts]
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes) - min(sizes) <= 1


@given(PAGES)
def test_the_last_list_is_never_kept_waiting_for_more_than_a_round(pages: list[tuple[int, float]]) -> None:
    last = set(lists(pages)[-1])
    places = [place for place, page in enumerate(by_priority(pages)) if page in last]
    gaps = [later - earlier for earlier, later in zip([-1, *places], places, strict=False)]
    assert all(gap <= sum(TURNS) for gap in gaps)
