"""What a reader asked for that was not here: pages of some kinds, on some sites, up to so many."""

from enum import StrEnum

from msgspec import Struct

from whimbrel.records.url import Url


class WishState(StrEnum):
    """WAITING: confirmed, and begun as soon as it can be. ENDED says why in words."""

    WAITING = "waiting"
    RUNNING = "running"
    ENDED = "ended"


class SoughtKind(Struct, frozen=True):
    """A kind of page, by kept pages that show it; `kept` of those looked at were of it when it was asked for."""

    examples: tuple[Url, ...]
    kept: int = 0


class NewWish(Struct, frozen=True):
    """A wish before it has a number. `best` stood highest when it was made; `kinds` are those of the best answers, the
    rarest first; `sites` are hosts. `visits` and `pages` are what may be spent on it and what is wanted at most."""

    reader: int
    query: str
    best: Url
    kinds: tuple[SoughtKind, ...]
    sites: tuple[str, ...]
    visits: int
    pages: int


class Wish(NewWish, frozen=True, kw_only=True):
    """`visited` were asked for so far, `found` of them are of the kinds."""

    number: int
    at: float
    state: WishState
    began_at: float | None
    ended_at: float | None
    words: str
    visited: int
    found: int = 0

    @property
    def visits_left(self) -> int:
        return max(0, self.visits - self.visited)

    @property
    def pages_left(self) -> int:
        return max(0, self.pages - self.found)
