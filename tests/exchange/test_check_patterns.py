"""`check patterns` by the papers' example, and what it says to nonsense."""

import pytest

from whimbrel.exchange.check_patterns import check_patterns

BASKETS = [[8, 1, 5], [10, 8, 1], [6], [7], [9], [11], [12], [1, 8, 10], [4], [2], [8, 3], [13], [8, 10], [8], [1, 5]]


@pytest.mark.parametrize(("support", "weight", "largest"), [(2, 3.0, {1, 8, 10}), (3, 1.0, {8, 10})])
def test_the_papers_readers(support: int, weight: float, largest: set[int]) -> None:
    answer = check_patterns({"baskets": BASKETS, "min_support": support, "min_confidence": 0.6})
    assert answer["weight"] == pytest.approx(weight, abs=0.001)
    assert set(answer["largest"]) == largest  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("line", "about"),
    [
        ({}, "baskets"),
        ({"baskets": [1]}, "list of lists"),
        ({"baskets": [[{}]]}, "items"),
        ({"baskets": [[1]], "min_support": "many"}, "min_support"),
        ({"baskets": [[1]], "min_support": 0}, "support"),
        ({"baskets": [[1]], "min_confidence": 7}, "confidence"),
        ({"baskets": [list(range(40))] * 9}, "raise the least support"),
    ],
)
def test_nonsense_is_answered_with_what_to_do(line: dict[str, object], about: str) -> None:
    assert about in str(check_patterns(line)["error"])
