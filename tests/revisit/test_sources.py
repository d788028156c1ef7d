"""Sources of new pages: what they may be expected to lead to, and what that is worth."""

from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.revisit.classes import DAY, HOUR, WEEK
from whimbrel.revisit.history import first_visit
from whimbrel.revisit.plan import Budget, VisitCandidate, choose, value
from whimbrel.revisit.rate import Belief
from whimbrel.revisit.sources import (
    NEW_PAGE_IMPORTANCE,
    NO_FINDS,
    NOTHING_USUAL,
    WEIGHTS,
    YOUNG_SECONDS,
    Finds,
    rate_of_new,
    usual_of,
    worth_of_source,
)

RATES, TIMES = st.floats(1e-9, 1e-2), st.floats(60.0, 1e7)


def test_the_worth_is_that_of_its_definition() -> None:
    """What waits so far, each new page by what it has lost, less the mean loss: summed over small steps."""
    rate, elapsed, theta = 3 / DAY, 5 * DAY, 1 / YOUNG_SECONDS
    steps = 20_000
    losses = [(1 - exp(-theta * elapsed * (n + 0.5) / steps)) / theta for n in range(steps)]
    at_the_end = (1 - exp(-theta * elapsed)) / theta
    expected = NEW_PAGE_IMPORTANCE * rate * (elapsed * at_the_end - sum(losses) * elapsed / steps)
    assert worth_of_source(rate, elapsed) == pytest.approx(expected, rel=1e-4)


@given(RATES, TIMES, st.floats(1.01, 10))
def test_more_links_and_more_time_are_worth_more(rate: float, elapsed: float, more: float) -> None:
    assert worth_of_source(rate * more, elapsed) > worth_of_source(rate, elapsed)
    assert worth_of_source(rate, elapsed * more) >= worth_of_source(rate, elapsed)


def test_what_was_found_outweighs_what_is_usual() -> None:
    usual = usual_of([Finds(20, 10 * DAY), *[Finds(0, 10 * DAY)] * 99])
    mean = usual.sources.rate
    assert mean == pytest.approx(20 / (1_000 * DAY))
    assert rate_of_new(Finds(20, 10 * DAY), usual) == pytest.approx(2 / DAY, rel=0.4)
    assert rate_of_new(NO_FINDS, usual) == pytest.approx(mean)
    assert rate_of_new(Finds(0, 100 * DAY), usual) < mean
    assert usual_of([]) == NOTHING_USUAL
    assert rate_of_new(Finds(3, DAY), NOTHING_USUAL) == 0.0


def test_a_page_that_changes_and_leads_nowhere_is_no_list() -> None:
    lists = [Finds(2, 20 * DAY, fruitful=2)] * 30 + [Finds(0, 20 * DAY)] * 30
    pages = [Finds(0, 20 * DAY, barren=4)] * 400
    usual = usual_of([*lists, *pages])
    assert usual.sources.rate == pytest.approx(1 / (20 * DAY)), "that of lists, whatever else the site has"
    assert rate_of_new(Finds(0, 20 * DAY), usual) > rate_of_new(Finds(0, 20 * DAY, barren=4), usual) == 0.0
    often = Finds(9, 20 * DAY, fruitful=5, barren=4)
    assert not often.leads_nowhere, "a list may also change otherwise"
    assert rate_of_new(often, usual) > usual.sources.rate


def test_how_far_sources_differ_is_learned() -> None:
    alike = usual_of([Finds(count, 20 * DAY, count) for count in (4, 5, 6, 5, 4, 5, 6, 5) * 5])
    unlike = usual_of([Finds(200, 20 * DAY, 20), *[Finds(0, 20 * DAY)] * 39])
    assert (alike.sources.weight, unlike.sources.weight) == (WEIGHTS[-1], WEIGHTS[0])
    assert alike.sources.rate == unlike.sources.rate
    new = Finds(0, 10 * DAY)
    assert rate_of_new(new, alike) > 5 * rate_of_new(new, unlike)


def test_of_many_sources_without_finds_a_part_says_the_same() -> None:
    few = [*[Finds(3, 20 * DAY, 3)] * 10, *[Finds(0, 20 * DAY)] * 90]
    assert usual_of(few * 200) == usual_of(few * 2)


def test_a_list_that_changes_too_fast_is_given_up_for_itself_and_visited_for_what_it_leads_to() -> None:
    fast = first_visit(0.0, Belief(50.0, 50.0 * HOUR))
    slow = first_visit(0.0, Belief(50.0, 50.0 * WEEK))
    pages = [VisitCandidate(1, "", fast), VisitCandidate(2, "", slow)]
    budget = Budget(1, waited_share=0.0)
    assert [one.key for one in choose(pages, 2 * DAY, budget, 1)] == [2]
    listing = VisitCandidate(1, "", fast, leads_to=1 / HOUR)
    (chosen,) = choose([listing, pages[1]], 2 * DAY, budget, 1)
    assert chosen.key == 1
    assert "new pages it leads to" in chosen.reason
    assert value(listing, 2 * DAY) > value(pages[0], 2 * DAY)
