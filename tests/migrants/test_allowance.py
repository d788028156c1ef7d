"""A budget of visits: spent when a task goes out, given back when it comes home untouched."""

import pytest
from test_books import NOW, ledger_of, plant, proxy, settle, store, visit_of

from whimbrel.migrants.home.allowance import Allowance
from whimbrel.migrants.wire import messages as wire
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome, Visit
from whimbrel.repository.embedded.store import Store
from whimbrel.urls.normal import key as key_of

__all__ = ["store"]

URLS = [f"http://h{n % 3}.example/{n}" for n in range(30)]


def test_without_a_budget_nothing_is_ever_spent() -> None:
    allowance = Allowance(None)
    for key in range(1000):
        allowance.spend(key)
    assert (allowance.most(7), allowance.left, allowance.spent) == (7, None, False)


def test_only_what_was_handed_out_here_is_given_back() -> None:
    allowance = Allowance(2)
    allowance.spend(1)
    allowance.give_back(5)
    assert (allowance.left, allowance.most(9)) == (1, 1)
    allowance.give_back(1)
    allowance.give_back(1)
    assert allowance.left == 2
    for key in (3, 4):
        allowance.spend(key)
    assert (allowance.spent, allowance.most(9)) == (True, 0)


@pytest.mark.parametrize("budget", [1, 5, 29, 30, 31])
def test_no_more_tasks_go_out_than_are_allowed_however_many_lanes_and_hands(store: Store, budget: int) -> None:
    plant(store, *URLS)
    ledger = ledger_of(store)
    ledger.allowance = Allowance(budget)
    hands = [proxy("m1"), proxy("m2")]
    for turn in range(3):
        ledger.hand_out(hands, NOW + turn)
    assert sum(len(one.leases) for one in hands) == min(budget, len(URLS))
    assert ledger.allowance.spent == (budget <= len(URLS))


def left_alone(url: str, rule: str) -> Visit:
    return Visit(key_of(Url(url)), Url(url), 0, Outcome.DISCOVERED, rule, "away", 0, NOW, 0, retry_in_seconds=60.0)


@pytest.mark.parametrize(("rule", "left"), [("connect", 1), (wire.BUSY, 0)])
def test_a_host_that_was_not_asked_costs_nothing_and_one_that_was_busy_does(store: Store, rule: str, left: int) -> None:
    plant(store, URLS[0])
    ledger, one = ledger_of(store), proxy("m1")
    ledger.allowance = Allowance(1)
    ledger.hand_out([one], NOW)
    assert ledger.allowance.spent
    assert ledger.claim([(one, wire.Parcel(1, [left_alone(URLS[0], rule)], [], [], []))]) == []
    assert ledger.allowance.left == left


def test_what_a_dead_migrant_held_may_be_handed_out_again(store: Store) -> None:
    plant(store, *URLS)
    ledger, dead, heir = ledger_of(store), proxy("m1"), proxy("m2")
    ledger.allowance = Allowance(4)
    ledger.hand_out([dead], NOW)
    assert len(dead.leases) == 4
    ledger.hands.take_back(dead, None)
    ledger.hand_out([heir], NOW)
    assert len(heir.leases) == 4


def test_a_try_that_failed_stays_spent(store: Store) -> None:
    plant(store, URLS[0])
    ledger, one = ledger_of(store), proxy("m1")
    ledger.allowance = Allowance(1)
    ledger.hand_out([one], NOW)
    retry = visit_of(URLS[0], outcome=Outcome.UNREACHABLE, retry_in_seconds=1.0)
    settle(store, ledger, ledger.claim([(one, wire.Parcel(1, [retry], [], [], []))]), NOW)
    ledger.hand_out([one], NOW + 2)
    assert (ledger.allowance.spent, one.leases) == (True, {})
