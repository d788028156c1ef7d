"""What crosses a link where bytes are dear comes out as it went in, and nothing else does."""

from pathlib import Path

import msgspec
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as some
from msgspec.structs import replace
from xxhash import xxh32_intdigest

from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.itinerary import Seal
from whimbrel.migrants.wire.packing import bodies
from whimbrel.migrants.wire.packing.differences import applied, difference
from whimbrel.migrants.wire.packing.holdings import HeldPage, Holdings
from whimbrel.migrants.wire.packing.site import PULSE_SECONDS, SitePacking
from whimbrel.migrants.wire.packing.squeezing import Packet, Squeezer, StreamLost, Unsqueezer
from whimbrel.records.task import NO_VALIDATORS, Task, Validators
from whimbrel.records.url import Url
from whimbrel.records.visit import Exchange, Link, Outcome, Visit
from whimbrel.repository.contract import RobotsCopy
from whimbrel.urls.normal import key as key_of

HELLO = wire.encode(wire.Hello(wire.VERSION, 1, "one"))
HALT = wire.encode(wire.Halt())
SEAL = Seal(bytes(range(32)))


def url(number: int) -> Url:
    return Url(f"http://docs.example/section/{number}.html")


def task(number: int, validators: Validators = NO_VALIDATORS) -> Task:
    return Task(key_of(url(number)), url(number), number % 7, number % 2, 0, False, validators)


def work(tasks: list[Task], acknowledged: int = 0) -> wire.Work:
    lane = wire.LaneWork(1, "docs.example", 0.5, [RobotsCopy("http://docs.example", 1.0, 200, b"Disallow:")], tasks)
    return wire.Work([SEAL.itinerary("one", b"brief", 0, 1000.0, [lane])], acknowledged, -1)


def head(body: bytes, etag: str = "") -> bytes:
    tag = f"ETag: {etag}\r\n" if etag else ""
    return f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{tag}Content-Length: {len(body)}\r\n\r\n".encode()


def bare(of: Task, body: bytes, at: float = 1000.25, etag: str = "") -> Visit:
    path = of.url.removeprefix("http://docs.example")
    request = f"GET {path} HTTP/1.1\r\nHost: docs.example\r\nAccept: */*\r\n\r\n".encode()
    exchange = Exchange(request, head(body, etag), body, "HTTP/1.1", "127.0.0.1", 7, of.hops, of.asset, of.sitemap)
    size = len(exchange.head) + len(body)
    return Visit(of.key, of.url, of.depth, Outcome.FETCHED, "", "", 200, at, size, exchange=exchange)


def parcel(number: int, *visits: Visit) -> wire.Parcel:
    return wire.Parcel(number, list(visits), [], [], [])


class Pair:
    """Both sides of a channel that has just begun."""

    def __init__(self, folder: Path | None = None) -> None:
        self.home = SitePacking("home", folder / "home" if folder else None)
        self.place = SitePacking("place", folder / "place" if folder else None, monotonic=lambda: 0.0)
        assert self.up(HELLO) == HELLO
        assert self.down(HALT) == HALT

    def up(self, message: bytes) -> bytes:
        return self.home.unpack(self.place.pack(message))

    def down(self, message: bytes) -> bytes:
        return self.place.unpack(self.home.pack(message))

    def close(self) -> None:
        self.home.close()
        self.place.close()


words = some.text(max_size=30)
met = some.tuples(some.integers(0, 99), some.integers(-5, 1000), words)
visited = some.tuples(
    some.integers(0, 30), some.sampled_from(list(Outcome)), words, words, some.integers(0, 10**13),
    some.none() | some.binary(max_size=400), some.lists(met), some.none() | some.floats(0, 1e6), some.booleans(),
)  # fmt: skip


def visit_of(one: tuple) -> tuple[Visit, bool]:  # type: ignore[type-arg]
    number, outcome, rule, reason, ms, raw, met, retry, known = one
    links = [Link(key_of(url(n)), url(n), 1, 0, False, rule, "", False, score / 1000) for n, score, rule in met]
    plain = Visit(
        key_of(url(number)), url(number), number % 7, outcome, rule, reason, 200, ms / 1000, 12, links=links,
        retry_in_seconds=retry,
    )  # fmt: skip
    return (plain if raw is None else replace(plain, exchange=bare(task(number), raw).exchange)), known


@settings(deadline=None, max_examples=60)
@given(some.lists(some.lists(visited, max_size=6), max_size=4))
def test_parcels_come_out_as_they_went_in(parcels: list[list[tuple]]) -> None:  # type: ignore[type-arg]
    """Whether their tasks were known or not, once or several times."""
    pair = Pair()
    for number, made in enumerate(parcels, 1):
        visits = [visit_of(one) for one in made]
        given = wire.encode(work([task(int(v.url[28:-5])) for v, known in visits if known]))
        assert pair.down(given) == given
        message = wire.encode(parcel(number, *(visit for visit, _ in visits)))
        assert wire.read_from_migrant(pair.up(message)) == wire.read_from_migrant(message)


@settings(deadline=None, max_examples=60)
@given(some.lists(some.binary(max_size=2000), max_size=12))
def test_a_stream_gives_back_what_was_said(messages: list[bytes]) -> None:
    squeezer, unsqueezer = Squeezer(), Unsqueezer()
    assert [unsqueezer.unsqueeze(squeezer.squeeze(message)) for message in messages] == messages


@settings(deadline=None, max_examples=200)
@given(some.binary(max_size=200))
def test_any_bytes_are_refused_as_a_broken_contract(noise: bytes) -> None:
    for side in ("home", "place"):
        with pytest.raises(wire.WireError):
            SitePacking(side).unpack(noise)  # type: ignore[arg-type]


@settings(deadline=None, max_examples=200)
@given(some.data())
def test_an_altered_packet_is_refused_or_says_the_same(data: some.DataObject) -> None:
    pair = Pair()
    pair.down(wire.encode(work([task(1), task(2)])))
    message = wire.encode(parcel(1, bare(task(1), b"<p>the tide " * 40), bare(task(2), b"<p>the shore " * 40)))
    packed = bytearray(pair.place.pack(message))
    packed[data.draw(some.integers(0, len(packed) - 1))] ^= 1 << data.draw(some.integers(0, 7))
    try:
        heard = pair.home.unpack(bytes(packed))
    except wire.WireError:
        return
    assert heard == message


def test_what_is_not_next_is_refused_until_a_fresh_stream_begins() -> None:
    pair = Pair()
    first, second, third = (wire.encode(parcel(number)) for number in (1, 2, 3))
    packed = [pair.place.pack(message) for message in (first, second, third)]
    assert pair.home.unpack(packed[0]) == first
    for wrong in (packed[2], packed[0]):
        with pytest.raises(StreamLost):
            pair.home.unpack(wrong)
    pair.place.fresh()
    assert [pair.up(message) for message in (second, third)] == [second, third]
    with pytest.raises(StreamLost):
        pair.home.unpack(packed[1])


def test_a_fresh_stream_needs_nothing_that_was_said_before() -> None:
    pair = Pair()
    given = wire.encode(work([task(1), task(2)]))
    assert pair.down(given) == given
    pair.home = SitePacking("home")
    pair.place.fresh()
    message = wire.encode(parcel(1, bare(task(2), b"<p>the tide")))
    assert pair.up(message) == message


def test_bombs_are_refused_before_they_grow() -> None:
    small = zstandard.ZstdCompressor().compress(bytes(200 << 20))
    assert len(small) < 1 << 15
    said_small = msgspec.msgpack.encode(Packet(1, 0, 1000, 0, small))
    with pytest.raises(wire.WireError, match="has more"):
        Unsqueezer().unsqueeze(said_small)
    with pytest.raises(wire.WireError, match="the most is"):
        Unsqueezer().unsqueeze(msgspec.msgpack.encode(Packet(1, 0, 200 << 20, 0, small)))
    with pytest.raises(wire.WireError, match="the most is"):
        applied(small, [b"old"], [200 << 20])
    with pytest.raises(wire.WireError, match="does not make"):
        applied(small, [b"old"], [1000])
    with pytest.raises(wire.WireError, match="the most is"):
        bodies.unpacked(bodies.TightBodies(ways=[bodies.BESIDE], beside=[small]), None)


def test_a_wide_window_is_refused() -> None:
    params = zstandard.ZstdCompressionParameters.from_level(3, window_log=27)
    stream = zstandard.ZstdCompressor(compression_params=params).compressobj()
    data = stream.compress(b"tide") + stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    with pytest.raises(StreamLost):
        Unsqueezer().unsqueeze(msgspec.msgpack.encode(Packet(1, 0, 4, xxh32_intdigest(b"tide"), data)))


@settings(deadline=None, max_examples=60)
@given(
    some.lists(some.tuples(some.binary(max_size=300), some.binary(min_size=1, max_size=300)), min_size=1, max_size=5)
)
def test_a_difference_makes_the_new_of_the_old(versions: list[tuple[bytes, bytes]]) -> None:
    before, after = [old for old, _ in versions], [new for _, new in versions]
    assert applied(difference(before, after), before, [len(new) for new in after]) == after


PAGE = b"<p>" + b" ".join(str(number * number).encode() for number in range(3000))


def test_a_changed_page_travels_as_a_difference_and_the_same_bytes_not_at_all(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    pair.down(wire.encode(work([task(1), task(2)])))
    pair.up(wire.encode(parcel(1, bare(task(1), PAGE, etag='"a"'))))
    pair.down(wire.encode(work([], acknowledged=1)))
    pair.close()

    pair = Pair(tmp_path)
    asked = [task(1, Validators('"a"')), task(2)]
    packed = pair.home.pack(wire.encode(work(asked)))
    assert url(1).encode() not in packed
    assert pair.place.unpack(packed)
    changed = PAGE.replace(b"1000000", b"1000001")
    message = wire.encode(parcel(1, bare(task(1), changed, etag='"b"'), bare(task(2), PAGE)))
    packed = pair.place.pack(message)
    assert pair.home.unpack(packed) == message
    assert len(packed) < 400
    pair.close()


def test_what_was_never_acknowledged_is_not_built_upon(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    pair.down(wire.encode(work([task(1)])))
    pair.place.pack(wire.encode(parcel(1, bare(task(1), PAGE))))  # lost on its way
    pair.close()
    pair = Pair(tmp_path)
    pair.down(wire.encode(work([task(1)])))
    message = wire.encode(parcel(1, bare(task(1), PAGE + b"more")))
    assert pair.up(message) == message
    pair.close()


@pytest.mark.parametrize("side", ["home", "place"])
def test_whoever_lost_what_was_held_starts_from_nothing(tmp_path: Path, side: str) -> None:
    pair = Pair(tmp_path)
    pair.down(wire.encode(work([task(1)])))
    pair.up(wire.encode(parcel(1, bare(task(1), PAGE))))
    pair.down(wire.encode(work([], acknowledged=1)))
    pair.close()
    for file in (tmp_path / side).iterdir():
        file.unlink()
    for turn in range(2):
        pair = Pair(tmp_path)
        pair.down(wire.encode(work([task(1)])))
        message = wire.encode(parcel(1, bare(task(1), PAGE + bytes([turn]))))
        assert pair.up(message) == message
        pair.down(wire.encode(work([], acknowledged=1)))
        pair.close()


def test_a_page_that_home_does_not_hold_ends_the_stream(tmp_path: Path) -> None:
    """A place that names one is broken or lies."""
    pair = Pair(tmp_path)
    held = bodies.TightBodies(ways=[bodies.SAME], held=[77])
    with pytest.raises(wire.WireError, match="not held"):
        bodies.unpacked(held, Holdings(tmp_path / "home"))
    pair.close()


def test_bodies_leave_when_they_take_too_much_room(tmp_path: Path) -> None:
    holdings = Holdings(tmp_path, most_bytes=20_000)
    pages = []
    for number in range(1, 11):
        page = HeldPage(0, number, url(number), Validators(), bytes([number]) * 32)
        body = bytes(i * number % 251 for i in range(200)) + zstandard.ZstdCompressor().compress(PAGE * number)
        (given,) = holdings.put([(page, body)], held=True)
        pages.append(replace(page, number=given))
    assert holdings.body(pages[0]) is None
    assert holdings.body(pages[-1]) is not None
    assert holdings.latest(1) == pages[0]
    holdings.close()


def test_pulses_are_thinned_and_notes_are_not() -> None:
    now = [0.0]
    place = SitePacking("place", monotonic=lambda: now[0])
    place.pack(HELLO)
    pulse = wire.Pulse(0, 0, 0, 0.0, [], 1.0)
    assert place.pack(wire.encode(pulse))
    assert not place.pack(wire.encode(pulse))
    assert place.pack(wire.encode(replace(pulse, notes=["the host asked for peace"])))
    now[0] = PULSE_SECONDS
    assert place.pack(wire.encode(pulse))
