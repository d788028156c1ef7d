"""The contract between home and a migrant, held against a real process. Another transport has to pass it too."""

import asyncio
import contextlib
import signal
import time
from enum import Enum
from random import Random
from types import NoneType, UnionType
from typing import Any, NewType, Union, get_args, get_origin, get_type_hints

import pytest
from fake_home import NAME, Home, framed, lane
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.itinerary import Seal, digest
from whimbrel.migrants.wire.stream import frame, unframed
from whimbrel.records.visit import Outcome
from whimbrel.testing.web import Page, Reply, TinyWeb

PROMPTLY_SECONDS = 3.0


def paths(count: int) -> dict[str, Page]:
    return {f"/{number}": f"<title>{number}</title><p>page number {number}" for number in range(count)}


def test_hello_comes_first_and_names_the_version_and_the_process() -> None:
    with Home() as home:
        assert home.next() == wire.Hello(wire.VERSION, home.process.pid, NAME)


def test_work_comes_back_as_parcels_with_rising_numbers() -> None:
    with TinyWeb(paths(200)) as web, Home() as home:
        home.begin(web.url("/0"))
        urls = [web.url(path) for path in web.pages]
        home.work([lane(urls[:100])], 0, -1)
        home.hear_until(lambda: len(home.visits) == 100)
        home.work([lane(urls[100:])], home.parcels[-1].number, -1)
        home.hear_until(lambda: len(home.visits) == 200)
    assert sorted(visit.url for visit in home.visits) == sorted(urls)
    assert {visit.outcome for visit in home.visits} == {Outcome.FETCHED}
    numbers = [parcel.number for parcel in home.parcels]
    assert numbers == list(range(1, len(numbers) + 1))
    robots = [(copy.origin, copy.status) for parcel in home.parcels for copy in parcel.robots]
    assert robots == [(web.url(""), 404)]


def test_room_limits_what_is_fetched_and_an_acknowledgement_frees_it() -> None:
    with TinyWeb(paths(20)) as web, Home() as home:
        home.begin(web.url("/0"))
        home.work([lane(web.url(path) for path in web.pages)], 0, 3)
        home.hear_until(lambda: len(home.visits) == 3)
        quiet_until(home, home.pulses + 2)
        assert (len(home.visits), len(web.log)) == (3, 4)  # robots.txt takes no room
        home.work([], home.parcels[-1].number, 3)
        home.hear_until(lambda: len(home.visits) == 6)
        quiet_until(home, home.pulses + 2)
        assert len(web.log) == 7
        home.work([], home.parcels[-1].number, 0)
        quiet_until(home, home.pulses + 2)
        assert len(web.log) == 7
        home.work([], home.parcels[-1].number, -1)
        home.hear_until(lambda: len(home.visits) == 20)


def test_without_an_acknowledgement_room_is_not_used_twice() -> None:
    with TinyWeb(paths(20)) as web, Home() as home:
        home.begin(web.url("/0"))
        home.work([lane(web.url(path) for path in web.pages)], 0, 5)
        home.work([], 0, 5)
        home.hear_until(lambda: len(home.visits) == 5)
        home.work([], 0, 5)
        quiet_until(home, home.pulses + 2)
        assert len(web.log) == 6


def quiet_until(home: Home, pulses: int) -> None:
    home.hear_until(lambda: home.pulses >= pulses)


def test_a_copy_of_robots_that_home_sends_along_is_not_asked_for_again() -> None:
    with TinyWeb(paths(2)) as web, Home() as home:
        home.begin(web.url("/0"))
        work = lane(web.url(path) for path in web.pages)
        copy = wire.RobotsCopy(web.url(""), time.time(), 200, b"User-agent: *\nDisallow: /1\n")
        home.work([wire.LaneWork(1, work.host, 0.0, [copy], work.tasks)], 0, -1)
        home.hear_until(lambda: len(home.visits) == 2)
    assert {visit.url: visit.rule for visit in home.visits} == {web.url("/0"): "", web.url("/1"): "robots"}
    assert web.count("/robots.txt") == 0


def test_halt_ends_in_bye_after_all_that_was_under_way_was_sent() -> None:
    with TinyWeb(paths(5)) as web, Home() as home:
        web.hold("/3")
        home.begin(web.url("/0"))
        home.work([lane(web.url(path) for path in web.pages)], 0, -1)
        assert web.wait_for("/3")
        home.say(wire.Halt())
        quiet_until(home, home.pulses + 2)
        assert not any(isinstance(message, wire.Bye) for message in home.heard)
        web.release("/3")
        assert isinstance(home.hear_out()[-1], wire.Bye)
        assert web.url("/3") in {visit.url for visit in home.visits}
        assert home.ended() == (0, "")


def test_halt_begins_nothing_new() -> None:
    with TinyWeb(paths(5)) as web, Home() as home:
        home.begin(web.url("/0"), delay_seconds=60)
        home.work([lane(web.url(path) for path in web.pages)], 0, -1)
        home.hear_until(lambda: bool(home.parcels))
        home.say(wire.Halt())
        assert isinstance(home.hear_out()[-1], wire.Bye)
        assert home.ended(PROMPTLY_SECONDS) == (0, "")
        assert [request.path for request in web.log] == ["/robots.txt"]


def test_a_great_deal_unread_at_halt_still_comes_whole() -> None:
    """More than the connection's buffers hold is still to be sent when the last page is done."""
    noise = Random(2)
    pages = {f"/{n}": Reply(noise.randbytes(100_000), content_type="application/pdf") for n in range(40)}
    with TinyWeb(pages) as web, Home() as home:
        home.begin(web.url("/0"))
        home.work([lane(web.url(path) for path in pages)], 0, -1)
        assert all(web.wait_for(path) for path in pages)
        home.say(wire.Halt())
        assert isinstance(home.hear_out()[-1], wire.Bye)
        assert len(home.visits) == 40
        assert home.ended() == (0, "")


@pytest.mark.parametrize("moment", ["before the brief", "idle", "under way", "halting", "in a message"])
def test_when_home_goes_the_migrant_goes_at_once(moment: str) -> None:
    with TinyWeb(paths(3)) as web, Home() as home:
        web.hold("/1")
        home.hear(wire.Hello)
        if moment != "before the brief":
            brief = home.brief(web.url("/0"))
            home.digest = digest(wire.encode(brief))
            home.say(brief)
            home.hear(wire.Pulse)
        if moment in ("under way", "halting"):
            home.work([lane(web.url(path) for path in web.pages)], 0, -1)
            assert web.wait_for("/1")
        if moment == "halting":
            home.say(wire.Halt())
            quiet_until(home, home.pulses + 1)
        if moment == "in a message":
            home.socket.sendall(framed(wire.Work([home.sealed([lane(["http://127.0.0.1/"])])], 0, -1))[:9])
        home.socket.close()
        assert home.ended(PROMPTLY_SECONDS) == (0, "")


def test_ctrl_c_is_homes_to_act_on() -> None:
    with TinyWeb(paths(3)) as web, Home() as home:
        home.begin(web.url("/0"))
        home.hear(wire.Pulse)
        home.process.send_signal(signal.SIGINT)
        home.work([lane(web.url(path) for path in web.pages)], 0, -1)
        home.hear_until(lambda: len(home.visits) == 3)
        assert home.process.poll() is None


BROKEN = {
    "not msgpack": (frame(b"\xc1\xc1\xc1"), "does not fit the contract"),
    "an unknown tag": (frame(b"\x91\xa7sabbath"), "does not fit the contract"),
    "an empty message": (frame(b""), "does not fit the contract"),
    "a field of another type": (frame(b"\x94\xa4work\xa1x\x00\x00"), "does not fit the contract"),
    "a message too large": (b"\xff\xff\xff\xff", "a message of 4294967295 bytes"),
    "what only a migrant says": (framed(wire.Bye()), "does not fit the contract"),
    "work before the brief": (framed(wire.Work([], 0, -1)), "Work came before the brief"),
    "a scope before the brief": (framed(wire.WiderScope([])), "Scope came before the brief"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_contract_ends_the_migrant_with_a_clear_word(name: str) -> None:
    sent, words = BROKEN[name]
    with Home() as home:
        home.hear(wire.Hello)
        home.socket.sendall(sent)
        code, complaint = home.ended(PROMPTLY_SECONDS)
    assert code == 76
    assert words in complaint
    assert "Traceback" not in complaint


@pytest.mark.parametrize("version", [wire.VERSION - 1, wire.VERSION + 1])
def test_another_release_at_home_ends_the_migrant_with_a_clear_word(version: int) -> None:
    with Home() as home:
        home.hear(wire.Hello)
        home.say(home.brief("http://127.0.0.1/", version=version))
        code, complaint = home.ended(PROMPTLY_SECONDS)
    assert code == 76
    assert f"home speaks version {version}, this migrant {wire.VERSION}" in complaint
    assert "same release" in complaint


# Itineraries.


@pytest.mark.parametrize("fault", ["altered", "replayed", "for another", "another home", "another brief", "expired"])
def test_an_itinerary_that_is_not_in_order_is_refused_and_nothing_of_it_runs(fault: str) -> None:
    with TinyWeb(paths(4)) as web, Home() as home:
        home.begin(web.url("/0"))
        good = home.sealed([lane([web.url("/0")])])
        lanes = [lane([web.url("/1")], 2)]
        now = time.time()
        bad, rule = {
            "altered": (wire.Sealed(good.body[:-1] + b"\x07", good.proof), "proof"),
            "replayed": (good, "replay"),
            "for another": (home.seal.itinerary("m8", home.digest, 0, now, lanes), "receiver"),
            "another home": (Seal(b"x" * 32).itinerary(NAME, home.digest, 0, now, lanes), "proof"),
            "another brief": (home.seal.itinerary(NAME, b"?" * 32, 0, now, lanes), "brief"),
            "expired": (home.seal.itinerary(NAME, home.digest, 0, now - 7200, lanes), "expired"),
        }[fault]
        home.say(wire.Work([good], 0, -1))
        home.hear_until(lambda: len(home.visits) == 1)
        home.say(wire.Work([bad], 0, -1))
        assert home.hear(wire.Refusal).rule == rule
        home.work([lane([web.url("/2")])])
        home.hear_until(lambda: len(home.visits) == 2)
    assert [request.path for request in web.log] == ["/robots.txt", "/0", "/2"]


def test_an_urgent_itinerary_halts_the_running_one_which_resumes() -> None:
    addresses = ("127.0.0.1", "127.0.0.2")
    with TinyWeb({**paths(40), "/urgent": "<p>now"}, addresses=addresses) as web, Home() as home:
        web.hold("/urgent")
        home.begin(*(web.url("/0", address) for address in addresses))
        home.work([lane(web.url(f"/{n}") for n in range(20))])
        home.hear_until(lambda: len(home.visits) == 20)
        home.work([lane([web.url("/urgent", addresses[1])], 2)], priority=1)
        assert web.wait_for("/urgent")
        home.work([lane(web.url(f"/{n}") for n in range(20, 40))])
        quiet_until(home, home.pulses + 2)
        assert len(home.visits) == 20, "less urgent work rests"
        web.release("/urgent")
        home.hear_until(lambda: len(home.visits) == 41)
    assert home.visits[20].url == web.url("/urgent", addresses[1])


def test_what_is_hastened_while_it_is_under_way_keeps_nothing_waiting() -> None:
    with TinyWeb(paths(3)) as web, Home() as home:
        web.hold("/0")
        home.begin(web.url("/0"))
        home.work([lane([web.url("/0")])])
        assert web.wait_for("/0")
        home.work([lane([web.url("/0")])], priority=1)
        home.work([lane([web.url("/1"), web.url("/2")])])
        quiet_until(home, home.pulses + 2)
        web.release("/0")
        home.hear_until(lambda: len(home.visits) == 3)
    assert [request.path for request in web.log] == ["/robots.txt", "/0", "/1", "/2"]


def test_a_released_lane_comes_back_with_its_tasks_and_the_wait_it_is_owed() -> None:
    with TinyWeb(paths(5)) as web, Home() as home:
        home.begin(web.url("/0"), delay_seconds=30)
        home.work([lane(web.url(path) for path in web.pages)])
        home.hear_until(lambda: bool(home.parcels))
        home.say(wire.Release(1, []))
        (back,) = home.hear(wire.Luggage).lanes
        assert [task.url for task in back.tasks] == [web.url(path) for path in web.pages]
        assert 25 < back.wait_seconds <= 31
        quiet_until(home, home.pulses + 2)
    assert [request.path for request in web.log] == ["/robots.txt"]


def test_released_slices_come_back_and_the_rest_goes_on_with_fewer_connections() -> None:
    with TinyWeb(paths(200)) as web, Home() as home:
        for path in web.pages:
            web.hold(path)
        home.begin(web.url("/0"))
        given = lane(web.url(path) for path in web.pages)
        home.work([given])
        home.hear_until(lambda: any(isinstance(message, wire.LaneNews) for message in home.heard))
        assert web.wait_for_requests(33)  # robots.txt among them
        home.say(wire.Release(1, list(range(8))))
        quiet_until(home, home.pulses + 2)
        assert not any(isinstance(message, wire.Luggage) for message in home.heard), "32 are still under way"
        for path in web.pages:
            web.release(path)
        back = home.hear(wire.Luggage)
        home.hear_until(lambda: len(home.visits) + len(back.lanes[0].tasks) == 200)
    dropped = {task.key for task in back.lanes[0].tasks}
    assert dropped
    assert all(key & 15 < 8 for key in dropped)
    assert dropped.isdisjoint(visit.key for visit in home.visits)
    assert dropped | {visit.key for visit in home.visits} == {task.key for task in given.tasks}


def test_pack_gives_everything_back_in_order_and_ends() -> None:
    with TinyWeb(paths(6)) as web, Home() as home:
        home.begin(web.url("/0"), delay_seconds=60)
        home.work([lane(web.url(path) for path in web.pages)])
        home.hear_until(lambda: bool(home.parcels))
        home.say(wire.Pack())
        luggage = home.hear(wire.Luggage)
        assert luggage.all
        assert [task.url for task in luggage.lanes[0].tasks] == [web.url(path) for path in web.pages]
        assert isinstance(home.hear_out()[-1], wire.Bye)
        assert home.ended(PROMPTLY_SECONDS) == (0, "")


def test_a_host_that_may_share_its_address_is_asked_only_once_home_grants_it() -> None:
    with TinyWeb(paths(2)) as web, Home() as home:
        home.grants = False
        home.begin(web.url("/0"), allow_networks=("10.0.0.0/8",))
        home.work([lane(["http://10.255.255.1:9/"])])
        news = home.hear(wire.LaneNews)
        assert (news.loopback, news.address) == (False, "10.255.255.1")
        quiet_until(home, home.pulses + 2)
        assert not home.visits


# Encoding.


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Anything that fits a type as it stands in the contract."""
    if isinstance(hint, NewType):
        return values(hint.__supertype__)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return st.one_of(*map(values, arguments))
    if origin is list:
        return st.lists(values(arguments[0]), max_size=3)
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return st.lists(values(arguments[0]), max_size=3).map(tuple)
        return st.tuples(*map(values, arguments))
    if origin is dict:
        return st.dictionaries(values(arguments[0]), values(arguments[1]), max_size=3)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(hint)
    if isinstance(hint, type) and issubclass(hint, Struct):
        return st.builds(hint, **{name: values(kind) for name, kind in get_type_hints(hint).items()})
    return PLAIN[hint]


PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(-(2**63), 2**63 - 1),
    float: st.floats(allow_nan=False),
    bool: st.booleans(),
    str: st.text(max_size=20),
    bytes: st.binary(max_size=20),
    NoneType: st.none(),
    object: st.text(max_size=5) | st.booleans() | st.lists(st.text(max_size=5), max_size=2),
}


@given(st.one_of(*map(values, get_args(wire.FromHome))))
def test_what_home_says_arrives_as_it_was(message: wire.FromHome) -> None:
    assert wire.read_from_home(carried(framed(message))) == message


@given(st.one_of(*map(values, get_args(wire.FromMigrant))))
def test_what_a_migrant_says_arrives_as_it_was(message: wire.FromMigrant) -> None:
    assert wire.read_from_migrant(carried(framed(message))) == message


def carried(sent: bytes) -> bytes:
    """Through a stream in small pieces, with the beginning of another message behind it."""

    async def carry() -> bytes | None:
        reader = asyncio.StreamReader()
        for start in range(0, len(sent), 7):
            reader.feed_data(sent[start : start + 7])
        reader.feed_data(b"\0\0")
        reader.feed_eof()
        body = await unframed(reader)
        assert await unframed(reader) is None
        return body

    body = asyncio.run(carry())
    assert body is not None
    return body


@given(st.binary(max_size=60))
def test_any_other_bytes_are_a_broken_contract_and_nothing_worse(body: bytes) -> None:
    for read in (wire.read_from_home, wire.read_from_migrant):
        message = None
        with contextlib.suppress(wire.WireError):
            message = read(body)
        assert message is None or isinstance(message, Struct)
