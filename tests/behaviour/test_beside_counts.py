"""What is believed of pages gives way to plain counts where it is unsure, and only there."""

import numpy as np
import pytest

from whimbrel.behaviour.beside_counts import HALF_READERS, beside_counts, looks_to_believe, opened_share, rising

BELIEVED = np.array([0.1, 0.5, 0.7, 0.3])
COUNTED = np.array([0.6, 0.4, 0.3, 0.3])
ONE = np.zeros(4, dtype=np.int64)


def test_what_is_sure_is_believed() -> None:
    assert beside_counts(BELIEVED, np.full(4, 0.01), COUNTED, ONE) == pytest.approx(BELIEVED, abs=0.001)


def test_what_is_unsure_leaves_the_order_of_counts() -> None:
    found = beside_counts(BELIEVED, np.full(4, 0.8), COUNTED, ONE)
    assert np.argsort(-found).tolist() == [0, 1, 2, 3]
    assert found[:2] / found[0] == pytest.approx(COUNTED[:2] / COUNTED[0], abs=0.02)


def test_between_pages_opened_as_often_what_is_believed_decides() -> None:
    found = beside_counts(np.array([0.2, 0.3, 0.2]), np.full(3, 0.4), np.full(3, 0.2), ONE[:3])
    assert found[1] > found[0] == found[2]


def test_that_all_of_a_question_are_opened_less_says_nothing_of_how_they_differ() -> None:
    """Each of them is looked at half of the time: what is believed is twice the count, in the same order."""
    found = beside_counts(2.0 * COUNTED, np.full(4, 0.01), COUNTED, ONE)
    assert found == pytest.approx(2.0 * COUNTED)


def test_each_question_by_itself() -> None:
    doubt = np.array([0.01] * 4 + [0.8] * 4)
    both = beside_counts(np.tile(BELIEVED, 2), doubt, np.tile(COUNTED, 2), np.repeat([0, 1], 4))
    assert both[:4] == pytest.approx(BELIEVED, abs=0.002)
    assert np.argsort(-both[4:]).tolist() == [0, 1, 2, 3]


def test_an_order_that_the_whole_log_hardly_speaks_against_is_left_to_the_counts() -> None:
    """Ten questions, in each of which one page is believed to be above one that was opened more often."""
    believed, counted = np.tile([0.7, 0.75, 0.2, 0.1], 10), np.tile([0.5, 0.2, 0.1, 0.0], 10)
    question = np.repeat(np.arange(10), 4)
    unsure = beside_counts(believed, np.tile([0.01, 0.1, 0.01, 0.01], 10), counted, question)
    assert np.argsort(-unsure[:4]).tolist() == [0, 1, 2, 3], "sure that sizes differ, not that the order does"
    sure = beside_counts(believed, np.full(40, 0.01), counted, question)
    assert np.argsort(-sure[:4]).tolist() == [1, 0, 2, 3]


def test_what_never_falls_and_is_nearest() -> None:
    assert rising(np.array([1.0, 3.0, 2.0, 4.0]), np.ones(4)) == pytest.approx([1.0, 2.5, 2.5, 4.0])
    assert rising(np.array([3.0, 0.0]), np.array([1.0, 2.0])) == pytest.approx([1.0, 1.0])


def test_what_chance_explains_is_no_difference_between_pages() -> None:
    """Fifty pages opened at one look of five each: by chance, and then ten that nobody passes over."""
    chance = np.random.default_rng(1)
    shown = np.full(50, 5.0)
    alike = opened_share(chance.binomial(5, 0.2, 50).astype(float), shown)
    assert alike.max() - alike.min() < 0.15
    clicked = np.array([5.0] * 10 + [0.0] * 40)
    assert opened_share(clicked, shown) == pytest.approx(clicked / 5, abs=0.05)
    assert opened_share(np.zeros(3), shown[:3]) == pytest.approx(np.zeros(3))


def test_where_the_place_alone_decides_no_number_of_looks_is_enough() -> None:
    """Two hundred pages at five looks each: opened by chance, the further down the less, and then by what they are."""
    chance = np.random.default_rng(2)
    shown, depth = np.full(200, 5.0), np.tile(np.log2(1.0 + np.arange(10)), 20)
    alike = chance.binomial(5, 0.5 - 0.1 * depth).astype(float)
    assert looks_to_believe(alike, shown, depth) > 40
    good = chance.random(200) < 0.3
    differing = chance.binomial(5, np.where(good, 0.8, 0.1)).astype(float)
    assert looks_to_believe(differing, shown, depth) < 2
    assert looks_to_believe(differing[:8], shown[:8], depth[:8]) == HALF_READERS
    once = np.full(200, sum([1 / 49] * 49) + 1e-9)
    assert looks_to_believe(np.minimum(once, alike), once, depth) == HALF_READERS, "who looked once tells nothing of it"
