"""What a judge of pages is. One judge answers all requests of its kind that a migrant carries.

A judge says what it needs of a page, looks at pages in the order in which they are read, and learns from each: from
what became of the link that led there, and how its own requests stand out among the rest. What it has learned goes home
in small bytes (`fitted`) and comes back with the request, to this migrant's successors and to later runs.
"""

import re
from collections.abc import Callable, Collection, Sequence
from enum import Flag, auto
from typing import Generic, Protocol, TypeVar

from msgspec import Struct

from whimbrel.parse.places import GroundPlan
from whimbrel.records.page import Page
from whimbrel.records.picturing import PictureSeen
from whimbrel.records.request import Fitted
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict

Trace = TypeVar("Trace")
Resolve = Callable[[str], tuple[Url, int] | None]
_WORD = re.compile(r"[^\W_]+")


class Need(Flag):
    """Parts of a page. The beginning of its text is always there (`records.page.BEGINNING`); the rest of it and the
    others are worked out where some judge asks for them."""

    TEXT = auto()
    WORDS = auto()
    LINKS = auto()
    TREE = auto()
    IMAGES = auto()


class Sight:
    """A page as judges see it. `tree` is there where `Need.TREE` or `Need.LINKS` is, with its elements where it is the
    first; `pictures` are those that were looked at, where `Need.IMAGES` is. `shut` are links of which home hears with
    this page that they are not to be followed."""

    def __init__(
        self, key: int, url: Url, page: Page, tree: GroundPlan | None, resolve: Resolve, shut: Collection[int] = (),
        pictures: Sequence[PictureSeen] = (),
    ) -> None:  # fmt: skip
        self.key = key
        self.url = url
        self.page = page
        self.tree = tree
        self.resolve = resolve
        self.shut = shut
        self.pictures = pictures
        self._words: frozenset[str] | None = None

    @property
    def words(self) -> frozenset[str]:
        """Worked out once, whoever asks."""
        if self._words is None:
            self._words = frozenset(_WORD.findall(self.page.text.casefold()))
        return self._words


class Serves(Struct, frozen=True):
    """A request that a page serves, and how rare such pages are, from 0 to 1."""

    number: int
    rarity: float


class Look(Struct, Generic[Trace], frozen=True):
    """What a judge makes of a page. `trace` is the judge's own: as much of the page as it takes to judge it again and
    to score its links. `relearned`: pages refused before deserve another look. `near`: this one may be such a page."""

    serves: tuple[Serves, ...]
    verdict: Verdict
    trace: Trace
    relearned: bool = False
    near: bool = True


class PageJudge(Protocol[Trace]):
    """`rule` is the name by which it refuses, `needs` what it looks at."""

    @property
    def rule(self) -> str: ...

    @property
    def needs(self) -> Need: ...

    def look(self, sight: Sight) -> Look[Trace]:
        """Judges a page that has just been read, and learns from it."""

    def score(self, look: Look[Trace], key: int) -> float | None:
        """What a link of the page promises, from 0 to 1; None where the judge has nothing to say of it."""

    def promise(self, key: int, url: Url) -> float:
        """The same for a page that waits to be fetched, by whatever is remembered of its links."""

    def pack(self, look: Look[Trace]) -> bytes:
        """As much of the page as it takes to judge it again; empty where that cannot be done."""

    def again(self, packed: bytes) -> Look[Trace]:
        """A page that lay on the shelf, judged as a new one would be now. Nothing is learned from it."""

    def stands(self, key: int) -> bool:
        """Whether it would say the same again of a page that it refused, as far as that is known without a look; False
        where it has to look."""

    def sort(self, look: Look[Trace]) -> int:
        """Pages with the same number are of one sort: of the commonest, those on the shelf go first."""

    def done(self, number: int) -> None:
        """A request has all it asked for."""

    def fitted(self) -> list[Fitted]:
        """What was learned since this was last asked, worth keeping."""

    def notes(self) -> list[str]:
        """What a person should know, once."""
