"""Reading time against the words of a page and the pace of its reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.behaviour.reading import (
    LEAST_WORDS,
    WORDS_A_SECOND,
    Stay,
    beside_usual,
    found_by,
    pace,
    readers_to_believe,
    share_read,
)


def test_a_minute_is_much_on_a_short_page_and_little_on_a_long_one() -> None:
    assert share_read(Stay(60, 200), WORDS_A_SECOND) == 1.0
    assert share_read(Stay(60, 5000), WORDS_A_SECOND) == pytest.approx(238 / 5000)
    assert share_read(Stay(60, LEAST_WORDS - 1), WORDS_A_SECOND) is None
    assert share_read(Stay(float("nan"), 500), WORDS_A_SECOND) is None


def test_a_slow_reader_is_known_by_and_by() -> None:
    slow = WORDS_A_SECOND / 2
    few = pace([Stay(500 / slow, 500)] * 2)
    many = pace([Stay(500 / slow, 500)] * 100)
    assert pace([]) == pytest.approx(WORDS_A_SECOND)
    assert slow < many < few < WORDS_A_SECOND
    assert many == pytest.approx(slow, rel=0.05)
    assert pace([Stay(1, 9000), Stay(90_000, 90), Stay(0, 500)]) == pytest.approx(WORDS_A_SECOND), "glances, idle tabs"


@given(st.lists(st.floats(0, 1), max_size=50), st.floats(0.01, 1))
def test_time_is_an_opinion_between_nothing_and_all(shares: list[float], usual: float) -> None:
    value = beside_usual(found_by(shares, usual), usual)
    assert 0 <= value <= 1
    cut = len(shares) // 5
    middle = sorted(shares)[cut : len(shares) - cut]
    assert (value > 0.5) == (sum(middle) > usual * len(middle) + 1e-12) or value == pytest.approx(0.5)


def told(shares: list[float], usual: float) -> float:
    return beside_usual(found_by(shares, usual), usual)


def test_few_readers_say_little() -> None:
    assert told([], 0.4) == 0.5
    assert 0.5 < told([1.0], 0.4) < told([1.0] * 20, 0.4)


def test_a_few_who_stay_for_ever_do_not_move_the_many() -> None:
    many = [0.2] * 8
    assert told([*many, 1.0, 1.0], 0.2) == told([*many, 0.2, 0.2], 0.2) == pytest.approx(0.5)


def test_readers_of_a_page_who_all_agree_are_believed_and_none_is_believed_alone() -> None:
    agreeing = [[0.0, 0.0, 0.0], [0.5, 0.5], [1.0, 1.0, 1.0]] * 10
    assert readers_to_believe(agreeing) == 1.0
    assert readers_to_believe(agreeing[:6]) > 1.0, "too few pages to tell"
    assert told([0.0], 0.5) > 0.0
    alike = [[0.0, 1.0, 0.5]] * 30
    assert found_by([1.0] * 50, 0.5, readers_to_believe(alike)) == 0.5, "pages do not differ"
