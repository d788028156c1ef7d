"""What differs between two versions of a page."""

from typing import Literal

from msgspec import Struct

Kind = Literal["structural", "content", "presentation", "behavioural", "image"]
"""P1 §4 names the first four; "image" is another picture behind the same address."""

What = Literal["added", "removed", "changed", "moved"]

KINDS: tuple[Kind, ...] = ("structural", "content", "presentation", "behavioural", "image")


class Aspect(Struct, frozen=True):
    """One thing in which a place differs: its words, links, pictures, elements, looks, files, code or bytes."""

    what: str
    before: str
    after: str


class Spot(Struct, frozen=True):
    """One place that differs. `place` is for a person to find it by, `reason` says why it is noise, if it is.

    `shows` says what `before` and `after` are, `beside` in what else the place differs.
    """

    what: What
    kinds: tuple[Kind, ...]
    place: str
    before: str
    after: str
    share: float
    """How much of the page it touches, 0…1."""
    reason: str = ""
    shows: str = "words"
    beside: tuple[Aspect, ...] = ()

    @property
    def aspects(self) -> tuple[Aspect, ...]:
        return (Aspect(self.shows, self.before, self.after), *self.beside)


class Change(Struct, frozen=True):
    """What a reader would call a change, and beside it the noise that raised no alarm.

    `amount` is 0 where nothing changed and 1 where nothing stayed. `kinds` stand in the order of `KINDS`.
    """

    changed: bool
    kinds: tuple[Kind, ...]
    amount: float
    where: tuple[Spot, ...]
    noise: tuple[Spot, ...]


NO_CHANGE = Change(False, (), 0.0, (), ())
