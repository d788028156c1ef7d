"""What the log takes, and its settings."""

from typing import Annotated

from msgspec import Meta, Struct

from whimbrel.records.deed import Action
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
