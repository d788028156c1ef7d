"""Rates from visits that only say whether the page changed."""

from math import exp, expm1, log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from whimbrel.revisit.classes import DAY, WEEK
from whimbrel.revisit.history import expected_age, first_visit
from whimbrel.revisit.rate import NO_GAPS, WEEKLY, Belief, Gaps, believed, observed

VISITS = st.lists(st.tuples(st.floats(1.0, 1e8), st.booleans()), max_size=60)


def gaps_of(visits: list[tuple[float, bool]], memory: float = 1.0) -> Gaps:
    gaps = NO_GAPS
    for seconds, changed in visits:
        gaps = observed(gaps, seconds, float(changed), memory)
    return gaps


def simulated(rate: float, gap: float, number: int, seed: int) -> list[tuple[float, bool]]:
    dice = Random(seed)
    gaps = [gap * dice.uniform(0.2, 2.0) for _ in range(number)]
    return [(one, dice.random() < -expm1(-rate * one)) for one in gaps]


def test_nothing_known_is_weekly() -> None:
    assert believed(NO_GAPS).rate == pytest.approx(1 / WEEK)


def test_regular_visits_have_the_known_maximum() -> None:
    """Cho and Garcia-Molina: with equal gaps the maximum is −ln(share unchanged)/gap; the prior is next to none."""
    visits = [(DAY, number % 4 == 0) for number in range(4000)]
    belief = believed(gaps_of(visits), Belief(1e-6, 1e-6 * WEEK))
    assert belief.rate == pytest.approx(-log(3 / 4) / DAY, rel=1e-3)


def test_the_naive_share_of_visits_would_be_too_low() -> None:
    true = 2 / DAY
    belief = believed(gaps_of(simulated(true, DAY, 4000, seed=1)))
    assert belief.rate == pytest.approx(true, rel=0.07)
    assert sum(changed for _, changed in simulated(true, DAY, 4000, seed=1)) / 4000 < 0.9 * true * DAY


@pytest.mark.parametrize("changes_a_day", [0.01, 0.1, 1.0, 3.0])
def test_irregular_visits(changes_a_day: float) -> None:
    belief = believed(gaps_of(simulated(changes_a_day / DAY, DAY, 5000, seed=2)))
    assert belief.rate == pytest.approx(changes_a_day / DAY, rel=0.2)
    # The belief's own doubt (a relative deviation of shape^-½) covers its error.
    assert abs(log(belief.rate * DAY / changes_a_day)) < 3 / belief.shape**0.5


def test_few_visits_do_not_explode() -> None:
    always, never = believed(gaps_of([(60.0, True)] * 2)), believed(gaps_of([(60.0, False)] * 2))
    assert 1 / WEEK < always.rate < 10 / WEEK
    assert never.rate == pytest.approx(1 / WEEK, rel=0.01)


def test_old_visits_fade() -> None:
    gaps = gaps_of([(DAY, True)] * 200, memory=0.985)
    gaps_then = gaps
    for _ in range(200):
        gaps_then = observed(gaps_then, DAY, 0.0)
    assert believed(gaps_then).rate < believed(gaps).rate / 20


def test_what_is_kept_stays_small() -> None:
    dice = Random(3)
    gaps = gaps_of([(exp(dice.uniform(0, 18)), True) for _ in range(5000)])
    assert len(gaps.changed) <= 27


@given(VISITS)
def test_the_estimate_is_the_top_of_the_posterior(visits: list[tuple[float, bool]]) -> None:
    gaps = gaps_of(visits)
    belief = believed(gaps)

    def height(rate: float) -> float:
        changed = sum(weight * log(-expm1(-rate * total / weight)) for _, weight, total in gaps.changed)
        return WEEKLY.shape * log(rate) - (WEEKLY.seconds + gaps.quiet_seconds) * rate + changed

    top = height(belief.rate)
    assert top >= height(belief.rate * 1.05)
    assert top >= height(belief.rate / 1.05)
    assert belief.shape > 0


@given(VISITS, st.floats(1.0, 1e7))
def test_a_change_raises_the_rate_and_rest_lowers_it(visits: list[tuple[float, bool]], gap: float) -> None:
    gaps = gaps_of(visits)
    now = believed(gaps).rate
    # Gaps of one bin stand for their mean, which may stray this far.
    assert believed(observed(gaps, gap, 1.0, memory=1.0)).rate >= now * (1 - 1e-4)
    assert believed(observed(gaps, gap, 0.0, memory=1.0)).rate <= now * (1 + 1e-6)


@pytest.mark.parametrize("shape", [0.4, 1.0, 3.0])
def test_the_expected_age_is_that_of_drawn_pages(shape: float) -> None:
    """Age is the time since the first change that was not seen, nought where there was none."""
    dice, elapsed = Random(3), 25.0
    history = replace(first_visit(0.0), belief=Belief(shape, shape * 10.0))
    ages = []
    for _ in range(60_000):
        rate = dice.gammavariate(shape, 1 / history.belief.seconds) + 1e-12
        ages.append(max(0.0, elapsed - dice.expovariate(rate)))
    assert expected_age(history, elapsed) == pytest.approx(sum(ages) / len(ages), rel=0.02)
    assert expected_age(history, 0.0) == 0.0
