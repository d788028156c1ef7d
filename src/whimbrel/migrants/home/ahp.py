"""The analytic hierarchy process: weights out of judgements and out of measurements (P0 §4.3.3; Saaty 1980).

A judgement says how many times one thing matters as much as another, from 1/9 to 9. The weights are the principal
eigenvector of the matrix of judgements; how far its eigenvalue exceeds the number of things tells how much they
contradict each other. A measurement is no judgement: its weight is its share of the sum, and nothing is cut at 9.
"""

from collections.abc import Sequence
from itertools import combinations, permutations
from math import exp, fsum, inf, log
from operator import mul
from typing import TypeAlias

from msgspec import Struct

from whimbrel.records.verdict import ACCEPTED, Verdict, refused

Matrix: TypeAlias = tuple[tuple[float, ...], ...]

HIGHEST_RATIO = 0.1
SCALE_END = 9.0
RULE = "judgements"

_RANDOM_INDEX = (0.0, 0.0, 0.58, 0.90, 1.12, 1.24, 1.32, 1.41, 1.45, 1.49)
_MOST_ROUNDS = 1_000
_CLOSE = 1e-15
_ROUNDING = 0.01
"""0.33 passes for 1/3; the entry above the diagonal counts."""


class Weighed(Struct, frozen=True):
    """`largest` is the principal eigenvalue, `index` Saaty's CI, `ratio` his CR."""

    weights: tuple[float, ...]
    largest: float
    index: float
    ratio: float


class Shares(Struct, frozen=True):
    """`unknown` are the places that had no usable measurement and got the average weight."""

    weights: tuple[float, ...]
    unknown: tuple[int, ...] = ()


def reciprocal(upper: Sequence[Sequence[float]]) -> Matrix:
    """The matrix whose rows right of the diagonal are these."""
    number = len(upper) + 1
    rows = [[1.0] * number for _ in range(number)]
    for i, judged in enumerate(upper):
        for j, value in enumerate(judged, i + 1):
            rows[i][j] = float(value)
            rows[j][i] = 1.0 / value
    return tuple(map(tuple, rows))


def matrix_of(rows: Sequence[Sequence[float | str]], names: Sequence[str]) -> Matrix | Verdict:
    """The matrix a person wrote down: whole, or only the rows right of the diagonal; `"1/7"` is a number too."""
    number = len(names)
    lengths = [len(row) for row in rows]
    whole = lengths == [number] * number
    if not whole and lengths != list(range(number - 1, 0, -1)):
        return refused(
            RULE,
            f"{number} rows of {number} numbers are needed, or the {number - 1} rows right of the diagonal with "
            f"{number - 1} down to 1 numbers; these are rows of {', '.join(map(str, lengths)) or 'nothing'}",
        )
    read = [[_number(entry) for entry in row] for row in rows]
    for i, row in enumerate(read):
        for at, value in enumerate(row):
            if not 1 / SCALE_END - 1e-3 <= value <= SCALE_END:
                pair = f"{names[i]} against {names[at if whole else i + 1 + at]}"
                return refused(RULE, f"{pair} is {rows[i][at]!r}; write a number from 1/9 to 9, such as 3 or '1/3'")
    if not whole:
        return reciprocal(read)
    verdict = _mirrored(read, names)
    return reciprocal([row[i + 1 :] for i, row in enumerate(read[:-1])]) if verdict.accepted else verdict


def _mirrored(rows: Sequence[Sequence[float]], names: Sequence[str]) -> Verdict:
    """Whether both halves say the same, and everything is worth once itself."""
    for i, row in enumerate(rows):
        if abs(row[i] - 1.0) > _ROUNDING:
            return refused(RULE, f"{names[i]} against itself is {plain(row[i])}; it has to be 1")
    for i, j in combinations(range(len(rows)), 2):
        there, back = rows[i][j], rows[j][i]
        if abs(there * back - 1.0) > _ROUNDING:
            return refused(
                RULE,
                f"{names[i]} is {plain(there)}× {names[j]}, so {names[j]} has to be {plain(1 / there)}× {names[i]}, "
                f"but {plain(back)} is given; correct one of the two",
            )
    return ACCEPTED


def _number(entry: float | str) -> float:
    """NaN for what is none: no comparison lets it through."""
    try:
        if isinstance(entry, str):
            above, _, below = entry.partition("/")
            return float(above) / float(below or 1)
        return float(entry)
    except (ValueError, TypeError, ZeroDivisionError, OverflowError):
        return float("nan")


def weigh(matrix: Matrix) -> Weighed:
    """By power iteration: a positive matrix has one largest eigenvalue, and its vector is reached from anywhere."""
    number = len(matrix)
    weights = [1.0 / number] * number
    largest = float(number)
    for _ in range(_MOST_ROUNDS):
        product = [fsum(map(mul, row, weights)) for row in matrix]
        # The weights sum to 1, so the sum of the product is the eigenvalue once they no longer move.
        largest = fsum(product)
        following = [value / largest for value in product]
        moved = max(abs(a - b) for a, b in zip(weights, following, strict=True))
        weights = following
        if moved < _CLOSE:
            break
    if number <= 2:
        return Weighed(tuple(weights), float(number), 0.0, 0.0)
    index = max(0.0, (largest - number) / (number - 1))
    return Weighed(tuple(weights), largest, index, index / random_index(number))


def random_index(number: int) -> float:
    """The mean CI of random judgements; beyond Saaty's table the line of Alonso and Lamata (2006)."""
    if number <= len(_RANDOM_INDEX):
        return _RANDOM_INDEX[number - 1]
    return (1.7699 * number - 4.3513) / (number - 1)


def check(matrix: Matrix, names: Sequence[str]) -> Verdict:
    """Whether these judgements can be used; the reason names the three that contradict each other most."""
    number = len(matrix)
    if number != len(names) or any(len(row) != number for row in matrix):
        return refused(RULE, f"{len(names)} names need as many rows and columns of judgements")
    for i, row in enumerate(matrix):
        for j, value in enumerate(row):
            if not 0.0 < value < inf:
                return refused(RULE, f"{names[i]} against {names[j]} is {value:g}; a judgement is above 0")
    verdict = _mirrored(matrix, names)
    if not verdict.accepted:
        return verdict
    weighed = weigh(matrix)
    return ACCEPTED if weighed.ratio <= HIGHEST_RATIO else refused(RULE, _contradiction(matrix, names, weighed))


def worst_triple(matrix: Matrix) -> tuple[int, int, int]:
    """i over j times j over k should be i over k; the three that are furthest from it."""
    return max(combinations(range(len(matrix)), 3), key=lambda three: _gap(matrix, *three))


def _gap(matrix: Matrix, i: int, j: int, k: int) -> float:
    return abs(log(matrix[i][j]) + log(matrix[j][k]) - log(matrix[i][k]))


def _contradiction(matrix: Matrix, names: Sequence[str], weighed: Weighed) -> str:
    # Said downwards, from what matters most: three things compared in pairs always have such a path. Where they run
    # in a circle, the judgement that all others speak against comes last.
    paths = [p for p in permutations(worst_triple(matrix)) if matrix[p[0]][p[1]] >= 1.0 and matrix[p[1]][p[2]] >= 1.0]
    a, b, c = max(paths, key=lambda p: round(abs(log(matrix[p[0]][p[2]] / _by_way_of_others(matrix, p[0], p[2]))), 9))
    first, second, third = names[a], names[b], names[c]
    one, other = matrix[a][b], matrix[b][c]
    return (
        f"{first} is {plain(one)}× {second} and {second} is {plain(other)}× {third}, so {first} should be about "
        f"{plain(one * other)}× {third}, but {plain(matrix[a][c])} is given (consistency ratio {weighed.ratio:.2f}, "
        f"at most {HIGHEST_RATIO:g}). {_remedy(matrix, names, ((a, c), (a, b), (b, c)))}"
    )


def _remedy(matrix: Matrix, names: Sequence[str], pairs: Sequence[tuple[int, int]]) -> str:
    """Which of these to change: the first if that is enough, else the one that brings the ratio down most."""
    tried = []
    written = [(min(pair), max(pair)) for pair in pairs]
    for place, (i, j) in enumerate(written):
        value = _on_scale(_by_way_of_others(matrix, i, j))
        ratio = weigh(_with(matrix, i, j, value)).ratio
        tried.append((max(ratio, HIGHEST_RATIO), place, ratio, value))
    _, place, ratio, value = min(tried)
    i, j = written[place]
    words = f"Set {names[i]} against {names[j]} to about {plain(value)} instead of {plain(matrix[i][j])}"
    enough = "." if ratio <= HIGHEST_RATIO else ", and look at what is named next."
    return f"{words}: the ratio falls to {ratio:.2f}{enough}"


def _by_way_of_others(matrix: Matrix, i: int, j: int) -> float:
    others = [k for k in range(len(matrix)) if k not in (i, j)]
    return exp(fsum(log(matrix[i][k] * matrix[k][j]) for k in others) / len(others))


def _with(matrix: Matrix, i: int, j: int, value: float) -> Matrix:
    rows = [list(row) for row in matrix]
    rows[i][j], rows[j][i] = value, 1.0 / value
    return tuple(map(tuple, rows))


def _on_scale(value: float) -> float:
    whole = min(SCALE_END, max(1.0, float(round(max(value, 1.0 / value)))))
    return whole if value >= 1.0 else 1.0 / whole


def plain(value: float) -> str:
    """A judgement as people write it: 3, 2.5, 1/7."""
    return f"{value:.3g}" if value >= 1.0 else f"1/{1.0 / value:.3g}"


def shares(values: Sequence[float | None], less_is_better: bool = False) -> Shares:
    """Each measurement over the sum of all, its reciprocal where less is better: the weights of the plain ratios.

    What is missing, negative, infinite or not a number says nothing, neither for nor against: it gets the average.
    Nought where less is better is infinitely good, so the noughts share the whole; all alike share evenly.
    """
    number = len(values)
    known = [value for value in values if value is not None and 0.0 <= value < inf]
    unknown: tuple[int, ...] = ()
    if len(known) < number:
        unknown = tuple(i for i, value in enumerate(values) if value is None or not 0.0 <= value < inf)
    # Measured by the best one, so that no sum overflows and no reciprocal does.
    best = (min(known) if less_is_better else max(known)) if known else 0.0
    if best == 0.0:
        scaled = [1.0 if less_is_better and value == 0.0 else 0.0 for value in known]
    else:
        scaled = [best / value for value in known] if less_is_better else [value / best for value in known]
    total = fsum(scaled)
    if total == 0.0:
        return Shares((1.0 / max(1, number),) * number, unknown)
    if not unknown:
        return Shares(tuple([value / total for value in scaled]))
    whole = total * number / len(known)
    weights = iter(scaled)
    missing = set(unknown)
    return Shares(tuple(1.0 / number if i in missing else next(weights) / whole for i in range(number)), unknown)


def rank(criteria: Sequence[float], alternatives: Sequence[Sequence[float]]) -> list[float]:
    """Of each alternative, its weights under the criteria times theirs; `alternatives` is by criterion."""
    return [fsum(map(mul, criteria, under)) for under in zip(*alternatives, strict=True)]
