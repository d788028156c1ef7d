"""What a person sends along while a crawl runs comes before all others, known or not."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_home import Home, lane
from test_books import NOW, TERMS, plant, proxy, settle, visit_of

from whimbrel.migrants.home.choice import Strategy
from whimbrel.migrants.home.chooser import Chooser
from whimbrel.migrants.home.errands import Errands
from whimbrel.migrants.home.intake import Intake, SentUrls, Sown, as_seeds
from whimbrel.migrants.home.progress import Progress
from whimbrel.migrants.home.trips import Trip
from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.itinerary import URGENT
from whimbrel.records.url import Url
from whimbrel.repository.embedded.store import Store
from whimbrel.testing.web import TinyWeb
from whimbrel.urls.normal import key as key_of


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "folder")
    yield opened
    opened.close()


def url(number: int) -> str:
    return f"http://127.0.0.1/{number}"


def sow(intake: Intake, *urls: str, only_waiting: bool = False) -> SentUrls:
    async def sown() -> SentUrls:
        answer: asyncio.Future[SentUrls] = asyncio.get_running_loop().create_future()
        intake.sow([Sown(as_seeds([Url(one) for one in urls]), answer, only_waiting)], NOW)
        return await answer

    return asyncio.run(sown())


def test_a_known_url_that_is_sent_comes_next_wherever_it_stood(store: Store) -> None:
    plant(store, *(url(number) for number in range(2_000)))
    chooser = Chooser(Strategy.WEIGHTED_ROUND_ROBIN)
    intake = Intake(store, TERMS, chooser, Errands(store), Progress(NOW), resumed=False)
    ledger, one = intake.ledger, proxy("m1")
    ledger.load(NOW)
    ledger.hand_out([one], NOW)
    in_hand = [store.known([key])[key].url for key in one.leases]
    visited, leased = in_hand[0], in_hand[700]
    settle(store, ledger, ledger.claim([(one, wire.Parcel(1, [visit_of(visited)], [], [], []))]), NOW)
    far = next(url(number) for number in range(1_999, 0, -1) if url(number) not in in_hand)

    assert sow(intake, visited, leased, far, url(5_000)) == SentUrls(new=1, sooner=1, again=1, in_hand=1)
    for key in list(one.leases)[:700]:  # room for more
        if key != key_of(Url(leased)):
            ledger.drop_leases(one, [key])
    given = ledger.hand_out([one], NOW)["m1"]
    urgent = [task.url for each in given[Trip(URGENT)] for task in each.tasks]
    assert sorted(urgent) == sorted([visited, leased, far, url(5_000)])
    waiting = store.places_of([key_of(Url(each)) for each in urgent])
    assert len(waiting) == 4, "each has one place in the queue"


def test_only_what_waits_is_hastened_and_nothing_becomes_a_seed(store: Store) -> None:
    plant(store, *(url(number) for number in range(2_000)))
    seeds = store.seeds()
    intake = Intake(store, TERMS, Chooser(Strategy.WEIGHTED_ROUND_ROBIN), Errands(store), Progress(NOW), resumed=False)
    intake.ledger.load(NOW)
    assert sow(intake, url(1_990), url(5_000), only_waiting=True) == SentUrls(new=0, sooner=1, again=0, in_hand=0)
    given = intake.ledger.hand_out([proxy("m1")], NOW)["m1"]
    assert [task.url for each in given[Trip(URGENT)] for task in each.tasks] == [url(1_990)]
    assert store.seeds() == seeds


def test_a_task_that_a_migrant_has_in_hand_is_done_next_and_once() -> None:
    pages = {f"/{number}": f"<p>{number}" for number in range(5)}
    with TinyWeb(pages) as web, Home() as home:
        home.begin(web.url("/0"), delay_seconds=30)
        home.work([lane(web.url(path) for path in web.pages)])
        home.hear_until(lambda: bool(home.parcels))
        home.work([lane([web.url("/3")])], priority=1)
        home.say(wire.Release(1, []))
        (back,) = home.hear(wire.Luggage).lanes
    assert [task.url for task in back.tasks] == [web.url(f"/{number}") for number in (3, 0, 1, 2, 4)]
