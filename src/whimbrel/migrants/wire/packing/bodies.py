"""Bodies as they cross the link: what both sides hold is named, what changed is a difference, text goes into the stream
that remembers the site, and the rest goes beside it."""

from hashlib import sha256

import zstandard
from msgspec import Struct

from whimbrel.fetch.head import read_head
from whimbrel.migrants.wire.messages import WireError
from whimbrel.migrants.wire.packing.differences import MOST_AFTER_BYTES, MOST_BEFORE_BYTES, applied, difference
from whimbrel.migrants.wire.packing.holdings import LARGEST_BODY, HeldPage, Holdings
from whimbrel.migrants.wire.packing.tasks import NotHeld
from whimbrel.records.task import Validators
from whimbrel.records.visit import Visit

IN_STREAM, BESIDE, SAME, CHANGED = range(4)
LARGEST_BESIDE = 64 << 20
_TEXTUAL = ("text/", "application/xhtml", "application/xml", "application/json", "application/javascript")


class TightBodies(Struct, frozen=True, array_like=True):
    """`ways` says how each body comes, in the order of the visits. `held` are the numbers of pages for those that are
    the same or changed; `sizes` are those of the changed ones; `numbers` what the new pages are held as, or 0."""

    ways: list[int] = []
    streamed: list[bytes] = []
    beside: list[bytes] = []
    held: list[int] = []
    sizes: list[int] = []
    difference: bytes = b""
    numbers: list[int] = []


class Packer:
    """The place's side, for one parcel. Nothing is held while `held` is None."""

    def __init__(self, held: Holdings | None) -> None:
        self._held = held
        self._bodies = TightBodies([], [], [], [], [], b"", [])
        self._before: list[bytes] = []
        self._after: list[bytes] = []
        self._new: list[tuple[HeldPage, bytes]] = []
        self._slots: list[int] = []

    def add(self, visit: Visit, raw: bytes, head: bytes) -> None:
        headers = _headers(head)
        textual = headers.get("content-type", "text/html").startswith(_TEXTUAL)
        digest = sha256(raw).digest()
        bodies = self._bodies
        if self._held is not None and raw and (same := self._held.same(digest)) is not None:
            bodies.ways.append(SAME)
            bodies.held.append(same.number)
        elif (before := self._version_before(visit.key, len(raw))) is not None:
            bodies.ways.append(CHANGED)
            bodies.held.append(before[0])
            bodies.sizes.append(len(raw))
            self._before.append(before[1])
            self._after.append(raw)
        elif textual and "content-encoding" not in headers:
            bodies.ways.append(IN_STREAM)
            bodies.streamed.append(raw)
        else:
            bodies.ways.append(BESIDE)
            bodies.beside.append(zstandard.ZstdCompressor(level=3).compress(raw))
        self._remember(page_of(visit, digest, headers), raw, textual)

    def _version_before(self, key: int, size: int) -> tuple[int, bytes] | None:
        page = self._held.latest(key) if self._held is not None else None
        body = self._held.body(page) if self._held is not None and page is not None else None
        if page is None or not body or not size:
            return None
        before = sum(map(len, self._before)) + len(body)
        after = sum(map(len, self._after)) + size
        return (page.number, body) if before <= MOST_BEFORE_BYTES and after <= MOST_AFTER_BYTES else None

    def _remember(self, page: HeldPage, raw: bytes, textual: bool) -> None:
        worth = self._held is not None and textual and 0 < len(raw) <= LARGEST_BODY
        self._bodies.numbers.append(0)
        if worth:
            self._slots.append(len(self._bodies.numbers) - 1)
            self._new.append((page, raw))

    def done(self) -> tuple[TightBodies, list[int]]:
        """The bodies, and the numbers that home holds once it acknowledges them."""
        bodies, new = self._bodies, []
        if self._held is not None and self._new:
            new = self._held.put(self._new, held=False)
            for slot, number in zip(self._slots, new, strict=True):
                bodies.numbers[slot] = number
        if self._after:
            packed = difference(self._before, self._after)
            bodies = TightBodies(
                bodies.ways, bodies.streamed, bodies.beside, bodies.held, bodies.sizes, packed, bodies.numbers
            )
        return bodies, new


def unpacked(bodies: TightBodies, held: Holdings | None) -> list[bytes]:
    """At home: the bodies in order."""
    streamed, beside = iter(bodies.streamed), iter(bodies.beside)
    named = [_named(number, held) for number in bodies.held]
    changes = [body for way, body in zip(_ways_of_held(bodies), named, strict=True) if way == CHANGED]
    changed = iter(applied(bodies.difference, changes, bodies.sizes) if changes else [])
    same = iter([body for way, body in zip(_ways_of_held(bodies), named, strict=True) if way == SAME])
    found: list[bytes] = []
    for way in bodies.ways:
        source = {IN_STREAM: streamed, SAME: same, CHANGED: changed}.get(way)
        body = next(source, None) if source is not None else _whole(next(beside, b""))
        if body is None:
            raise WireError("bodies that do not fit their order")
        found.append(body)
    return found


def _ways_of_held(bodies: TightBodies) -> list[int]:
    ways = [way for way in bodies.ways if way in (SAME, CHANGED)]
    if len(ways) != len(bodies.held):
        raise WireError("bodies that do not fit their order")
    return ways


def _named(number: int, held: Holdings | None) -> bytes:
    page = held.numbered(number) if held is not None else None
    body = held.body(page) if held is not None and page is not None else None
    if body is None:
        raise NotHeld(f"page {number} is not held here")
    return body


def _whole(packed: bytes) -> bytes:
    try:
        size = zstandard.frame_content_size(packed)
        if not 0 <= size <= LARGEST_BESIDE:
            raise WireError(f"a body of {size} bytes; the most is {LARGEST_BESIDE}")
        return zstandard.ZstdDecompressor(max_window_size=1 << 27).decompress(packed, max_output_size=max(1, size))
    except zstandard.ZstdError as error:
        raise WireError(f"a body that is not good: {error}") from error


def hold(visits: list[Visit], bodies: TightBodies, held: Holdings) -> None:
    """At home: what the place will count as held once this is acknowledged."""
    came = [visit for visit in visits if visit.exchange is not None]
    pages = [
        (page_of(visit, sha256(visit.exchange.raw).digest(), _headers(visit.exchange.head), number), visit.exchange.raw)
        for visit, number in zip(came, bodies.numbers, strict=True)
        if number and visit.exchange is not None
    ]
    held.put(pages, held=True)


def page_of(visit: Visit, digest: bytes, headers: dict[str, str], number: int = 0) -> HeldPage:
    validators = Validators(headers.get("etag", ""), headers.get("last-modified", ""))
    return HeldPage(number, visit.key, visit.url, validators, digest)


def _headers(head: bytes) -> dict[str, str]:
    read = read_head(head.splitlines(keepends=True))
    return read.headers if read is not None else {}
