"""The next tasks of a lane: in the order of the queue, or the best of a pool of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from whimbrel.flows.gather.deciding import Gathering, Terms
from whimbrel.frontier.order import URGENT_BAND, Order
from whimbrel.frontier.traps import TrapSettings
from whimbrel.frontier.watch import Watch
from whimbrel.migrants.home.window import Window
from whimbrel.records.url import Url
from whimbrel.records.visit import Link
from whimbrel.repository.contract import LeaseWanted, Plan
from whimbrel.repository.embedded.store import Store
from whimbrel.urls.normal import key as key_of

NOW = 1_000.0
HOST = "a.example"
PATHS = [f"http://{HOST}/{name}" for name in ("one", "two", "three", "four", "five", "six")]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "window")
    yield opened
    opened.close()


def plant(store: Store, order: Order, *urls: str) -> int:
    links = [Link(key_of(Url(url)), Url(url), 0, 0, False, "", "") for url in urls]
    terms = Terms(None, None, order)
    store.commit(Gathering(store, terms, Watch(TrapSettings(), lambda _: None, 100), NOW).plant(links).plan, NOW)
    lane = store.lane(HOST)
    assert lane is not None
    return lane


def names(places: list[object]) -> list[str]:
    return [str(known.url).rpartition("/")[2] for _, known in places]  # type: ignore[misc, attr-defined]


@pytest.mark.parametrize(
    ("order", "first"), [(Order.BREADTH, ["one", "two", "three"]), (Order.DEPTH, ["six", "five", "four"])]
)
def test_breadth_takes_the_oldest_and_depth_the_newest(store: Store, order: Order, first: list[str]) -> None:
    lane = plant(store, order, *PATHS)
    assert names(Window(store, order).next(LeaseWanted(lane, 3, NOW))) == first  # type: ignore[arg-type]


def test_what_is_leased_is_passed_over_and_what_waits_is_left(store: Store) -> None:
    lane = plant(store, Order.BREADTH, *PATHS)
    window = Window(store, Order.BREADTH)
    (first, _), (_, second) = window.next(LeaseWanted(lane, 2, NOW))
    held = {first.key, second.key}
    assert names(window.next(LeaseWanted(lane, 9, NOW, held))) == ["three", "four", "five", "six"]  # type: ignore[arg-type]


@pytest.mark.parametrize("order", [Order.COVERAGE, Order.PRIORITY])
def test_what_is_urgent_comes_before_what_is_worth_most(store: Store, order: Order) -> None:
    lane = plant(store, order, *PATHS)
    urgent = key_of(Url(PATHS[4]))
    (place,) = store.places_of([urgent])
    store.commit(Plan(done=[place], queued=[(urgent, HOST, URGENT_BAND, 0.0)]), NOW)
    places = Window(store, order).next(LeaseWanted(lane, 3, NOW))
    assert len(places) == 3
    assert places[0][1].key == urgent


@pytest.mark.parametrize("order", list(Order))
def test_every_place_is_given_once_whatever_the_order(store: Store, order: Order) -> None:
    lane = plant(store, order, *PATHS)
    window, given = Window(store, order), set[int]()
    for _ in PATHS:
        ((lease, _),) = window.next(LeaseWanted(lane, 1, NOW, given))
        assert lease.key not in given
        given.add(lease.key)
    assert window.next(LeaseWanted(lane, 1, NOW, given)) == []
