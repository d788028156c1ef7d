"""Greedy coverage: the golden example, and the definition itself as an oracle."""

from hypothesis import given
from hypothesis import strategies as st

from whimbrel.frontier.coverage import Sections, by_coverage

GOLDEN = {
    "A": {"a1", "a2", "a3", "a4"},
    "B": {"b1", "b2", "a1", "b3"},
    "C": {"c1", "c2", "c3"},
    "D": {"d1", "d2", "d3", "d4"},
    "E": {"e1", "e2", "b3", "e3", "b1"},
    "F": {"f1", "f2", "d1", "e1"},
}
QUEUES = st.lists(st.frozensets(st.integers(0, 12), max_size=6), max_size=12).map(lambda sets: dict(enumerate(sets)))


def test_the_golden_example() -> None:
    picked = list(by_coverage(GOLDEN))
    assert picked == [("E", 5), ("A", 4), ("D", 4), ("C", 3), ("F", 2), ("B", 1)]


def test_the_weights_after_the_first_pick() -> None:
    rest = {page: targets for page, targets in GOLDEN.items() if page != "E"}
    first = {page: len(targets - GOLDEN["E"]) for page, targets in rest.items()}
    assert first == {"A": 4, "B": 2, "C": 3, "D": 4, "F": 3}
    assert next(by_coverage(rest, GOLDEN["E"])) == ("A", 4)


@given(QUEUES, st.frozensets(st.integers(0, 12)))
def test_lazily_the_same_as_weighing_everything_each_time(
    queue: dict[int, frozenset[int]], covered: frozenset[int]
) -> None:
    reached, left, expected = set(covered), dict(queue), []
    while left:
        page = max(left, key=lambda candidate: (len(left[candidate] - reached), -candidate))
        expected.append((page, len(left[page] - reached)))
        reached |= left.pop(page)
    assert list(by_coverage(queue, covered)) == expected


def test_a_long_queue_is_not_weighed_anew_for_each_pick() -> None:
    weighed = 0

    class Counted(frozenset[int]):
        def __iter__(self):  # type: ignore[no-untyped-def]
            nonlocal weighed
            weighed += 1
            return super().__iter__()

    queue = {page: Counted(range(10 * page, 10 * page + 10)) for page in range(2_000)}
    assert len(list(by_coverage(queue))) == 2_000
    assert weighed <= 2 * 2_000


def test_a_front_page_leads_to_what_is_listed_below_it() -> None:
    listed = [("http://h/", 1), ("http://h/a/", 2), ("http://h/a/x", 3), ("http://h/a/é", 4), ("http://h/ab", 5)]
    sections = Sections(listed)
    assert sections.below("http://h/a/") == sections.below("http://h/a/index.html") == {2, 3, 4}
    assert sections.below("http://h/") == {1, 2, 3, 4, 5}
    assert sections.below("http://h/a/x") == sections.below("http://h/b/") == frozenset()
