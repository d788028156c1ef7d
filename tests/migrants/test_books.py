"""The books under stress: nothing due is forgotten, nobody is asked for nothing, and lies do not end the crawl."""

import asyncio
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import understudy
from watched import NOWHERE, Watched, bounded

from folders import crawl, rows
from shop_site import shop
from whimbrel.cli.main import main
from whimbrel.flows.gather.deciding import Gathering, Terms
from whimbrel.frontier.order import Order, revisit_band
from whimbrel.frontier.traps import TrapSettings
from whimbrel.frontier.watch import Watch
from whimbrel.migrants.home.choice import Strategy
from whimbrel.migrants.home.chooser import Chooser
from whimbrel.migrants.home.ledger import Ledger
from whimbrel.migrants.home.lifecycle import MigrantState
from whimbrel.migrants.home.places import MigrantPlace
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.wire import messages as wire
from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED
from whimbrel.records.visit import Link, Outcome, Visit
from whimbrel.repository.contract import Lease, Plan, Queued, RobotsCopy
from whimbrel.repository.embedded.store import Store
from whimbrel.testing.web import TinyWeb, site
from whimbrel.urls.normal import host
from whimbrel.urls.normal import key as key_of

TERMS = Terms(None, None, Order.BREADTH)
NOW = 1_000.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "books")
    yield opened
    opened.close()


def plant(store: Store, *urls: str, now: float = NOW) -> None:
    links = [Link(key_of(Url(url)), Url(url), 0, 0, False, "", "") for url in urls]
    gathered = Gathering(store, TERMS, Watch(TrapSettings(), lambda _: None, 100), now).plant(links)
    store.commit(gathered.plan, now)


def proxy(name: str) -> Proxy:
    made = Proxy(name, MigrantPlace(), "", 0.0)
    made.state = MigrantState.ACTIVE
    return made


def ledger_of(store: Store, chooser: Any = None) -> Ledger:
    ledger = Ledger(store, lambda *_: ACCEPTED, Order.BREADTH, chooser or (lambda _, ready, __: ready[0]), False)
    ledger.load(NOW)
    return ledger


def settle(store: Store, ledger: Ledger, visits: list[tuple[Any, Any]], now: float) -> None:
    gathered = Gathering(store, TERMS, Watch(TrapSettings(), lambda _: None, 100), now).take(visits)
    store.commit(gathered.plan, now)
    ledger.settle(gathered, now)


def visit_of(url: str, **said: Any) -> Visit:
    return Visit(
        key_of(Url(url)), Url(url), 0, said.pop("outcome", Outcome.FAILED), "http_404", "", 404, NOW, 0, **said
    )


def test_what_one_holder_postponed_is_not_forgotten_while_the_other_is_busy(store: Store) -> None:
    """A shared host: the first holder has only a retry left, which comes due while the second has enough at hand."""
    urls = [f"http://127.0.0.1/{n}" for n in range(4_000)]
    low = [url for url in urls if key_of(Url(url)) & 15 < 8][:1]
    high = [url for url in urls if key_of(Url(url)) & 15 >= 8][:1_500]
    plant(store, *low, *high)
    ledger = ledger_of(store)
    first, second = proxy("m1"), proxy("m2")
    (book,) = ledger.books
    book.give(tuple(range(8)), first)
    book.give(tuple(range(8, 16)), second)
    ledger.hand_out([first, second], NOW)
    assert [len(first.leases), len(second.leases)] == [1, 1_024]

    retry = visit_of(low[0], outcome=Outcome.UNREACHABLE, retry_in_seconds=10.0)
    settle(store, ledger, ledger.claim([(first, wire.Parcel(1, [retry], [], [], []))]), NOW)
    ledger.hand_out([first, second], NOW + 11)
    for number, moment in enumerate((NOW + 12, NOW + 13, NOW + 14)):
        done = [visit_of(store.known([key])[key].url) for key in second.leases]
        settle(store, ledger, ledger.claim([(second, wire.Parcel(number, done, [], [], []))]), moment)
        ledger.hand_out([first, second], moment)
    assert not second.leases
    assert first.leases or ledger.next_due() is not None, "a task is due, and nobody will ever be asked for it"


def test_nobody_is_chosen_for_a_lane_that_nobody_has_room_for(store: Store) -> None:
    plant(store, *(f"http://host{n}.example.org/" for n in range(300)))
    chooser = Chooser(Strategy.WEIGHTED_ROUND_ROBIN)
    ledger = ledger_of(store, chooser)
    full = [proxy("m1"), proxy("m2")]
    for one in full:
        one.leases = {n: Lease(1, 0, n, n, 0) for n in range(5_000)}
    given = ledger.hand_out(full, NOW)
    assert given == {}
    assert chooser.drain() == []


def test_itineraries_are_cut_by_site_and_class_and_a_site_has_one_holder(store: Store) -> None:
    again = [(host, pace, n) for host in "ab" for pace in ("monthly", "daily") for n in range(3)]
    urls = {Url(f"http://{host}.example/{pace}/{n}"): pace for host, pace, n in again}
    new = [Url(f"http://{host}.example/new") for host in "ab"]
    plant(store, *urls, *new)
    places = store.places_of(map(key_of, urls))
    rows = {row.key: row.url for row in store.known(map(key_of, urls)).values()}
    store.commit(Plan(done=places, queued=[Queued(k, host(u), revisit_band(urls[u])) for k, u in rows.items()]), NOW)
    ledger, hands = ledger_of(store), [proxy("m1"), proxy("m2")]
    given = ledger.hand_out(hands, NOW)
    trips = [(name, trip, lanes) for name, itineraries in given.items() for trip, lanes in itineraries.items()]
    classed = [(name, trip, lanes) for name, trip, lanes in trips if trip.pace]
    assert sorted((trip.site, trip.pace) for _, trip, _ in classed) == [
        (site, pace) for site in (1, 2) for pace in ("daily", "monthly")
    ]
    for _, trip, lanes in classed:
        (only,) = lanes
        assert only.number == trip.site
        assert {urls[task.url] for task in only.tasks} == {trip.pace}
        assert len(only.tasks) == 3
    unseen = [task.url for _, trip, lanes in trips if not trip.pace for each in lanes for task in each.tasks]
    assert sorted(unseen) == new
    holders = {number: {name for name, trip, _ in classed if trip.site == number} for number in (1, 2)}
    assert all(len(names) == 1 for names in holders.values())
    for number in (1, 2):  # the quickest class first
        assert [trip.pace for _, trip, _ in classed if trip.site == number] == ["daily", "monthly"]


def test_among_very_many_lanes_none_is_forgotten(store: Store) -> None:
    hosts = 1_500
    plant(store, *(f"http://h{n}.example.org/{page}" for n in range(hosts) for page in range(12)))
    ledger = ledger_of(store)
    only = proxy("m1")
    served: set[int] = set()
    for turn in range(6):
        given = ledger.hand_out([only], NOW)
        served |= {lane.number for lanes in given.get("m1", {}).values() for lane in lanes}
        leases = list(only.leases.values())
        # Politely: one page of every lane that it has.
        first = {lease.lane: lease for lease in reversed(leases)}
        done = [visit_of(store.known([lease.key])[lease.key].url) for lease in first.values()]
        settle(store, ledger, ledger.claim([(only, wire.Parcel(turn + 1, done, [], [], []))]), NOW)
    assert len(served) > 1_000, f"{len(served)} of {hosts} lanes had a turn"


def test_a_page_refused_and_recovered_in_one_parcel_is_kept(store: Store) -> None:
    url = "http://127.0.0.1/item"
    plant(store, url)
    ledger = ledger_of(store)
    one = proxy("m1")
    ledger.hand_out([one], NOW)
    refused = Visit(key_of(Url(url)), Url(url), 0, Outcome.REFUSED, "structure", "of another kind", 200, NOW, 0)
    kept = Visit(key_of(Url(url)), Url(url), 0, Outcome.FETCHED, "", "", 200, NOW, 0)
    claimed = ledger.claim([(one, wire.Parcel(1, [refused], [], [], [], [kept]))])
    assert [visit.outcome for visit, _ in claimed][-1] is Outcome.FETCHED


def test_the_books_can_be_read_while_they_are_written(store: Store) -> None:
    ledger = ledger_of(store)
    for number in range(20_000):
        ledger._book(number, f"h{number}.example.org").stocked = True
    one = proxy("m1")
    one.leases = {n: Lease(1, 0, n, n, 0) for n in range(5_000)}
    faults: list[BaseException] = []
    writing = threading.Event()

    def read() -> None:
        try:
            while not writing.is_set():
                ledger.held_by(one)
        except RuntimeError as error:
            faults.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    reader = threading.Thread(target=read)
    reader.start()
    try:
        for _ in range(30):
            ledger.hand_out([one], NOW)
    finally:
        writing.set()
        reader.join()
        sys.setswitchinterval(interval)
    assert faults == []


def test_robots_of_an_address_of_version_six_is_found_again(store: Store) -> None:
    copies = [RobotsCopy("http://[::1]:8080", NOW, 200, b"User-agent: *\nDisallow: /x\n")]
    gathered = Gathering(store, TERMS, Watch(TrapSettings(), lambda _: None, 100), NOW).plant([])
    gathered.plan.robots = copies
    store.commit(gathered.plan, NOW)
    assert store.robots("[::1]") == copies


LIES_ABOUT_LUGGAGE = """
told = []
def lying(message):
    if isinstance(message, wire.Parcel) and not told:
        told.append(1)
        return [message, wire.Luggage([wire.Lane(4711, "", 0.0, [], [])], [])]
    return [message]
if BORN == 1: says(lying)
"""
LEAVES_WITHOUT_BEING_ASKED = """
told = []
def leaving(message):
    if isinstance(message, wire.Parcel) and not told:
        told.append(1)
        return [wire.Bye()]
    if told:
        os._exit(0)
    return [message]
if BORN == 1: says(leaving)
"""


@pytest.mark.parametrize("lie", [LIES_ABOUT_LUGGAGE, LEAVES_WITHOUT_BEING_ASKED])
def test_a_migrant_that_lies_does_not_end_or_hang_the_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lie: str
) -> None:
    async def script(crawl: Watched) -> None:
        return

    understudy.engage(monkeypatch, tmp_path / "stage", after=lie)
    with TinyWeb(site(60, 4, seed=3)) as web:
        ended = bounded(NOWHERE, tmp_path / "data", web, script, web.url("/"), migrants=1)
    assert ended.why == "finished"


def test_an_urgent_page_does_not_halt_a_crawl_for_pages_of_one_kind(tmp_path: Path) -> None:
    async def script(crawl: Watched) -> None:
        await crawl.asked(40)
        assert (await crawl.ask(send=[crawl.web.url("/late")]))["ok"]

    with TinyWeb({**shop(), "/late": "<p>late"}) as web:
        like = [web.url("/item/3"), web.url("/item/8")]
        ended = bounded(NOWHERE, tmp_path, web, script, web.url("/"), like=like, migrants=1, delay_seconds=0.03)
    assert ended.why == "finished"


def test_what_a_mover_has_under_way_comes_home_before_the_end(tmp_path: Path) -> None:
    """Stopped while it packs: what was fetched is not fetched again by the next run."""
    pages = {"/": "".join(f'<a href="/p{n}">p</a>' for n in range(8)), **{f"/p{n}": f"<p>{n}" for n in range(8)}}

    async def script(crawl: Watched) -> None:
        await asyncio.to_thread(crawl.web.wait_for, "/p3")
        moving = asyncio.create_task(crawl.do("deactivate", "m1"))
        await crawl.until(lambda crew: crew["m1"]["state"] == "moving")
        await crawl.ask(ask="stop")
        for _ in range(20):  # turns of home's loop, in which it begins to end; any order of the two is right
            await crawl.migrants()
        crawl.web.release("/p3")
        await moving

    with TinyWeb(pages) as web:
        web.hold("/p3")
        ended = bounded(NOWHERE, tmp_path, web, script, web.url("/"), migrants=1)
        web.release("/p3")
        assert ended.why == "stopped"
        assert crawl(tmp_path, migrants=1).why == "finished"
        assert web.count("/p3") == 1, "it was under way when the crawl was stopped"


def test_one_that_wakes_after_a_restart_still_knows_where_it_was_born(tmp_path: Path) -> None:
    cellar = tmp_path / "cellar"
    cellar.mkdir()
    settings = tmp_path / "whimbrel.toml"
    settings.write_text(f'[[place]]\nname = "cellar"\nfolder = "{cellar}"\n')
    folder = tmp_path / "data"

    async def go_and_sleep(crawl: Watched) -> None:
        await crawl.asked(10)
        await crawl.do("dispatch", "m1", "cellar")
        await crawl.until(lambda crew: crew["m1"]["state"] == "active")
        await crawl.do("deactivate", "m1")
        await crawl.ask(ask="stop")

    async def come_home(crawl: Watched) -> None:
        await crawl.until(lambda crew: crew.get("m1", {}).get("state") == "active")
        words = (await crawl.do("retract", "m1")).get("words", "")
        await crawl.ask(ask="stop")
        assert words.endswith("at here")

    with TinyWeb(site(200, 4, seed=3)) as web:
        bounded(settings, folder, web, go_and_sleep, web.url("/"), migrants=1, delay_seconds=0.05)
        assert rows(folder, "SELECT count(*) FROM due") != [(0,)]
        assert main(["migrants", "activate", "m1", "--repo", str(folder)]) == 0
        bounded(settings, folder, web, come_home, migrants=1, delay_seconds=0.05)


def test_hearing_a_migrant_does_not_touch_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages are heard while the writer's thread is in the middle of a commit."""
    heard: list[str] = []
    robots = Store.robots

    def noted(self: Store, host: str) -> list[RobotsCopy]:
        if threading.current_thread() is threading.main_thread():
            task = asyncio.current_task()
            heard.append(task.get_coro().__qualname__ if task else "")  # type: ignore[union-attr]
        return robots(self, host)

    monkeypatch.setattr(Store, "robots", noted)

    async def script(crawl: Watched) -> None:
        await crawl.asked(10)
        await crawl.do("deactivate", "m1")
        await crawl.do("activate", "m1")

    with TinyWeb(site(60, 4, seed=3)) as web:
        bounded(NOWHERE, tmp_path, web, script, web.url("/"), migrants=1, delay_seconds=0.01)
    assert "Proxy._listen" not in heard
