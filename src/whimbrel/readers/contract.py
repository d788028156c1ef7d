"""What the log takes, and its settings."""

from typing import Annotated

from msgspec import Meta, Struct

from whimbrel.behaviour.actions import LEAST, MiningSettings
from whimbrel.records.deed import WORDS, Action
from whimbrel.records.url import Url

NOBODY = 0
"""Who put something aside without having said yes to more: it belongs to the folder."""
SECONDS_A_DAY = 86_400.0
LATEST_DAYS = 30
"""A browser may keep for so long what the server did not hear; batches are known again for a day more."""
MOST_A_DAY = 20_000
"""Deeds of one reader: more than a person can do, and little enough for a robot not to fill the disk."""
NEW_A_DAY = 100
"""Readers who may begin in a day from one address."""


def about(text: str) -> Meta:
    return Meta(description=text)


class ReaderSettings(Struct, frozen=True, kw_only=True):
    """The `[readers]` table."""

    remember: Annotated[bool, about("whether readers are asked if what they do may be remembered")] = True
    keep_days: Annotated[
        int, Meta(ge=1), about("days after which what a reader did is kept as sums, without its moments")
    ] = 365
    more_visits: Annotated[
        int, Meta(ge=0), about("pages asked for at most when a reader says that an answer was not enough; 0 asks none")
    ] = 200
    more_pages: Annotated[int, Meta(ge=1), about("pages kept at most for one such wish")] = 50
    more_visits_reader: Annotated[int, Meta(ge=0), about("pages asked for in a day for one reader")] = 1_000
    more_visits_day: Annotated[int, Meta(ge=0), about("pages asked for in a day for all readers")] = 5_000
    more_seconds: Annotated[float, Meta(gt=0), about("seconds after which such a crawl ends")] = 1_800.0
    explore: Annotated[
        float,
        Meta(ge=0, le=1),
        about("share of answers in which a page is tried higher than its score, to learn more of it; 0 turns it off"),
    ] = 0.1
    min_support: Annotated[
        float, Meta(ge=0), about("readers who have to do the same with a page: a share of them, or from 1 on a number")
    ] = 0.2
    min_confidence: Annotated[
        float, Meta(ge=0, le=1), about("share of those who did a part of it that have to have done all of it")
    ] = 0.6
    top_queries: Annotated[
        int, Meta(ge=0), about("questions asked most often, of which what readers do is looked at one by one")
    ] = 20
    thresholds: Annotated[
        dict[str, float],
        about("how much of an action counts as done, by its name, like {copy = 2, active = 60}; else once"),
    ] = {}

    @property
    def mining(self) -> MiningSettings:
        own = {WORDS[name]: least for name, least in self.thresholds.items() if name in WORDS}
        return MiningSettings(self.min_support, self.min_confidence, {**LEAST, **own}, self.top_queries)


READER_DEFAULTS = ReaderSettings()


class Did(Struct, frozen=True):
    """One thing done, within a bundle."""

    action: Action
    amount: float
    at: float


class Bundle(Struct, frozen=True):
    """What one reader did in one view of a page, under the name by which it is known again when it is sent twice.

    `place` is how far down the page the reader was, 0 to 1; negative where it is not told."""

    reader: int
    name: str
    url: Url
    key: int
    version: int
    query: str
    did: tuple[Did, ...]
    place: float = -1.0


class LogDamaged(Exception):
    """The message says what to do."""


class TooMuch(Exception):
    """More came from one reader, or from one address, than a person does. The message is for whoever sent it."""
