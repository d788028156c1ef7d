"""Who lies is found in time, whether at once or after a long good record."""

import pytest

from whimbrel.bench.lies import GOAL_SHARE, PAGES, TRUTHFUL, table


@pytest.mark.parametrize("truthful", [0, TRUTHFUL])
def test_who_alters_a_tenth_is_found_in_ninety_five_runs_of_a_hundred(truthful: int) -> None:
    (row,) = table(GOAL_SHARE, truthful, (0.1,), runs=100)
    assert row.found >= 0.95
    assert row.median < row.ninety_five <= PAGES


def test_who_lies_less_is_found_later_and_whoever_is_honest_is_not() -> None:
    rows = table(false=(0.2, 0.05, 0.02, 0.0), runs=50, most=8_000)
    medians = [row.median for row in rows[:3]]
    assert medians == sorted(medians)
    assert rows[-1].ever == 0.0
