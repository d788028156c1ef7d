"""What is believed of pages gives way to plain counts where it is unsure, and only there."""

import numpy as np
import pytest

from whimbrel.behaviour.beside_counts import LEAST, beside_counts, opened_share

BELIEVED = np.array([0.1, 0.5, 0.7, 0.3])
COUNTED = np.array([0.6, 0.4, 0.3, 0.3])
ONE = np.zeros(4, dtype=np.int64)


def test_what_is_sure_is_believed() -> None:
    assert beside_counts(BELIEVED, np.full(4, 0.01), COUNTED, ONE) == pytest.approx(BELIEVED, abs=0.001)


def test_what_is_unsure_leaves_the_order_of_counts() -> None:
    found = beside_counts(BELIEVED, np.full(4, 0.8), COUNTED, ONE)
    assert found == pytest.approx(COUNTED + LEAST * (BELIEVED - COUNTED))
    assert np.argsort(-found)[:2].tolist() == [0, 1]


def test_between_pages_opened_as_often_what_is_believed_decides() -> None:
    found = beside_counts(np.array([0.2, 0.3, 0.2]), np.full(3, 0.4), np.full(3, 0.2), ONE[:3])
    assert found[1] > found[0] == found[2]


def test_each_question_by_itself() -> None:
    doubt = np.array([0.01] * 4 + [0.8] * 4)
    both = beside_counts(np.tile(BELIEVED, 2), doubt, np.tile(COUNTED, 2), np.repeat([0, 1], 4))
    assert both[:4] == pytest.approx(BELIEVED, abs=0.001)
    assert both[4:] == pytest.approx(COUNTED, abs=0.01)


def test_two_pages_are_too_few_to_tell() -> None:
    assert beside_counts(BELIEVED[:2], np.full(2, 0.4), COUNTED[:2], ONE[:2]) == pytest.approx(BELIEVED[:2])


def test_what_chance_explains_is_no_difference_between_pages() -> None:
    """Fifty pages opened at one look of five each: by chance, and then ten that nobody passes over."""
    chance = np.random.default_rng(1)
    shown = np.full(50, 5.0)
    alike = opened_share(chance.binomial(5, 0.2, 50).astype(float), shown)
    assert alike.max() - alike.min() < 0.15
    clicked = np.array([5.0] * 10 + [0.0] * 40)
    assert opened_share(clicked, shown) == pytest.approx(clicked / 5, abs=0.05)
    assert opened_share(np.zeros(3), shown[:3]) == pytest.approx(np.zeros(3))
