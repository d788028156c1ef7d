import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from whimbrel.rank.likeness import CONTENT, bm25, likeness_sums, query_weights


@pytest.mark.parametrize(("pages", "score"), [(5, 3.5), (10, 7.0)])
def test_equal_pages_score_as_in_the_paper(pages: int, score: float) -> None:
    weights = query_weights(np.ones((pages, 1), np.int64), np.full(pages, 4))
    assert CONTENT * likeness_sums(weights) == pytest.approx([score] * pages, abs=5e-5)


def test_a_weight_by_hand() -> None:
    counts, most = np.array([[3, 0], [0, 0], [6, 0]]), np.array([6, 9, 6])
    rare = math.log(4 / 2)
    assert query_weights(counts, most) == pytest.approx([0.75 * rare, 0.5 * rare, 1.0 * rare])


def test_a_query_that_is_nowhere_makes_no_page_like_another() -> None:
    assert likeness_sums(query_weights(np.zeros((3, 2), np.int64), np.array([1, 2, 3]))).tolist() == [0, 0, 0]


@given(arrays(np.float64, st.integers(0, 40), elements=st.sampled_from([0.0, 0.3, 1.0, 1.7, 5.0])))
def test_sums_are_those_of_all_pairs(weights: np.ndarray) -> None:
    def alike(a: float, b: float) -> float:
        below = a * a + b * b - a * b
        return a * b / below if below else 0.0

    assert likeness_sums(weights) == pytest.approx([sum(alike(a, b) for b in weights) for a in weights])


def test_bm25_prefers_the_word_that_is_rarer_and_the_page_that_is_shorter() -> None:
    counts = np.array([[1, 0], [0, 1], [0, 1], [0, 1]])
    scores = bm25(counts, np.array([100, 100, 100, 10]))
    assert scores[0] > scores[1] == scores[2] < scores[3]
    assert bm25(np.zeros((0, 2), np.int64), np.zeros(0, np.int64)).tolist() == []
