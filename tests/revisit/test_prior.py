"""What few visits to many pages say about the next page of their site."""

from math import exp, log
from random import Random

import pytest

from whimbrel.revisit.classes import DAY, WEEK
from whimbrel.revisit.prior import LEAST_PAGES, common_prior, loose_prior
from whimbrel.revisit.rate import NO_GAPS, WEEKLY, Gaps, observed


def visited(dice: Random, rate: float, visits: int, gap: float) -> Gaps:
    gaps = NO_GAPS
    for _ in range(visits):
        gaps = observed(gaps, gap, float(dice.random() < 1 - exp(-rate * gap)), memory=1.0)
    return gaps


def site(seed: int, middle: float, spread: float, pages: int = 300, visits: int = 4) -> list[Gaps]:
    dice = Random(seed)
    return [visited(dice, dice.lognormvariate(log(middle), spread), visits, 2 * DAY) for _ in range(pages)]


@pytest.mark.parametrize(("days", "spread"), [(3, 0.5), (3, 1.2), (10, 0.8)])
def test_the_spread_of_a_sites_rates_is_found_from_four_visits_each(days: float, spread: float) -> None:
    prior = common_prior(site(1, 1 / (days * DAY), spread))
    typical = exp(log(prior.rate) - 1 / (2 * prior.shape))  # nearly the mean of the logarithm
    assert typical == pytest.approx(1 / (days * DAY), rel=0.35)


def test_pages_that_differ_more_make_a_weaker_expectation() -> None:
    alike, unlike = (common_prior(site(2, 1 / (3 * DAY), spread)) for spread in (0.3, 2.0))
    assert alike.shape > 2 * unlike.shape


def test_pages_that_always_rest_or_always_change_pull_the_expectation_along() -> None:
    resting, busy = ([visited(Random(1), rate, 4, 2 * DAY)] * 20 for rate in (0.0, 1.0))
    assert common_prior(resting).rate < WEEKLY.rate / 3
    assert common_prior(busy).rate > 3 * WEEKLY.rate


def test_a_handful_of_pages_or_of_single_visits_says_nothing() -> None:
    few = site(3, 1 / DAY, 0.5, pages=LEAST_PAGES - 1)
    assert common_prior(few) == WEEKLY
    assert common_prior([*few, *[NO_GAPS] * 50]) == WEEKLY


def test_a_loose_prior_has_the_rate_of_the_site_and_the_doubt_of_knowing_nothing() -> None:
    visits = [Gaps(400 * WEEK, ((0, 1.0, 40 * WEEK),)) for _ in range(20)]
    assert loose_prior(visits).rate == pytest.approx(common_prior(visits).rate)
    assert loose_prior(visits).rate < 0.05 / WEEK
    assert loose_prior(visits).shape == WEEKLY.shape
    assert loose_prior([]) == WEEKLY
