"""What a visit buys."""

from math import exp
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.revisit.rate import Belief
from whimbrel.revisit.worth import (
    SignalRates,
    freshness,
    staleness,
    worth,
    worth_announced,
    worth_believed,
)

RATES = st.floats(1e-9, 1e-2)
TIMES = st.floats(1.0, 1e8)


def test_the_formulas_of_the_specification() -> None:
    assert freshness(2.0, 3.0) == pytest.approx((1 - exp(-6)) / 6)
    assert worth(2.0, 3.0, 5.0) == pytest.approx(5 / 2 * (1 - 7 * exp(-6)))
    assert freshness(0.0, 3.0) == 1.0


@given(RATES, TIMES)
def test_worth_is_what_freshness_gains_by_the_visit_rate(rate: float, interval: float) -> None:
    """V is the derivative of freshness after visits a second: the price at which an interval is just worth while."""
    step = 1e-4 * interval
    gain = freshness(rate, interval - step) - freshness(rate, interval + step)
    visits = 1 / (interval - step) - 1 / (interval + step)
    if rate * interval > 1e-3 and gain > 1e-9:
        assert worth(rate, interval) == pytest.approx(gain / visits, rel=1e-2)


@given(RATES, TIMES, st.floats(1.01, 10))
def test_worth_grows_with_time_and_importance(rate: float, elapsed: float, factor: float) -> None:
    assert worth(rate, elapsed * factor) >= worth(rate, elapsed)
    assert worth(rate, elapsed, factor) == pytest.approx(factor * worth(rate, elapsed))


def test_a_page_that_changes_too_fast_is_not_worth_following() -> None:
    assert worth(100.0, 10.0) < worth(0.5, 10.0)


@given(RATES, TIMES)
def test_a_sure_belief_is_a_known_rate(rate: float, elapsed: float) -> None:
    assert worth_believed(Belief(1e7, 1e7 / rate), elapsed) == pytest.approx(worth(rate, elapsed), rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("shape", [0.4, 1.0, 1.0000000001, 3.0])
def test_doubt_is_averaged_over(shape: float) -> None:
    dice = Random(1)
    belief = Belief(shape, shape * 10.0)
    drawn = [worth(dice.gammavariate(shape, 1 / belief.seconds) + 1e-12, 25.0) for _ in range(60_000)]
    assert worth_believed(belief, 25.0) == pytest.approx(sum(drawn) / len(drawn), rel=0.03)


def test_without_signals_the_announced_worth_is_the_plain_one() -> None:
    assert worth_announced(SignalRates(0.3, 0.0, 0.5), 4.0, 0) == pytest.approx(worth(0.3, 4.0))
    nearly = SignalRates(0.3, 1e-9, 0.5)
    assert worth_announced(nearly, 4.0, 0) == pytest.approx(worth(0.3, 4.0), rel=1e-5)


def test_the_chance_of_being_stale() -> None:
    page = SignalRates(unannounced=0.1, signals=0.5, precision=0.8)
    assert exp(-staleness(page, 3.0, 2)) == pytest.approx(exp(-0.3) * 0.2**2)
    assert (page.rate, page.recall) == (pytest.approx(0.5), pytest.approx(0.8))


def test_the_cycle_is_that_of_a_simulation() -> None:
    """V from its definition: fresh time of the cycle less its length times the chance to be fresh at its end."""
    page = SignalRates(unannounced=0.2, signals=0.7, precision=0.4)
    reached = staleness(page, 5.0, 1)
    dice = Random(2)
    collected = length = 0.0
    cycles = 40_000
    for _ in range(cycles):
        at = s = 0.0
        while True:
            until_signal = dice.expovariate(page.signals)
            until_end = (reached - s) / page.unannounced
            lived = min(until_signal, until_end)
            collected += exp(-s) * (1 - exp(-page.unannounced * lived)) / page.unannounced
            at += lived
            s += page.unannounced * lived + page.doubt
            if until_end <= until_signal or s >= reached:
                break
        length += at
    simulated = (collected - exp(-reached) * length) / cycles
    assert worth_announced(page, 5.0, 1) == pytest.approx(simulated, rel=0.03)


@given(
    st.floats(1e-8, 1e-3), st.floats(1e-8, 1e-3), st.floats(0.01, 0.999), st.floats(60, 1e7), st.integers(0, 400)
)  # fmt: skip
def test_a_signal_never_lowers_the_worth(
    a: float, signals: float, precision: float, elapsed: float, heard: int
) -> None:
    page = SignalRates(a, signals, precision)
    now = worth_announced(page, elapsed, heard)
    assert 0 <= now <= 1.001 / page.rate
    assert worth_announced(page, elapsed, heard + 1) >= 0.97 * now - 1e-6 / page.rate
