"""What any repository is asked and told: the records of the contract, whatever engine keeps them."""

from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct, field

from whimbrel.records.url import Url


class RepositoryError(Exception):
    """The folder cannot be used as it is; the message says what to do."""


class NothingThere(RepositoryError):
    """There is no such folder, URL or site."""


class FolderBusy(RepositoryError):
    """Another process is writing to the folder."""


class Only(StrEnum):
    """Which places of the queue count: all, those of kept pages, those of style sheets and pictures."""

    ALL = "all"
    KEPT = "kept"
    ASSETS = "assets"


class Known(NamedTuple):
    """What the repository knows of a URL."""

    key: int
    url: Url
    lane: int
    depth: int
    hops: int
    run: int
    asset: int
    outcome: str
    rule: str
    target: int | None
    version: int | None
    tries: int


class Found(NamedTuple):
    """A URL met for the first time. `due` says whether it waits to be visited."""

    key: int
    url: Url
    host: str
    depth: int
    hops: int
    run: int
    asset: int
    via: int | None
    at: float
    outcome: str
    rule: str
    reason: str


class Settled(NamedTuple):
    """What became of a URL that was visited. `kept` points into `Plan.kept`; -1 leaves the version as it is."""

    key: int
    outcome: str
    rule: str
    reason: str
    status: int
    at: float
    target: int | None
    kept: int


class Kept(NamedTuple):
    """A version of a page. `piece` points into `Plan.pieces`; `body` is set where these bytes are new to us."""

    key: int
    url: Url
    at: float
    status: int
    mime: str
    charset: str
    language: str
    title: str
    canonical: str
    digest: bytes
    twins: bytes
    size: int
    received: int
    etag: str
    last_modified: str
    cut: str
    piece: int
    body: bool
    payload_digest: bytes
    reading: bytes


class Returned(NamedTuple):
    """What the visits to a kept page left behind. `digest` and the validators are those of the last answer, kept or
    not; `absence` and `history` are packed. With `unconditional` the next visit asks for the whole document, to see
    whether the validators tell the truth."""

    key: int
    digest: bytes
    etag: str
    last_modified: str
    absence: bytes
    unconditional: int
    history: bytes


class Held(NamedTuple):
    """The newest kept version of a page, what its visits left behind, and when a sitemap last announced a change of
    it (None where no sitemap gives a date)."""

    key: int
    version: int
    at: float
    title: str
    returned: Returned
    announced_at: float | None


class Noted(NamedTuple):
    """A change worth telling. `kept` points into `Plan.kept` (-1: no new version); `details` are packed spots."""

    key: int
    at: float
    what: str
    kinds: str
    amount: float
    before: int | None
    kept: int
    target: int | None
    details: bytes


class Body(NamedTuple):
    """Where the one copy of some bytes is kept."""

    payload_digest: bytes
    url: str
    at: float


class Lease(NamedTuple):
    """A place in the queue, as long as somebody works on it."""

    lane: int
    band: int
    seq: int
    key: int
    attempt: int


class Roll(NamedTuple):
    """A migrant as the folder remembers it. `luggage` is its queue while it is asleep or on its way; `errand` names the
    requests that it was made for."""

    name: str
    state: str
    place: str
    birthplace: str
    parent: str
    born_at: float
    changed_at: float
    visits: int
    received: int
    luggage: bytes
    errand: str = ""


class Enquiry(Struct, frozen=True):
    """A request for pages of a kind, as the folder keeps it. `structure` is what was made of the examples; `most` is
    how many pages are wanted, None any number; `found` how many were. `state` is open, done or withdrawn."""

    number: int
    asked_at: float
    examples: tuple[Url, ...]
    structure: bytes
    most: int | None
    found: int
    state: str
    finished_at: float | None


class RobotsCopy(Struct, frozen=True, array_like=True):
    """A robots.txt as it was received (status 0: unreachable)."""

    origin: str
    at: float
    status: int
    body: bytes


class Piece(NamedTuple):
    """WARC members to append; the first `length` bytes are the record that a version points to."""

    data: bytes
    length: int


class Plan(Struct):
    """Everything that one commit changes, decided before anything is written."""

    pieces: list[Piece] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    queued: list[tuple[int, str, int, float]] = field(default_factory=list)  # key, host, band, not before
    settled: list[Settled] = field(default_factory=list)
    done: list[Lease] = field(default_factory=list)
    postponed: list[tuple[Lease, float]] = field(default_factory=list)  # due again at
    kept: list[Kept] = field(default_factory=list)
    depths: dict[int, int] = field(default_factory=dict)
    outcomes: dict[int, tuple[str, str, str]] = field(default_factory=dict)  # outcome, rule, reason of other URLs
    survivors: dict[bytes, int] = field(default_factory=dict)
    patterns: dict[str, bytes] = field(default_factory=dict)
    robots: list[RobotsCopy] = field(default_factory=list)
    seeds: list[tuple[Url, bool]] = field(default_factory=list)
    events: list[tuple[int, str, int]] = field(default_factory=list)  # key, kind, index into kept or -1
    occurrences: dict[int, int] = field(default_factory=dict)
    traffic: dict[str, tuple[int, int]] = field(default_factory=dict)  # kind: bytes, count
    returned: list[Returned] = field(default_factory=list)
    noted: list[Noted] = field(default_factory=list)
    dissolved: list[bytes] = field(default_factory=list)  # groups of twins without a survivor
    listed: dict[int, tuple[float | None, str, float | None, float]] = field(default_factory=dict)
    witnesses: dict[tuple[int, str], bytes] = field(default_factory=dict)  # lane and name
    choices: list[tuple[int, float, bytes]] = field(default_factory=list)  # lane, at, the choice as it was recorded
    answers: dict[int, int] = field(default_factory=dict)  # the request that a URL's page was kept for


class Counts(Struct, frozen=True):
    """What a folder holds, counted."""

    known: int
    states: dict[str, int]
    pages: int
    bytes: dict[str, int]
