"""How a repository is read: by any number of readers, also while somebody writes. Each question is answered from one
state; lists are streamed."""

from collections.abc import Collection, Iterable, Iterator
from typing import Protocol, Self

from whimbrel.records.url import Url
from whimbrel.repository.contract import Counts, Enquiry, Roll, Visited
from whimbrel.repository.location import Location
from whimbrel.repository.members import Record
from whimbrel.repository.port.followed import Followed, Outgoing
from whimbrel.repository.views import (
    EVERYTHING,
    Absent,
    DeadLinks,
    Detail,
    LaneCounts,
    ListedUrl,
    Overview,
    Reached,
    Selection,
    Site,
    Stand,
    StoredPage,
    Told,
    Version,
)
from whimbrel.repository.warc import Content


class Pages(Protocol):
    """URLs, pages, versions, and the copies that are kept."""

    def urls(self, selection: Selection = EVERYTHING) -> Iterator[ListedUrl]:
        """The chosen URLs, nearest to a seed first, then by name."""

    def count(self, selection: Selection = EVERYTHING) -> int:
        """How many URLs are chosen."""

    def pages(self, selection: Selection = EVERYTHING) -> Iterator[StoredPage]:
        """Kept pages and their twins, nearest to a seed first, then by name; assets only where they are chosen."""

    def one(self, url: Url) -> ListedUrl | None: ...

    def detail(self, url: Url) -> Detail: ...

    def versions(self, url: Url) -> list[Version]:
        """Every kept state of a URL, oldest first. An import may bring older ones later; that which counts is last."""

    def has_private(self, url: Url) -> bool:
        """Whether some kept state of a URL was fetched with credentials."""

    def body(self, url: Url, version: Version | None = None) -> Content:
        """The kept copy as it was received: a version's own head, and the payload that its twins share with it."""

    def stands(self, url: Url) -> dict[int, Stand]:
        """The records of a URL's versions."""

    def record(self, version: int) -> bytes:
        """A version's record, compressed as it was committed."""

    def records(self) -> Iterator[Record]:
        """Every record of the archive, in the order in which they came."""


class Counted(Protocol):
    """What there is, counted; what runs remembered; who worked, and what was asked for."""

    def counts(self) -> Counts: ...

    def overview(self) -> Overview:
        """All of it from one state, so that the counts agree with each other."""

    def rules(self) -> list[tuple[str, str, int]]:
        """How many URLs each rule decided, by outcome."""

    def unvisited(self) -> int:
        """How many URLs wait for their first visit: a kept page that is asked for again is none of them."""

    def lanes(self) -> list[LaneCounts]:
        """Every host that is known, by name."""

    def reached(self) -> Iterator[Reached]:
        """Every page that is here."""

    def seeds(self) -> list[Url]:
        """What was named for crawls, in that order."""

    def recall(self, name: str) -> object:
        """What a run remembered for the next by this name."""

    def migrants(self) -> list[Roll]:
        """Everyone who has worked for this repository, the first born first."""

    def requests(self) -> list[Enquiry]:
        """Every kind of page that was asked for, and how much of it was found."""

    def choice(self, host: str) -> bytes | None:
        """The last choice of a migrant for this host, as it was recorded."""


class Tellings(Protocol):
    """What changed."""

    def since(self, at: float, site: Site | None = None, *, unread: bool = False) -> Iterator[Told]:
        """Everything that happened from that moment on, in order. A page kept for the first time is new, or first.
        Changes of what nobody reads come only with `unread`."""

    def batches(
        self, since: float, until: float, site: Site | None = None, *, firsts: bool = False, unread: bool = False
    ) -> Iterator[list[Told]]:
        """The newest first, some hundred at a time; what first crawls found and what nobody reads only where asked
        for."""

    def first_count(self, since: float, until: float, site: Site | None = None) -> int:
        """How many pages first crawls found."""

    def between_versions(self, url: Url, before: int, after: int) -> Told | None:
        """What was told of the change from one version to another."""

    def current_readings(self, urls: Collection[Url]) -> Iterator[tuple[Url, bytes]]:
        """What was last read from these pages, packed, page by page."""

    def habits(self, url: Url) -> bytes:
        """What on a page differs from visit to visit, packed."""

    def groups(self, versions: Iterable[int]) -> dict[int, bytes]:
        """The groups of twins that these versions are in: those with the same text have the same."""

    def candidates(self, most: int | None = None) -> Iterator[Visited]:
        """URLs whose visit could tell something new, by their keys: the first ones are as good as drawn by lot."""

    def candidates_among(self, keys: Collection[int]) -> list[Visited]: ...

    def witnesses(self, name: str) -> dict[int, bytes]:
        """What was learned of one kind of signal, by lane."""

    def absent(self, site: Site | None = None) -> list[Absent]:
        """Pages that may be gone, those that are asked for first in front."""

    def changed_at(self, site: Site) -> Iterator[tuple[Url, float]]:
        """Every page of a site that is here, and when it last really changed."""

    def listed(self) -> set[Url]:
        """The URLs that sitemaps list."""

    def sitemap_notes(self, since: float) -> list[tuple[Url, str]]:
        """The sitemaps visited since then that were not taken whole, and why."""

    def dead_links(self) -> DeadLinks: ...


class Reader(Pages, Counted, Tellings, Followed, Outgoing, Protocol):
    """Shows what a repository holds and changes nothing. Threads may share one where they take turns."""

    @property
    def location(self) -> Location: ...
    def __enter__(self) -> Self: ...
    def __exit__(self, *error: object) -> None: ...
    def close(self) -> None: ...
