"""How a repository is followed: events by number, then what is so now. A follower remembers how far it came beside what
it makes; to read an event twice does no harm."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from whimbrel.records.url import Url
from whimbrel.repository.views import BodyMark, Event, Grouped, Newest, Position, Site, Told
from whimbrel.repository.warc import Content


class Followed(Protocol):
    """For those who follow pages: the index, near-twins."""

    def last_event(self) -> int:
        """Its number; 0 where nothing happened yet."""

    def events(self, after: int, most: int) -> list[Event]:
        """Oldest first."""

    def events_after(self, after: int) -> int:
        """How many there are."""

    def urls_after(self, after: int) -> int:
        """How many URLs have events after that one."""

    def forgot(self, after: int, last: int) -> bool:
        """Whether one of these events tells that a URL was forgotten on purpose."""

    def newest(self, keys: Iterable[int]) -> dict[int, Newest]:
        """The pages and twins among these URLs; what is missing is no page, or no longer."""

    def pictures(self, keys: Iterable[int]) -> dict[int, Newest]:
        """The kept pictures among these URLs, whether pages are shown with them or they stand for themselves."""

    def grouped(self, keys: Iterable[int]) -> dict[int, Grouped]:
        """Those of these URLs that are pages with a kept version, and their groups of twins."""

    def still_there(self, keys: Iterable[int]) -> set[int]:
        """Those of these URLs of which a version is kept."""

    def ways(self, keys: Iterable[int]) -> dict[int, Url]:
        """The pages on which these URLs were first found."""

    def redirects(self) -> dict[int, int]:
        """Every URL that redirects, and where to. No event tells of them."""

    def redirects_since(self, at: float) -> list[tuple[Url, Url, float]]:
        """From, to and when."""

    def knows_host(self, host: str) -> bool: ...

    def readings(self, versions: Iterable[int]) -> dict[int, bytes]:
        """What was read from these versions, packed; documents have none, and some may have been thinned out."""

    def marks(self, versions: Iterable[int]) -> dict[int, BodyMark]:
        """Those of these versions that are kept."""

    def copy(self, version: int) -> Content:
        """The kept copy of a version as it was received."""

    def digests(self) -> Iterator[bytes]:
        """Of every body that is kept."""


class Outgoing(Protocol):
    """For those who pass changes on: each once, in the order in which they were committed. Moments will not do: a visit
    that was made earlier may come home later. The numbers of changes and versions only grow."""

    def position(self) -> Position:
        """The newest change and the newest version."""

    def position_before(self, at: float) -> Position:
        """Where what happened from a moment on begins."""

    def position_after(self, done: Position, most: int) -> Position:
        """So far that no more than about `most` changes lie between."""

    def told_between(self, done: Position, end: Position, site: Site | None) -> list[Told]:
        """Without the pages that were there when their host was first crawled: how it was found is no news."""
