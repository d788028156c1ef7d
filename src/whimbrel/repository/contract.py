"""What any repository is asked and told: the records of the contract, whatever engine keeps them."""

from collections.abc import Set
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct, field

from whimbrel.records.event import EventKind
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


OPEN, DONE, WITHDRAWN = "open", "done", "withdrawn"
"""What becomes of a request."""


class KnownUrl(NamedTuple):
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
    news: int = 0


class FoundUrl(NamedTuple):
    """A URL met for the first time. `news`: it was not there when its host was first crawled."""

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
    news: int = 0


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
    private: bool = False
    """Whether it was asked for with credentials."""
    quiet: bool = False
    """Whether it raised no alarm: noise, or what nobody reads."""
    passing: bytes = b""
    """The records of a state that is noise: it is kept beside the archive until another takes its place. `piece` is
    then the length of the first of them."""


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
    habits: bytes = b""
    """What on the page differs from visit to visit, packed."""


class HeldVersion(NamedTuple):
    """The newest kept version of a page, what its visits left behind, and when a sitemap last announced a change of
    it (None where no sitemap gives a date)."""

    key: int
    version: int
    at: float
    title: str
    returned: Returned
    announced_at: float | None
    told: int
    """The newest version that was not noise; `version` is another where the page differed by noise since."""
    passing: int
    """Whether `version` stands beside the archive, until another comes."""


class Visited(NamedTuple):
    """A URL that was visited before and may be visited again. `at` is when what is known of it was seen; `listed`
    whether a sitemap lists it, `priority` what that says of its weight, `met` how often a link led to it."""

    key: int
    url: Url
    host: str
    lane: int
    depth: int
    asset: int
    outcome: str
    at: float
    visited_at: float
    history: bytes
    announced_at: float | None
    changefreq: str
    priority: float | None
    listed: int
    met: int


class Noted(NamedTuple):
    """A change that was seen. `kept` points into `Plan.kept` (-1: no new version, or `after` is it); `details` are
    packed spots. Where it is not `told`, it is there for those who ask for it."""

    key: int
    at: float
    what: str
    kinds: str
    amount: float
    before: int | None
    kept: int
    target: int | None
    details: bytes
    degree: str = ""
    told: int = 1
    after: int | None = None


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


class LeaseWanted(NamedTuple):
    """The next places of a lane's queue that are due and not among `leased`, so many at `most`; of some slices or of
    all, without those of origins that are `away`."""

    lane: int
    most: int
    now: float
    leased: Set[int] = frozenset()
    newest_first: bool = False
    slices: tuple[int, ...] = ()
    only: Only = Only.ALL
    away: tuple[str, ...] = ()


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


class ArchivePiece(NamedTuple):
    """WARC members to append; the first `length` bytes are the record that a version points to."""

    data: bytes
    length: int


class Queued(NamedTuple):
    """A place in the queue, from `not_before` on."""

    key: int
    host: str
    band: int
    not_before: float = 0.0


class Postponed(NamedTuple):
    """A task that is due again at a moment."""

    lease: Lease
    at: float


class Became(NamedTuple):
    """What a URL is from now on, though it was not visited: another's visit says so."""

    outcome: str
    rule: str = ""
    reason: str = ""


class Planted(NamedTuple):
    """A seed: named by somebody, or where the redirect of one led."""

    url: Url
    named: bool


class NewEvent(NamedTuple):
    """What followers are to hear of. `kept` points into `Plan.kept` (-1: no new version)."""

    key: int
    kind: EventKind
    kept: int = -1


class Traffic(NamedTuple):
    """What came over the network of some kind."""

    bytes: int = 0
    answers: int = 0


class Announced(NamedTuple):
    """What a sitemap said of a URL, read at a moment."""

    lastmod: float | None
    changefreq: str
    priority: float | None
    at: float


class ChosenMigrant(NamedTuple):
    """The migrant of a lane was chosen; `choice` holds all that went into it."""

    lane: int
    at: float
    choice: bytes


class SettledDown(NamedTuple):
    """A version that was noise and is told after all; `piece` is its place in `Plan.pieces`, -1 where it has one."""

    version: int
    piece: int


class Speaker(NamedTuple):
    """Whose word it is: something that the host of a lane says, by its name."""

    lane: int
    name: str


class Plan(Struct):
    """Everything that one commit changes, decided before anything is written."""

    pieces: list[ArchivePiece] = field(default_factory=list)
    found: list[FoundUrl] = field(default_factory=list)
    queued: list[Queued] = field(default_factory=list)
    settled: list[Settled] = field(default_factory=list)
    done: list[Lease] = field(default_factory=list)
    postponed: list[Postponed] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    depths: dict[int, int] = field(default_factory=dict)
    outcomes: dict[int, Became] = field(default_factory=dict)
    survivors: dict[bytes, int] = field(default_factory=dict)
    patterns: dict[str, bytes] = field(default_factory=dict)
    robots: list[RobotsCopy] = field(default_factory=list)
    seeds: list[Planted] = field(default_factory=list)
    events: list[NewEvent] = field(default_factory=list)
    occurrences: dict[int, int] = field(default_factory=dict)
    traffic: dict[str, Traffic] = field(default_factory=dict)
    returned: list[Returned] = field(default_factory=list)
    noted: list[Noted] = field(default_factory=list)
    passed: list[int] = field(default_factory=list)  # versions that were noise, and in whose place another came
    settled_down: list[SettledDown] = field(default_factory=list)
    dissolved: list[bytes] = field(default_factory=list)  # groups of twins without a survivor
    listed: dict[int, Announced] = field(default_factory=dict)
    witnesses: dict[Speaker, bytes] = field(default_factory=dict)
    choices: list[ChosenMigrant] = field(default_factory=list)
    answers: dict[int, int] = field(default_factory=dict)  # the request that a URL's page was kept for
    news: list[int] = field(default_factory=list)  # known URLs that had no page before
    roles: dict[int, int] = field(default_factory=dict)  # of known URLs that nobody asked for yet
    left: list[int] = field(default_factory=list)  # pages that made room for others: no version of theirs counts


class Counts(Struct, frozen=True):
    """What a folder holds, counted."""

    known: int
    states: dict[str, int]
    pages: int
    bytes: dict[str, int]
