"""How a repository is written: one writer, which asks what is known, leases what is due, and commits plans."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Protocol

from whimbrel.records.task import Validators
from whimbrel.records.url import Url
from whimbrel.repository.contract import (
    Body,
    Enquiry,
    HeldVersion,
    KnownUrl,
    Lease,
    LeaseWanted,
    Only,
    Plan,
    RobotsCopy,
    Roll,
    Visited,
)
from whimbrel.repository.location import Location
from whimbrel.repository.warc import Content


class Roster(Protocol):
    """The migrants that a repository has known: their names are never given twice."""

    def name(self) -> str:
        """A name that no migrant of this repository has had."""

    def save(self, roll: Roll) -> None: ...

    def rolls(self) -> list[Roll]: ...

    def forget_old(self) -> None:
        """The latest are enough to look back on; who sleeps is kept whatever happens, and so is the last name."""


class Requests(Protocol):
    """The requests for pages of a kind that a repository has known."""

    def every(self) -> list[Enquiry]:
        """In the order in which they were asked. What was found is counted, not noted: pages go as well as come."""

    def open(self) -> list[Enquiry]: ...

    def asked(self, examples: Sequence[Url]) -> Enquiry | None:
        """The request with these examples, whatever became of it."""

    def add(self, examples: Sequence[Url], structure: bytes, most: int | None, now: float) -> int: ...

    def go_on(self, number: int, most: int | None) -> None:
        """Asked again: it is open, and wants so many."""

    def reword(self, number: int, structure: bytes) -> None: ...

    def end(self, number: int, state: str, now: float) -> bool:
        """Done or withdrawn; whether it was open."""


class Past(Protocol):
    """What is known of earlier visits."""

    def prepare(self) -> None:
        """Before the first refresh."""

    def held(self, keys: Iterable[int]) -> dict[int, HeldVersion]: ...

    def states(self, key: int) -> tuple[float, list[tuple[float, bytes]]]:
        """When a page was last visited, and the moments and digests of its kept versions, oldest first."""

    def copy(self, version: int) -> Content | None:
        """The copy that is kept of a version; None where it was thinned out."""

    def reading(self, version: int) -> bytes:
        """What was read in a version, packed; nothing where nothing was."""

    def passing(self, version: int) -> tuple[bytes, int]:
        """The records of a version that was noise, and how long the first of them is."""

    def neighbours(self, lane: int, key: int, most: int) -> list[Content]:
        """Copies of other pages of the site, as good as drawn by lot."""

    def twins_in(self, group: bytes) -> list[int]:
        """The URLs that count as copies of the group's survivor, the next survivor first."""

    def witness(self, lane: int, name: str) -> bytes: ...

    def witnesses(self, name: str) -> dict[int, bytes]:
        """What was learned of one kind of signal, by lane."""

    def validators(self, keys: Iterable[int]) -> dict[int, Validators]:
        """What to ask with whether a kept page changed; nothing for pages that are to be asked for whole."""

    def queued(self) -> set[int]: ...

    def absent(self) -> dict[int, bytes]:
        """The kept pages that were missing or in doubt at their last visits, and since when, packed."""

    def hasten(self, moments: dict[int, float]) -> None:
        """Those of these URLs that are queued are due then, where that is sooner."""

    def candidates(self) -> Iterator[Visited]:
        """Every URL whose visit could tell something new."""

    def candidates_among(self, keys: Collection[int]) -> list[Visited]: ...

    def sitemaps(self) -> list[Visited]: ...

    def finds(self, since: float) -> list[tuple[int, float, int]]:
        """The pages found as news since then: through which URL, when, and which."""

    def unread_sitemaps(self) -> list[tuple[int, str]]:
        """Those that nobody has asked for yet and that are not queued, with their hosts."""

    def origins(self) -> list[tuple[str, int, bytes]]:
        """The sites whose robots.txt was asked for, its status and text."""

    def visited_since(self, at: float) -> list[int]: ...

    def changed_since(self, at: float) -> set[int]: ...

    def taken_at_their_word(self, lane: int, at: float) -> list[int]:
        """The pages of a lane that were answered with 304 since then."""

    def bytes_of_all(self) -> int:
        """What fetching every kept page anew would take, going by the last time."""

    def pages_in_all(self) -> int: ...


class Writer(Protocol):
    """The writing end. Threads may take turns, but never use it at the same time. `pages` is how many were kept when it
    was opened; whoever commits counts on. `pictures` counts from 0 unless `count_pictures` was called. `notes` say what
    opening had to mend; `forgotten` are the patterns of what later crawls refuse."""

    pages: int
    pictures: int
    forgotten: frozenset[str]

    def count_pictures(self) -> None:
        """All kept ones are gone through: for whoever has a limit for them."""

    @property
    def location(self) -> Location: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def roster(self) -> Roster: ...
    @property
    def requests(self) -> Requests: ...
    @property
    def past(self) -> Past: ...

    def close(self) -> None: ...

    def commit(self, plan: Plan, now: float) -> int:
        """Makes the plan durable, all of it or nothing, and returns the sequence number of its last event."""

    # What deciding needs to know.

    def known(self, keys: Iterable[int]) -> dict[int, KnownUrl]: ...

    def bodies(self, digests: Iterable[bytes]) -> dict[bytes, Body]: ...

    def survivors(self, groups: Iterable[bytes]) -> dict[bytes, int]: ...

    def patterns(self, names: Iterable[str]) -> dict[str, bytes]: ...

    def has_patterns(self) -> bool: ...

    def admitted(self, host: str) -> int:
        """How many URLs of a host were let into the queue so far."""

    def survey(self, now: float, *, refreshing: bool) -> None:
        """Before a run begins: hosts whose first crawl is over. It is when nothing that was found in it waits to be
        visited; and a refresh ends it, since whoever asks for changes takes what is here for known."""

    def surveyed(self, host: str) -> bool:
        """Whether the host's first crawl was over when this run began."""

    def version_of(self, key: int) -> tuple[bytes, bytes, bytes] | None:
        """Digest, group of twins and packed reading of a URL's newest version."""

    def refused_by(self, rule: str) -> list[KnownUrl]: ...

    def left_out_by(self, rules: Iterable[str], after: int, most: int) -> list[KnownUrl]:
        """URLs that one of these rules keeps from being had and that are not due, in the order of their keys."""

    def reasons(self, keys: Iterable[int]) -> dict[int, str]: ...

    def kin(self, keys: Iterable[int]) -> dict[int, tuple[int | None, int]]:
        """The page by which each URL was found, and how often it has been met."""

    def listed_on(self, lane: int, most: int) -> list[tuple[str, int]]:
        """The pages that a host's sitemaps list, in the order of their URLs."""

    # The queue.

    def lane(self, host: str) -> int | None: ...

    def lanes_due(self, only: Only = Only.ALL) -> list[tuple[int, str, int, float]]:
        """Every lane with something in its queue: number, host, how many, the earliest moment."""

    def lease(self, wanted: LeaseWanted) -> list[tuple[Lease, KnownUrl]]:
        """Leases live in home's memory only: after a crash everything that was not committed is simply due again."""

    def waiting(self, after: int, most: int) -> list[tuple[Lease, KnownUrl]]:
        """URLs that were found and wait for their first visit, with their place in the queue, by their keys."""

    def still_due(self, leases: Iterable[Lease]) -> list[Lease]:
        """Those of these places in the queue that are still there."""

    def places_of(self, keys: Iterable[int]) -> list[Lease]:
        """The places in the queue that these URLs have; for what a person asks by hand, not for every page."""

    def next_due(self, lane: int, now: float, only: Only = Only.ALL) -> float:
        """When the next of a lane's postponed tasks is due; 0 when there is none."""

    def reband(self, order: str, band: Callable[[int, bool], int]) -> None:
        """Sorts the queue anew when a repository is crawled in another order than before."""

    # What is remembered.

    def seeds(self) -> list[tuple[Url, bool]]:
        """In the order in which they came; whether a person named them."""

    def private_pages(self, origins: Iterable[str], most: int) -> list[tuple[Url, bytes]]:
        """Kept pages of these origins that were fetched with credentials, and their groups of twins; the nearest to a
        seed first."""

    def robots(self, host: str) -> list[RobotsCopy]: ...

    def remember(self, name: str, value: object) -> None: ...

    def recall(self, name: str) -> object: ...
