"""What home and a migrant say to each other, whatever carries it.

A message is a msgpack array that begins with its tag. A connection begins with `Hello` from the migrant and `Brief`
from home. Home sends `Work`, whose itineraries are sealed (see `itinerary`), the migrant `Parcel`s with rising numbers;
`Work.acknowledged` is the number of the last parcel that is durable at home. What was not acknowledged when a
connection ends counts as never done. A migrant that can no longer read ends itself.

A migrant says `LaneNews` once it knows a host's address. Where one address may serve several hosts it waits for
`Grant` before it asks: hosts that share an address sit with one migrant. `Release` asks for a lane or some of its
slices back, which come as `Luggage` once no request of theirs is under way; `Pack` asks for all of them at once.
"""

from typing import TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from whimbrel.fetch.politeness import PolitenessSettings
from whimbrel.fetch.settings import FetchSettings
from whimbrel.records.entry import PageEntry
from whimbrel.records.hours import Hours
from whimbrel.records.picturing import PictureClass
from whimbrel.records.request import ANY, Fitted, Request
from whimbrel.records.sifting import NO_PAGE_FILTER, PageFilter
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.visit import Visit
from whimbrel.repository.contract import RobotsCopy
from whimbrel.urls.normal import Rewrites
from whimbrel.urls.scope import ScopeKind

VERSION = 14
SLICES = 16
"""A host that may be asked for several pages at once can be shared: by the last bits of the URLs' keys."""

BUSY = "busy"
"""By this rule tasks of a host that asked to be left alone come back."""


class WireError(Exception):
    """The other end broke the contract."""


class Brief(Struct, frozen=True, tag="brief", array_like=True):
    """What a migrant has to know to judge alone."""

    version: int
    fetch: FetchSettings
    politeness: PolitenessSettings
    scope: ScopeKind
    seeds: list[Url]
    seed_hosts: list[str]
    networks: list[str]
    filters: list[dict[str, object] | str]
    order: str
    assets: bool
    agent: str
    robots_off_hosts: list[str]
    most_connections: int
    retries: int
    patience_seconds: float
    site_delays: list[tuple[str, float]] = []
    requests: list[Request] = []
    rewrites: list[tuple[str, Rewrites]] = []
    private_names: list[tuple[str, str]] = []
    assumed: list[str] = []
    own_addresses: list[str] = []
    avoid: list[tuple[str, list[str]]] = []
    """Beginnings of URLs that credentials go with, and the patterns of links that act there."""
    witnesses: list[tuple[Url, bytes]] = []
    """Kept pages that were shown to us with credentials, and their groups of twins."""
    closed: list[tuple[str, str]] = []
    """Beginnings of URLs that are not asked in this run, since their site's credentials cannot be had; with why."""
    directives_off_hosts: list[str] = []
    site_hours: list[tuple[str, Hours, str]] = []
    """Hosts that are asked within these hours only, by UTC, since clocks elsewhere show another time; and as they were
    written."""
    page_filter: PageFilter = NO_PAGE_FILTER
    pictures: bool = False
    """Only pictures are kept, and the pages that show them."""
    judges: str = ANY
    """The rule over several kinds of requests."""
    picture_classes: list[PictureClass] = []
    pictures_looked_at: int = 0
    """Of each page, before it is judged; 0 where nothing that is asked for is told by pictures."""
    entries: bool = False
    """A place sends the index entry of a page first, and its body when it is asked for."""


class WiderScope(Struct, frozen=True, tag="scope", array_like=True):
    """Where the seeds' redirects led: these count as seeds for the scope, not for the address guard."""

    seeds: list[Url]


class LaneWork(Struct, frozen=True, array_like=True):
    """Work for one host, or for `slices` of its `SLICES`. `wait_seconds` is how long it must still be left alone; with
    `shy` nobody knows when it was last asked, and it waits one full delay."""

    number: int
    host: str
    wait_seconds: float
    robots: list[RobotsCopy]
    tasks: list[Task]
    slices: int = SLICES
    shy: bool = False
    strikes: int = 0


class Sealed(Struct, frozen=True, array_like=True):
    """An encoded itinerary and the proof of who wrote it."""

    body: bytes
    proof: bytes


class Work(Struct, frozen=True, tag="work", array_like=True):
    """More to do. `room` is how many more pages may be kept (-1: any number)."""

    itineraries: list[Sealed]
    acknowledged: int
    room: int


class Grant(Struct, frozen=True, tag="grant", array_like=True):
    """No other migrant asks this lane's address: begin."""

    lane: int


class Hold(Struct, frozen=True, tag="hold", array_like=True):
    """The host told another holder of this lane to wait."""

    lane: int
    seconds: float


class Release(Struct, frozen=True, tag="release", array_like=True):
    """Give these slices of a lane back; all of them where none is named."""

    lane: int
    slices: list[int]


class Pack(Struct, frozen=True, tag="pack", array_like=True):
    """Finish what is under way, give everything back, and end."""


class Served(Struct, frozen=True, tag="served", array_like=True):
    """A request of the brief has all it asked for: pages are no longer held against it."""

    request: int


class Halt(Struct, frozen=True, tag="halt", array_like=True):
    """Finish what is under way, send it, and end."""


class Hello(Struct, frozen=True, tag="hello", array_like=True):
    version: int
    pid: int
    name: str


class Parcel(Struct, frozen=True, tag="parcel", array_like=True):
    """What comes home: visits, robots files met on the way with their archive records, occurrences counted. `again` are
    visits told before as refused by a judge, which wants them after all; `fitted` is what this migrant has learned for
    requests; `entries` stand for pages whose visits are in it."""

    number: int
    visits: list[Visit]
    robots: list[RobotsCopy]
    records: list[bytes]
    occurrences: list[tuple[int, int]]
    again: list[Visit] = []
    fitted: list[Fitted] = []
    entries: list[PageEntry] = []


class Pulse(Struct, frozen=True, tag="pulse", array_like=True):
    """How a migrant is doing. Latency and bandwidth are moving means over its answers, 0 while there was none;
    `task_seconds` is the time that all its tasks took together, waiting included."""

    queued: int
    in_flight: int
    hosts_waiting: int
    next_ready_seconds: float
    notes: list[str]
    cpu_seconds: float
    memory_bytes: int = 0
    free_disk_bytes: int = 0
    latency_seconds: float = 0.0
    bandwidth: float = 0.0
    task_seconds: float = 0.0


class LaneNews(Struct, frozen=True, tag="news", array_like=True):
    """What a migrant found out about a host: where it is, and how many requests it may have under way."""

    lane: int
    address: str
    loopback: bool
    connections: int


class HostHeld(Struct, frozen=True, tag="held", array_like=True):
    """The host asked to be left alone; whoever else holds slices of it must know."""

    lane: int
    seconds: float


class Luggage(Struct, frozen=True, tag="luggage", array_like=True):
    """Lanes given back, with what was still to do, in order. `slices` are those released; `all` after `Pack`."""

    lanes: list[LaneWork]
    slices: list[int] = []
    all: bool = False


class Refusal(Struct, frozen=True, tag="refusal", array_like=True):
    """An itinerary that was not accepted; nothing of it runs."""

    rule: str
    reason: str


class Bye(Struct, frozen=True, tag="bye", array_like=True):
    """Everything was sent."""


FromHome: TypeAlias = Brief | WiderScope | Work | Grant | Hold | Release | Served | Pack | Halt
FromMigrant: TypeAlias = Hello | Parcel | Pulse | LaneNews | HostHeld | Luggage | Refusal | Bye

_Message = TypeVar("_Message")

_encoder = msgspec.msgpack.Encoder()
_from_home = msgspec.msgpack.Decoder(FromHome)
_from_migrant = msgspec.msgpack.Decoder(FromMigrant)


def encode(message: FromHome | FromMigrant) -> bytes:
    return _encoder.encode(message)


def read_from_home(body: bytes) -> FromHome:
    message: FromHome = _decode(_from_home, body)
    return message


def read_from_migrant(body: bytes) -> FromMigrant:
    message: FromMigrant = _decode(_from_migrant, body)
    return message


def _decode(decoder: msgspec.msgpack.Decoder[_Message], body: bytes) -> _Message:
    try:
        return decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WireError(f"a message that does not fit the contract: {error}") from error
