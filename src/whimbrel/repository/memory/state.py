"""What a repository in memory holds. Whoever looks or writes holds `lock`: then each question has one state."""

import threading
from collections.abc import Callable, Collection, Iterator
from functools import wraps
from io import BytesIO
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from msgspec import Struct, field

from whimbrel.records.role import Role
from whimbrel.records.url import Url
from whimbrel.repository import warc
from whimbrel.repository.contract import (
    ArchivePiece,
    Body,
    Kept,
    RepositoryError,
    Returned,
    RobotsCopy,
    Roll,
    Visited,
)
from whimbrel.repository.members import Record, members
from whimbrel.repository.views import Site, Stand

FILE = "memory.warc.gz"
KEPT = ("fetched", "unchanged")
HERE = (*KEPT, "duplicate")
_MAY_COME_BACK = ("failed", "unreachable", "redirected")


class UrlRow(Struct):
    """A URL and what became of it."""

    key: int
    url: Url
    lane: int
    depth: int
    hops: int
    run: int
    asset: int
    via: int | None
    found_at: float
    outcome: str
    rule: str
    reason: str
    news: int = 0
    status: int = 0
    target: int | None = None
    visited_at: float | None = None
    tries: int = 0
    occurrences: int = 0
    version: int | None = None


class Edition(Struct, frozen=True):
    """A version as it was handed in, without its bytes; `piece` is its number in the archive, below nought for a state
    that stands beside it."""

    number: int
    kept: Kept
    piece: int
    quiet: bool


class Host(Struct):
    number: int
    name: str
    surveyed_at: float | None = None


class Due(Struct):
    key: int
    at: float
    attempt: int = 0


class Changed(Struct):
    """A change that was noted."""

    seq: int
    key: int
    at: float
    what: str
    kinds: str
    amount: float
    before: int | None
    after: int | None
    target: int | None
    details: bytes
    degree: str
    told: int


class AnnouncedRow(Struct):
    """What sitemaps say of a URL."""

    lastmod: float | None
    changefreq: str
    priority: float | None
    at: float
    moved_at: float = 0.0

    @property
    def announced_at(self) -> float | None:
        return None if self.lastmod is None else max(self.lastmod, self.moved_at)


class RequestRow(Struct):
    """A request for pages of a kind."""

    asked_at: float
    examples: tuple[Url, ...]
    structure: bytes
    most: int | None
    state: str
    finished_at: float | None = None


class Happened(Struct):
    key: int
    kind: str
    version: int | None


class Tables(Struct, gc=True):
    """Every table. The queue is by lane, then by band and sequence; pieces are by where they begin."""

    lock: Any = field(default_factory=threading.RLock)
    written: bool = False
    """Whether somebody holds the writing end."""
    rows: dict[int, UrlRow] = field(default_factory=dict)
    hosts: dict[str, Host] = field(default_factory=dict)
    names: dict[int, Host] = field(default_factory=dict)
    due: dict[int, dict[tuple[int, int], Due]] = field(default_factory=dict)
    editions: dict[int, Edition] = field(default_factory=dict)
    of_url: dict[int, list[int]] = field(default_factory=dict)
    readings: dict[int, bytes] = field(default_factory=dict)
    bodies: dict[bytes, tuple[Body, int]] = field(default_factory=dict)
    survivors: dict[bytes, int] = field(default_factory=dict)
    patterns: dict[str, bytes] = field(default_factory=dict)
    robots: dict[str, RobotsCopy] = field(default_factory=dict)
    seeds: dict[Url, tuple[bool, float]] = field(default_factory=dict)
    events: dict[int, Happened] = field(default_factory=dict)
    traffic: dict[str, tuple[int, int]] = field(default_factory=dict)
    returned: dict[int, Returned] = field(default_factory=dict)
    changes: dict[int, Changed] = field(default_factory=dict)
    listed: dict[int, AnnouncedRow] = field(default_factory=dict)
    witnesses: dict[tuple[int, str], bytes] = field(default_factory=dict)
    choices: dict[int, tuple[float, bytes]] = field(default_factory=dict)
    answers: dict[int, int] = field(default_factory=dict)
    requests: dict[int, RequestRow] = field(default_factory=dict)
    rolls: dict[str, Roll] = field(default_factory=dict)
    meta: dict[str, str] = field(default_factory=dict)
    forgotten: dict[str, float] = field(default_factory=dict)
    pieces: dict[int, ArchivePiece] = field(default_factory=dict)
    passing: dict[int, ArchivePiece] = field(default_factory=dict)
    """States that differ by noise, by their number below nought, until another comes."""
    end: int = 0
    seq: int = 0
    """The last place that was given in the queue; like the numbers below, none is given twice."""
    last_version: int = 0
    last_event: int = 0
    last_change: int = 0

    def host(self, name: str) -> Host:
        """A new one where there is none."""
        if name not in self.hosts:
            host = Host(len(self.names) + 1, name)
            self.hosts[name] = self.names[host.number] = host
        return self.hosts[name]

    def edition(self, row: UrlRow) -> Edition | None:
        return self.editions[row.version] if row.version is not None else None

    def editions_of(self, key: int) -> list[Edition]:
        """In the order in which they came."""
        return [self.editions[number] for number in self.of_url.get(key, ())]

    def with_edition(self, keys: Collection[int] | None = None) -> Iterator[tuple[UrlRow, Edition]]:
        """The URLs of which a version counts, with it; of some, or of all by their keys."""
        for key in sorted(self.rows) if keys is None else keys:
            row = self.rows.get(key)
            if row is not None and row.version is not None:
                yield row, self.editions[row.version]

    def survivor(self, row: UrlRow) -> Url | None:
        """Of which page it is a copy, where it is one."""
        edition = self.edition(row)
        if row.outcome != "duplicate" or edition is None:
            return None
        survivor = self.rows.get(self.survivors.get(edition.kept.twins, 0))
        return survivor.url if survivor is not None else None

    def queue(self) -> Iterator[tuple[int, tuple[int, int], Due]]:
        for lane, places in self.due.items():
            for place, due in places.items():
                yield lane, place, due

    def queued(self) -> set[int]:
        return {due.key for _, _, due in self.queue()}

    def on_site(self, site: Site | None) -> Callable[[UrlRow], bool]:
        if site is None:
            return lambda row: True
        host = self.hosts.get(site.host)
        origins = tuple(f"{scheme}://{site.port}/" for scheme in ("http", "https")) if site.port else ("",)
        return lambda row: host is not None and row.lane == host.number and row.url.startswith(origins)

    # The archive.

    def append(self, pieces: list[ArchivePiece], now: float, software: str) -> list[int]:
        """Where each begins."""
        if pieces and not self.end:
            header = warc.info(now, FILE, software)
            self.pieces[0] = ArchivePiece(header, len(header))
            self.end = len(header)
        starts = []
        for piece in pieces:
            starts.append(self.end)
            self.pieces[self.end] = piece
            self.end += len(piece.data)
        return starts

    def member(self, start: int) -> bytes:
        piece = self.pieces[start] if start >= 0 else self.passing[start]
        return piece.data[: piece.length]

    def stand(self, start: int) -> Stand:
        return Stand(FILE, start, self.pieces[start].length)

    def records(self) -> Iterator[Record]:
        for start, piece in sorted(self.pieces.items()):
            for record in members(BytesIO(piece.data), FILE, len(piece.data)):
                stand = Stand(FILE, start + record.stand.offset, record.stand.length)
                yield Record(stand, record.member, record.text, record.headers)
        for _, piece in sorted(self.passing.items(), reverse=True):
            yield from members(BytesIO(piece.data), FILE, len(piece.data))

    def copy(self, edition: Edition) -> warc.Content:
        """A version's own head, and the payload that its twins share with it."""
        content = warc.content_of(self.member(edition.piece))
        if content.warc_headers.get("warc-type") != "revisit":
            return content
        body = self.bodies.get(edition.kept.digest)
        if body is None:
            raise RepositoryError(f"the body of {self.rows[edition.kept.key].url} is missing")
        payload = warc.content_of(self.member(body[1])).payload
        return warc.Content(content.warc_headers, content.head, payload)


def visited(state: Tables, row: UrlRow) -> Visited:
    edition, returned, listed = state.edition(row), state.returned.get(row.key), state.listed.get(row.key)
    return Visited(
        row.key, row.url, state.names[row.lane].name, row.lane, row.depth, row.asset, row.outcome,
        edition.kept.at if edition is not None else row.visited_at or 0.0,
        row.visited_at or 0.0,
        returned.history if returned is not None else b"",
        listed.announced_at if listed is not None else None,
        listed.changefreq if listed is not None else "",
        listed.priority if listed is not None else None,
        int(listed is not None),
        row.occurrences,
    )  # fmt: skip


def worth_asking(row: UrlRow) -> bool:
    if row.asset >= Role.SITEMAP or row.visited_at is None:
        return False
    return (row.version is not None and row.outcome != "out_of_scope") or row.outcome in _MAY_COME_BACK


class HasState(Protocol):
    @property
    def state(self) -> Tables: ...


_Self = TypeVar("_Self", bound=HasState)
_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")


def locked(
    method: Callable[Concatenate[_Self, _Given], _Answer],
) -> Callable[Concatenate[_Self, _Given], _Answer]:
    """A question or an order that no other comes between. What it gives is made before it returns."""

    @wraps(method)
    def whole(self: _Self, /, *given: _Given.args, **named: _Given.kwargs) -> _Answer:
        with self.state.lock:
            return method(self, *given, **named)

    return whole
