"""Histories and plans."""

from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.revisit.classes import DAY, WEEK
from whimbrel.revisit.history import (
    PageHistory,
    Sighting,
    after_visit,
    change_rate,
    first_visit,
    packed,
    unpacked,
)
from whimbrel.revisit.plan import VARIES, Budget, VisitCandidate, choose, value, varied
from whimbrel.revisit.rule import Countdown
from whimbrel.revisit.trust import Witness


def lived(changed: list[bool], gap: float = DAY) -> PageHistory:
    history = first_visit(0.0)
    for number, one in enumerate(changed, 1):
        history = after_visit(history, Sighting(number * gap, one))
    return history


def test_a_history_counts() -> None:
    history = lived([True, False, True, False, False])
    assert (history.visits, history.changes, history.records, history.recent.bit_count()) == (6, 2, 5, 2)
    assert (history.first_at, history.visited_at, history.changed_at) == (0.0, 5 * DAY, 3 * DAY)


def test_the_papers_countdown_follows() -> None:
    assert lived([False] * 20).countdown == Countdown(19, 19)
    assert lived([True] * 30).countdown == Countdown(1, 1)


@given(st.lists(st.tuples(st.floats(0, 1e7), st.booleans(), st.none() | st.integers(0, 50)), max_size=80))
def test_a_history_stays_small_and_survives_packing(visits: list[tuple[float, bool, int | None]]) -> None:
    history, now = first_visit(1.7e9), 1.7e9
    for gap, changed, signals in visits:
        now += gap
        history = after_visit(history, Sighting(now, changed, signals), Witness(5.0, 2.0, 5.0, 1.0))
    assert unpacked(packed(history)) == history
    assert len(packed(history)) < 600
    assert history.belief.rate > 0


def test_visits_that_signals_brought_about_do_not_inflate_the_rate() -> None:
    """Each visit follows a signal and finds a change: by gaps alone the rate would grow beyond all bounds."""
    dice = Random(1)
    history = by_gaps = first_visit(0.0)
    now = 0.0
    honest = Witness(right_alarms=200.0, false_alarms=0.0, announced=200.0)
    for _ in range(150):
        now += dice.expovariate(1 / (3 * DAY))
        history = after_visit(history, Sighting(now, True, 1), honest)
        by_gaps = after_visit(by_gaps, Sighting(now, True))
    # Nothing is learned of unannounced changes here, so the weekly expectation of them is added to the announced ones.
    assert change_rate(history, honest) * 3 * DAY == pytest.approx(1 + 3 / 7, rel=0.15)
    assert change_rate(by_gaps) > 3 * change_rate(history, honest)


def candidate(key: int, history: PageHistory, **more: object) -> VisitCandidate:
    return msgspec.structs.replace(VisitCandidate(key, "h", history), **more)


def test_the_page_that_gains_most_comes_first() -> None:
    steady, restless = lived([True, False] * 20), lived([True] * 40)
    pages = [candidate(1, steady), candidate(2, restless), candidate(3, steady, importance=5.0)]
    chosen = choose(pages, 42 * DAY, Budget(3, waited_share=0.0), seed=1)
    assert chosen[0].key == 3
    assert [one.worth for one in chosen] == sorted((one.worth for one in chosen), reverse=True)
    assert all("fresh hours" in one.reason for one in chosen)


def test_a_signal_moves_a_page_up() -> None:
    history = lived([False] * 30)
    honest = Witness(50.0, 1.0, 50.0, 1.0)
    quiet = candidate(1, history, signals=0, witness=honest)
    announced = candidate(2, history, signals=1, witness=honest)
    assert value(announced, 31 * DAY) > 5 * value(quiet, 31 * DAY)
    liar = Witness(0.0, 500.0)
    assert value(candidate(3, history, signals=9, witness=liar), 31 * DAY) == value(candidate(4, history), 31 * DAY)


def test_no_host_gets_more_than_its_share() -> None:
    history = lived([True, False] * 10)
    pages = [candidate(key, history, host="a" if key < 50 else "b", importance=100.0 - key) for key in range(60)]
    chosen = choose(pages, 30 * DAY, Budget(visits=12, by_host=4), seed=3)
    assert sum(one.key < 50 for one in chosen) == 4
    assert sum(one.key >= 50 for one in chosen) == 4
    assert len({one.key for one in chosen}) == len(chosen)


def test_a_page_given_up_for_its_speed_is_still_seen() -> None:
    hopeless = lived([True] * 200, gap=60.0)
    calm = [candidate(key, lived([True, False] * 10)) for key in range(20)]
    seen = 0
    for turn in range(400):
        now = 30 * DAY + turn * 3600
        chosen = choose([candidate(99, hopeless), *calm], now, Budget(2), seed=turn)
        seen += any(one.key == 99 and one.reason.startswith("waited") for one in chosen)
    assert 5 <= seen <= 60


def test_the_same_arguments_give_the_same_plan_and_a_seed_settles_ties() -> None:
    pages = [candidate(key, lived([True])) for key in range(100)]
    first = choose(pages, 9 * DAY, Budget(10), seed=1)
    assert first == choose(list(reversed(pages)), 9 * DAY, Budget(10), seed=1)
    assert [one.key for one in first] != [one.key for one in choose(pages, 9 * DAY, Budget(10), seed=2)]


def test_nothing_to_spend_and_nothing_to_visit() -> None:
    assert choose([candidate(1, lived([True]))], 9 * DAY, Budget(0), seed=1) == []
    assert choose([], 9 * DAY, Budget(5), seed=1) == []


def test_visiting_hours_vary() -> None:
    moments = [varied(WEEK, 7, turn, seed=1) for turn in range(500)]
    assert all(abs(moment - WEEK) <= VARIES * WEEK for moment in moments)
    hours = {int(moment % DAY // 3600) for moment in moments}
    assert len(hours) == 24
    assert varied(WEEK, 7, 3, seed=1) == moments[3]
