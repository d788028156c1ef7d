"""The classes of P0 and the rule of P2, with the papers' numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.parse.sitemaps import CHANGE_FREQUENCIES
from whimbrel.revisit.classes import DAY, HOUR, INTERVALS, WEEK, YEAR, nearest
from whimbrel.revisit.rule import (
    Countdown,
    expands,
    moved_threshold,
    next_fr_max,
    visited,
)


def test_the_classes_are_those_of_the_sitemap_protocol() -> None:
    assert tuple(INTERVALS) == CHANGE_FREQUENCIES
    assert [INTERVALS[name] for name in ("always", "hourly", "daily", "weekly", "never")] == [
        900,
        HOUR,
        DAY,
        WEEK,
        YEAR,
    ]


@pytest.mark.parametrize(
    ("changes_a_day", "name"),
    [(200, "always"), (24, "hourly"), (3, "daily"), (1, "daily"), (1 / 2, "daily"), (1 / 4, "weekly"),
     (1 / 30, "monthly"), (1 / 300, "yearly"), (0, "yearly"), (1e-9, "yearly")],
)  # fmt: skip
def test_the_nearest_class(changes_a_day: float, name: str) -> None:
    assert nearest(changes_a_day / DAY) == name


def test_the_papers_example() -> None:
    assert next_fr_max(3, records=45, changed=10, limit=20) == 2


@pytest.mark.parametrize(
    ("fr_max", "records", "changed", "becomes"),
    [(1, 1, 0, 1), (1, 20, 0, 10), (10, 20, 20, 5), (1, 20, 20, 1), (4, 0, 0, 2), (1, 0, 0, 1)],
)
def test_rounds_between_visits(fr_max: int, records: int, changed: int, becomes: int) -> None:
    assert next_fr_max(fr_max, records, changed) == becomes


@given(st.integers(1, 1000), st.integers(0, 100), st.data())
def test_there_is_always_a_next_visit(fr_max: int, records: int, data: st.DataObject) -> None:
    changed = data.draw(st.integers(0, min(records, 20)))
    assert 1 <= next_fr_max(fr_max, records, changed) <= max(fr_max, 20)


def test_a_visit_begins_the_count_anew() -> None:
    countdown = visited(Countdown(fr_max=3), records=45, changed=10)
    assert countdown == Countdown(2, 2)


def test_selective_expansion() -> None:
    assert expands(True, 0, 10)
    assert expands(False, 4, 10)
    assert not expands(False, 3, 10)
    assert not expands(False, 0, 0)
    assert expands(False, 3, 10, moved_threshold(0.4, 0, 10))


def test_the_threshold_moves_half_way_and_stays_between_a_tenth_and_nine() -> None:
    assert moved_threshold(0.4, 8, 10) == pytest.approx(0.6)
    assert moved_threshold(0.4, 0, 0) == 0.4
    low = high = 0.4
    for _ in range(20):
        low, high = moved_threshold(low, 0, 10), moved_threshold(high, 10, 10)
    assert (low, high) == (0.1, 0.9)
