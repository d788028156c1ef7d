"""Who works for a run, and who says what they are given."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from whimbrel.flows.visit.tools import Sifts
from whimbrel.migrants.home.choice import DEFAULT_CRITERIA, Criteria, Strategy
from whimbrel.migrants.home.intake import HeardFrom
from whimbrel.migrants.home.load import CrewLimits
from whimbrel.migrants.home.places import Measures, MigrantPlace, PlaceMeasured, Reach
from whimbrel.migrants.wire.channel import Carrier

if TYPE_CHECKING:  # what compares takes long to load
    from whimbrel.flows.refresh.papers import ReadsVersions


class Staff(Struct, frozen=True):
    """How migrants come to their places, how many there may be, where they can live, and how work is given to them."""

    carrier: Carrier
    limits: CrewLimits = CrewLimits()
    places: tuple[MigrantPlace, ...] = ()
    reach: Reach = lambda _: True
    measures: Measures = lambda _: PlaceMeasured()
    lost_at: Callable[[str], None] = lambda _: None
    """Told of a place where a migrant was lost."""
    heard: HeardFrom | None = None
    busy: Callable[[], bool] = lambda: False
    """Whether somebody still looks at what came in: the run does not end before."""
    strategy: Strategy = Strategy.WEIGHTED_ROUND_ROBIN
    criteria: Criteria = DEFAULT_CRITERIA
    sieve: Sifts | None = None
    """Runs the filter of pages here, for what comes from places."""
    papers: "ReadsVersions | None" = None
    """Reads documents that are no pages, to compare them."""


class CollectionTurns(Protocol):
    """Who says, for a collection of fixed size, what is asked for next. `ended` says why nothing is any more."""

    ended: str

    @property
    def rankings(self) -> int: ...
    @property
    def full(self) -> bool: ...
    def turn(self, in_hand: int, now: float) -> None: ...
    def more(self, now: float) -> int: ...
    def close(self) -> None: ...
