"""What to expect of a page of a site before its own visits tell: the spread of the rates of the site's pages.

Few visits say little of one page and much of a hundred together (empirical Bayes). Rates are taken to be log-normal
over a site; mean and variance are those under which what all visits found is most likely, by expectation and
maximisation over a grid of rates. Planning works with Gamma distributions, so the one with that mean and variance of
log λ is given.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from math import exp, expm1, log

from whimbrel.revisit.classes import YEAR
from whimbrel.revisit.rate import WEEKLY, Belief, Gaps

MOST_PAGES = 400
"""More hardly move the estimate, and each takes part of a millisecond."""
LEAST_PAGES = 5
_SLOWEST, _FASTEST, _POINTS = 1 / (20 * YEAR), 1 / 300.0, 41
_GRID = tuple(log(_SLOWEST) + log(_FASTEST / _SLOWEST) * step / (_POINTS - 1) for step in range(_POINTS))
_ROUNDS = 12
_FIRST_VARIANCE = 4.0
_PAGES_ASSUMED = 2.0
"""As if that many pages had been seen to differ by a factor of e: pages that all rest so far are not all alike."""
_SHAPES = (0.3, 5.0)


def common_prior(visits: Iterable[Gaps]) -> Belief:
    """What to expect of a page of the site whose pages were visited so; `WEEKLY` while too few were."""
    told = islice((gaps for gaps in visits if gaps.quiet_seconds or gaps.changed), MOST_PAGES)
    likely = [_log_likelihood(gaps) for gaps in told]
    if len(likely) < LEAST_PAGES:
        return WEEKLY
    mean, variance = log(WEEKLY.rate), _FIRST_VARIANCE
    for _ in range(_ROUNDS):
        mean, variance = _fitted(likely, mean, variance)
    shape = _shape_of(variance)
    return Belief(shape, exp(_digamma(shape) - mean))


def loose_prior(visits: Iterable[Gaps]) -> Belief:
    """The same rate, as easily corrected as where nothing is known. Where changes are announced, visits tell of the
    unannounced ones alone: they give the scale, years or minutes, and little about one page."""
    return Belief(WEEKLY.shape, WEEKLY.shape / common_prior(visits).rate)


def _log_likelihood(gaps: Gaps) -> list[float]:
    return [
        sum(weight * _log_changed(rate * total / weight) for _, weight, total in gaps.changed)
        - rate * gaps.quiet_seconds
        for rate in map(exp, _GRID)
    ]


def _log_changed(expected: float) -> float:
    return log(-expm1(-expected)) if expected < 40 else 0.0


def _fitted(likely: Sequence[Sequence[float]], mean: float, variance: float) -> tuple[float, float]:
    """Mean and variance of log λ over all pages, each weighed by what is thought of them so far."""
    before = [-((place - mean) ** 2) / (2 * variance) for place in _GRID]
    total = squares = 0.0
    for page in likely:
        logs = [own + common for own, common in zip(page, before, strict=True)]
        top = max(logs)
        weights = [exp(one - top) for one in logs]
        whole = sum(weights)
        total += sum(weight * place for weight, place in zip(weights, _GRID, strict=True)) / whole
        squares += sum(weight * place * place for weight, place in zip(weights, _GRID, strict=True)) / whole
    pages = len(likely)
    middle = total / pages
    spread = max(0.0, squares - pages * middle * middle)
    return middle, (spread + _PAGES_ASSUMED) / (pages + _PAGES_ASSUMED)


def _shape_of(variance: float) -> float:
    """The Gamma distribution whose logarithm has this variance, by halving: trigamma falls."""
    low, high = _SHAPES
    for _ in range(40):
        middle = (low * high) ** 0.5
        if _trigamma(middle) > variance:
            low = middle
        else:
            high = middle
    return low


def _digamma(x: float) -> float:
    """Asymptotic series after the recurrence (Abramowitz and Stegun 6.3.5, 6.3.18)."""
    below = 0.0
    while x < 6:
        below -= 1 / x
        x += 1
    return below + log(x) - 1 / (2 * x) - 1 / (12 * x**2) + 1 / (120 * x**4)


def _trigamma(x: float) -> float:
    """Likewise (6.4.6, 6.4.12)."""
    below = 0.0
    while x < 6:
        below += 1 / (x * x)
        x += 1
    return below + 1 / x + 1 / (2 * x**2) + 1 / (6 * x**3) - 1 / (30 * x**5)
