"""What a repository shows of what it keeps: the records of the reading side, whatever engine keeps them."""

from typing import NamedTuple

from msgspec import Struct

from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.records.visit import Outcome
from whimbrel.repository.contract import Counts
from whimbrel.urls.normal import authority, host, normalise


class Site(Struct, frozen=True):
    """A host; with `port` (as "host:port") only what that port serves."""

    host: str
    port: str = ""

    def covers(self, url: str) -> bool:
        named = Url(url)
        return host(named) == self.host and self.port in ("", authority(named))

    def __str__(self) -> str:
        return self.port or self.host


def site_of(text: str) -> Site | Verdict:
    """A site as people write it: example.org, example.org:8080 or any URL on it."""
    url = normalise(text if "://" in text else f"http://{text}")
    if isinstance(url, Verdict):
        return url
    named = authority(url)
    return Site(host(url), named if named != host(url) else "")


class Selection(Struct, frozen=True):
    """Which URLs to show; an empty field does not choose. `match` is a regular expression found in the URL."""

    outcomes: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    site: Site | None = None
    match: str = ""
    assets: bool | None = None
    limit: int | None = None
    private: bool = True
    """False leaves out what was fetched with credentials."""
    after: tuple[int, str] | None = None
    """Only what comes behind this depth and URL, in the order of lists: long lists are shown by the piece."""


EVERYTHING = Selection()


class ListedUrl(Struct, frozen=True):
    """A URL and what became of it; the document's fields are empty where none is kept."""

    key: int
    url: Url
    outcome: str
    rule: str
    reason: str
    status: int
    depth: int
    found_at: float
    visited_at: float | None
    tries: int
    occurrences: int
    title: str
    mime: str
    size: int
    duplicate_of: Url | None
    asset: bool
    private: bool = False


class StoredPage(Struct, frozen=True):
    """A kept page or a twin of one. `reading` is packed as the crawl packed it, empty where nothing was read."""

    url: Url
    depth: int
    outcome: str
    reason: str
    status: int
    title: str
    language: str
    mime: str
    charset: str
    digest: bytes
    size: int
    fetched_at: float
    reading: bytes
    duplicate_of: Url | None


class Version(Struct, frozen=True):
    """One kept state of a URL."""

    number: int
    at: float
    status: int
    mime: str
    charset: str
    language: str
    title: str
    canonical: str
    digest: bytes
    size: int
    received: int
    etag: str
    last_modified: str
    cut: tuple[str, ...]
    private: bool = False
    told: bool = True
    """False where it differs from the version before it by noise, or by what nobody reads."""


class Stand(Struct, frozen=True, order=True):
    """Which record of the archive it is, for people who look there and to tell one record from another; only the engine
    finds a record by it."""

    file: str
    offset: int
    length: int


class BodyMark(Struct, frozen=True, gc=False):
    """By what the bytes of a version are known."""

    charset: str
    digest: bytes


class Detail(Struct, frozen=True):
    """Everything known of one URL. `via` leads back to a seed, nearest first; `due_at` is None unless it waits."""

    listed: ListedUrl
    target: Url | None
    via: tuple[Url, ...]
    due_at: float | None
    versions: tuple[Version, ...]
    twins: tuple[Url, ...]
    reading: bytes


class Trap(Struct, frozen=True):
    """URLs refused for one reason that a rule found by itself: a trap, or a kind that is not worth asking for."""

    reason: str
    urls: int
    example: Url
    rule: str


class LaneCounts(Struct, frozen=True):
    """A host and how much of it is known, kept and due."""

    host: str
    known: int
    kept: int
    due: int


class Reached(NamedTuple):
    """A page that is here, kept or as a copy of one that is, and how it could be come upon: `listed` where a sitemap
    names it, `depth` links from a seed, and `met` by so many links."""

    key: int
    host: str
    kept: int
    listed: int
    depth: int
    met: int


class Overview(Struct, frozen=True):
    """A folder at a glance. `rules` counts by outcome and rule; `archives` are file names and committed sizes."""

    counts: Counts
    rules: tuple[tuple[str, str, int], ...]
    other_bytes: int
    assets: int
    sitemaps: int
    hosts: int
    due: int
    postponed: int
    unvisited: int
    traps: tuple[Trap, ...]
    seeds: tuple[Url, ...]
    archives: tuple[tuple[str, int], ...]
    last_visit_at: float | None
    private: int = 0
    """Pages fetched with credentials."""


# What changed.


class Told(Struct, frozen=True):
    """One change. `what` is new, changed, moved, gone or restored, or first for a page that was there when its host was
    crawled for the first time; of the page's whole site away, with the reason as `kinds`, or answers. `target` is where
    a moved page went; `details` are packed spots; versions are numbers, None where there is none."""

    at: float
    what: str
    url: Url
    title: str
    kinds: str
    amount: float
    before: int | None
    after: int | None
    target: Url | None
    details: bytes
    reason: str
    degree: str = ""
    told: int = 1
    """0 for what nobody reads: a change of scripts or looks alone."""


class Absent(Struct, frozen=True):
    """A kept page that was missing or in doubt at its last visits. `absence` is packed; `due_at` is when it is asked
    for again, None where it waits for its turn."""

    url: Url
    title: str
    reason: str
    absence: bytes
    due_at: float | None


class DeadLinks(Struct, frozen=True):
    """What the links of a folder lead to besides pages: nothing any more, error pages, copies of other pages."""

    dead: int
    soft: int
    blank: int
    redundant: int


# What followers read.


class Event(NamedTuple):
    """Something happened to a URL; what is so now is read from what is kept."""

    seq: int
    url: int
    kind: str


class Position(Struct, frozen=True):
    """Every change and every version up to these numbers."""

    change: int = 0
    version: int = 0


class Newest(Struct, frozen=True, gc=False):
    """A URL's newest kept state. `survivor` is false for a twin; `versions` counts its kept states."""

    key: int
    url: Url
    survivor: bool
    version: int
    versions: int
    title: str
    language: str
    mime: str
    at: float
    visited_at: float
    last_modified: str
    twins: bytes


class Grouped(NamedTuple):
    """A page as it is kept now. `content` is its group of exact twins, `survivor` the one that counts."""

    key: int
    url: Url
    depth: int
    outcome: str
    version: int
    title: str
    mime: str
    content: bytes
    canonical: str
    survivor: Url | None

    @property
    def kept(self) -> bool:
        return self.outcome != Outcome.DUPLICATE
