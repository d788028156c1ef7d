"""What a repository shows of what it keeps: the records of the reading side, whatever engine keeps them."""

from msgspec import Struct

from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
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


EVERYTHING = Selection()


class Listed(Struct, frozen=True):
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
    """One kept state of a URL, and where its record stands."""

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
    file: str
    offset: int
    length: int
    cut: tuple[str, ...]


class Detail(Struct, frozen=True):
    """Everything known of one URL. `via` leads back to a seed, nearest first; `due_at` is None unless it waits."""

    listed: Listed
    target: Url | None
    via: tuple[Url, ...]
    due_at: float | None
    versions: tuple[Version, ...]
    twins: tuple[Url, ...]
    reading: bytes


class Trap(Struct, frozen=True):
    """URLs refused as a trap for one reason."""

    reason: str
    urls: int
    example: Url


class Lane(Struct, frozen=True):
    """A host and how much of it is known, kept and due."""

    host: str
    known: int
    kept: int
    due: int


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
    traps: tuple[Trap, ...]
    seeds: tuple[Url, ...]
    archives: tuple[tuple[str, int], ...]
    last_visit_at: float | None
