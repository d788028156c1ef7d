"""AHP: the paper's worked example, contradictions in plain words, measurements good and bad, a peer."""

from itertools import combinations
from math import inf, isclose, nan

import ahpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.migrants.home import ahp
from whimbrel.records.verdict import Verdict

CRITERIA = ("load", "URL capacity", "parent rank", "bandwidth", "loading rate", "agent capacity", "latency")
GOLDEN = ahp.reciprocal(
    [[1 / 7, 1 / 8, 2, 1 / 4, 1, 3], [1 / 2, 5, 4, 3, 4], [7, 4, 5, 4], [1, 1, 1], [2, 3], [2]]
)  # fmt: skip
ALTERNATIVES = {
    "load": ([[4, 5, 6], [3, 3], [2]], (0.597, 0.222, 0.108, 0.073), 0.047),
    "URL capacity": ([[1 / 6, 3, 1 / 2], [7, 3], [1 / 7]], (0.119, 0.580, 0.050, 0.250), 0.050),
    "parent rank": ([[1 / 3, 1 / 7, 1 / 2], [1 / 3, 1], [4]], (0.075, 0.191, 0.575, 0.160), 0.008),
    "bandwidth": ([[3, 4, 6], [2, 3], [4]], (0.547, 0.224, 0.163, 0.066), 0.053),
    "loading rate": ([[1 / 7, 1 / 4, 1 / 3], [3, 4], [3]], (0.060, 0.551, 0.260, 0.129), 0.044),
    "agent capacity": ([[1 / 4, 1 / 4, 1], [1 / 4, 3], [4]], (0.094, 0.253, 0.555, 0.099), 0.077),
    "latency": ([[2, 3, 1], [3, 1], [1 / 2]], (0.362, 0.255, 0.111, 0.272), 0.030),
}
PAPER_WEIGHTS = (0.0735, 0.273, 0.373, 0.055, 0.116, 0.061, 0.046)

judgement = st.sampled_from([*range(1, 10), *(1 / n for n in range(2, 10))])
measurement = st.floats(1e-6, 1e9)


@st.composite
def judged(draw: st.DrawFn, least: int = 2, most: int = 8) -> ahp.Matrix:
    number = draw(st.integers(least, most))
    return ahp.reciprocal([[draw(judgement) for _ in range(i)] for i in range(number - 1, 0, -1)])


@st.composite
def about_consistent(draw: st.DrawFn) -> ahp.Matrix:
    """Ratios of hidden weights, each off by up to a half: as people judge."""
    hidden = draw(st.lists(st.floats(0.2, 1.0), min_size=3, max_size=8))
    off = st.floats(2 / 3, 3 / 2)
    return ahp.reciprocal([[a / b * draw(off) for b in hidden[i + 1 :]] for i, a in enumerate(hidden[:-1])])


def test_the_criteria_of_the_paper() -> None:
    weighed = ahp.weigh(GOLDEN)
    assert weighed.weights == pytest.approx((0.067, 0.272, 0.374, 0.057, 0.116, 0.067, 0.048), abs=0.001)
    assert weighed.ratio == pytest.approx(0.073, abs=0.0005)
    assert ahp.check(GOLDEN, CRITERIA).accepted


@pytest.mark.parametrize("criterion", ALTERNATIVES)
def test_the_alternatives_of_the_paper(criterion: str) -> None:
    upper, weights, ratio = ALTERNATIVES[criterion]
    weighed = ahp.weigh(ahp.reciprocal(upper))
    assert weighed.weights == pytest.approx(weights, abs=0.001)
    assert weighed.ratio == pytest.approx(ratio, abs=0.001)


def test_the_ranks_of_the_paper() -> None:
    under = [ahp.weigh(ahp.reciprocal(upper)).weights for upper, _, _ in ALTERNATIVES.values()]
    ranks = ahp.rank(PAPER_WEIGHTS, under)
    assert ranks == pytest.approx((0.164, 0.349, 0.314, 0.171), abs=0.002)
    assert sorted(range(4), key=lambda i: -ranks[i]) == [1, 2, 3, 0]


@given(about_consistent())
def test_another_implementation_agrees(matrix: ahp.Matrix) -> None:
    number = len(matrix)
    theirs = ahpy.Compare("c", {(i, j): matrix[i][j] for i, j in combinations(range(number), 2)}, precision=6)
    ours = ahp.weigh(matrix)
    assert [theirs.target_weights[i] for i in range(number)] == pytest.approx(ours.weights, abs=2e-6)


@pytest.mark.parametrize(
    ("number", "index"), [(1, 0), (2, 0), (3, 0.58), (10, 1.49), (11, (1.7699 * 11 - 4.3513) / 10), (15, 1.5856)]
)
def test_the_random_index_within_and_beyond_the_table(number: int, index: float) -> None:
    assert ahp.random_index(number) == pytest.approx(index, abs=1e-4)


def test_two_things_cannot_contradict_each_other() -> None:
    assert ahp.weigh(ahp.reciprocal([[9]])) == ahp.Weighed((0.9, 0.1), 2.0, 0.0, 0.0)
    assert ahp.weigh(((1.0,),)).weights == (1.0,)


@given(judged())
def test_weights_are_positive_and_sum_to_one(matrix: ahp.Matrix) -> None:
    weighed = ahp.weigh(matrix)
    assert min(weighed.weights) > 0
    assert isclose(sum(weighed.weights), 1.0, abs_tol=1e-12)
    assert weighed.largest >= len(matrix) - 1e-9


@given(judged(), st.randoms(use_true_random=False))
def test_the_order_of_things_does_not_matter(matrix: ahp.Matrix, chance: "st.random.Random") -> None:
    order = list(range(len(matrix)))
    chance.shuffle(order)
    moved = ahp.weigh(tuple(tuple(matrix[i][j] for j in order) for i in order))
    plain = ahp.weigh(matrix)
    assert moved.weights == pytest.approx([plain.weights[i] for i in order], abs=1e-9)
    assert moved.ratio == pytest.approx(plain.ratio, abs=1e-9)


@given(st.lists(measurement, min_size=3, max_size=8))
def test_ratios_of_measurements_are_consistent_and_their_weights_are_the_shares(values: list[float]) -> None:
    spread = [value % 100 + 1 for value in values]
    weighed = ahp.weigh(tuple(tuple(a / b for b in spread) for a in spread))
    assert weighed.ratio == pytest.approx(0.0, abs=1e-9)
    assert weighed.weights == pytest.approx(ahp.shares(spread).weights)


def test_a_contradiction_is_told_in_words_with_what_to_change() -> None:
    verdict = ahp.check(ahp.reciprocal([[7, 1 / 5], [4]]), ("speed", "room", "price"))
    assert (verdict.accepted, verdict.rule) == (False, "judgements")
    assert "speed is 7× room and room is 4× price, so speed should be about 28× price, but 1/5 is given" in (
        verdict.reason
    )
    assert "Set speed against room to about 1/9 instead of 7: the ratio falls to 0.06." in verdict.reason


def test_the_worst_of_many_triples_is_named() -> None:
    rows = [list(row) for row in GOLDEN]
    rows[1][6], rows[6][1] = 1 / 9, 9.0
    verdict = ahp.check(tuple(map(tuple, rows)), CRITERIA)
    assert "URL capacity" in verdict.reason
    assert "latency" in verdict.reason
    assert "Set URL capacity against latency to about 7 instead of 1/9: the ratio falls to 0.07." in verdict.reason


@given(judged(3, 7))
def test_what_is_advised_brings_the_ratio_down(matrix: ahp.Matrix) -> None:
    names = "abcdefg"[: len(matrix)]
    verdict = ahp.check(matrix, names)
    before = ahp.weigh(matrix).ratio
    assert verdict.accepted == (before <= ahp.HIGHEST_RATIO)
    if not verdict.accepted:
        falls = float(verdict.reason.partition("the ratio falls to ")[2].split(",")[0].rstrip("."))
        assert falls <= before + 0.005


@pytest.mark.parametrize("value", [0.0, -2.0, nan, inf])
def test_a_judgement_is_a_positive_number(value: float) -> None:
    verdict = ahp.check(((1.0, value), (0.5, 1.0)), ("a", "b"))
    assert not verdict.accepted
    assert "a against b" in verdict.reason


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (((1.0, 3.0), (3.0, 1.0)), "b has to be 1/3× a, but 3 is given"),
        (((2.0, 1.0), (1.0, 1.0)), "a against itself is 2"),
        (((1.0, 2.0),), "as many rows"),
    ],
)
def test_a_matrix_that_is_none(matrix: ahp.Matrix, words: str) -> None:
    assert words in ahp.check(matrix, ("a", "b")).reason


@pytest.mark.parametrize(
    "rows",
    [
        [["1/3", 2], ["4"]],
        [[1, "1/3", 2], [3, 1, 4], ["1/2", "1/4", 1]],
        [[1, 1 / 3, 2], [3, 1, 4], [0.5, 0.25, 1]],
    ],
)
def test_a_matrix_may_be_written_whole_or_as_its_upper_half(rows: list[list[float | str]]) -> None:
    assert ahp.matrix_of(rows, "abc") == ahp.reciprocal([[1 / 3, 2], [4]])


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[1, 2, 3], [3]], "these are rows of 3, 1"),
        ([], "these are rows of nothing"),
        ([[1, 12], [3]], "a against c is 12; write a number from 1/9 to 9"),
        ([["x", 2], [3]], "a against b is 'x'"),
        ([["1/0", 2], [3]], "a against b is '1/0'"),
        ([[nan, 2], [3]], "a against b is nan"),
        ([[1, 2, 2], [2, 1, 2], [0.5, 0.5, 1]], "b has to be 1/2× a, but 2 is given"),
        ([[3, 2, 2], [0.5, 1, 2], [0.5, 0.5, 1]], "a against itself is 3"),
    ],
)
def test_a_matrix_that_cannot_be_read_is_refused(rows: list[list[float | str]], words: str) -> None:
    verdict = ahp.matrix_of(rows, "abc")
    assert isinstance(verdict, Verdict)
    assert words in verdict.reason


def test_more_is_better_and_less_is_better() -> None:
    assert ahp.shares([1, 3]).weights == (0.25, 0.75)
    assert ahp.shares([1, 3], less_is_better=True).weights == (0.75, 0.25)
    assert ahp.shares([1, 90]).weights == (1 / 91, 90 / 91)


@pytest.mark.parametrize("value", [None, nan, inf, -inf, -1.0])
@pytest.mark.parametrize("less", [False, True])
def test_what_is_no_measurement_gets_the_average(value: float | None, less: bool) -> None:
    shares = ahp.shares([4.0, value, 1.0], less)
    assert shares.unknown == (1,)
    assert shares.weights[1] == pytest.approx(1 / 3)
    assert sum(shares.weights) == pytest.approx(1.0)
    assert (shares.weights[0] < shares.weights[2]) is less


@pytest.mark.parametrize("less", [False, True])
def test_nothing_measured_or_nothing_there_is_even(less: bool) -> None:
    assert ahp.shares([None, nan], less) == ahp.Shares((0.5, 0.5), (0, 1))
    assert ahp.shares([0.0, 0.0], less) == ahp.Shares((0.5, 0.5))
    assert ahp.shares([], less) == ahp.Shares(())


def test_noughts_where_less_is_better_share_the_whole() -> None:
    assert ahp.shares([0.0, 5.0, 0.0], less_is_better=True).weights == (0.5, 0.0, 0.5)
    assert ahp.shares([0.0, 5.0]).weights == (0.0, 1.0)


@given(st.lists(st.none() | st.floats(), min_size=1, max_size=20), st.booleans())
def test_shares_sum_to_one_whatever_was_measured(values: list[float | None], less: bool) -> None:
    weights = ahp.shares(values, less).weights
    assert sum(weights) == pytest.approx(1.0)
    assert all(0.0 <= weight <= 1.0 for weight in weights)


@given(st.lists(measurement, min_size=1, max_size=20), st.floats(1e-3, 1e3), st.booleans())
def test_the_unit_does_not_matter(values: list[float], unit: float, less: bool) -> None:
    scaled = ahp.shares([value * unit for value in values], less).weights
    assert scaled == pytest.approx(ahp.shares(values, less).weights, rel=1e-9)


@given(st.lists(st.none() | measurement, min_size=1, max_size=20), st.booleans())
def test_shares_go_with_their_values(values: list[float | None], less: bool) -> None:
    assert ahp.shares(values[::-1], less).weights[::-1] == pytest.approx(ahp.shares(values, less).weights)
