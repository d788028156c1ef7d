"""What is worked out about liars agrees with what is simulated."""

from random import Random

import pytest

from whimbrel.bench.lies import PAGES, chance, pages_until_found, table


def test_the_chance_worked_out_is_that_of_the_runs() -> None:
    found = sum(bool(pages_until_found(0.1, Random(seed), 100)) for seed in range(400))
    assert chance(0.1, 100) == pytest.approx(found / 400, abs=0.06)


def test_who_alters_a_tenth_is_found_in_ninety_five_runs_of_a_hundred() -> None:
    (row,) = table((0.1,))
    assert row.found >= 95
    assert row.median < row.ninety_five <= PAGES
