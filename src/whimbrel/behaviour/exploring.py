"""A little exploration: now and then a page is shown first of which it is hardly known how good it is.

What stands below two good pages is hardly ever looked at, and no estimate tells what nobody saw. So in a share of the
answers one of the pages below is shown first, each as often as what is believed of it is in doubt. What is surely
known, good or bad, mostly stays where it stands; who shows what may be best instead (Thompson, 1933) learns ever more
of the best pages, and never which of the others are worth reading. It also tells what places do, since the page stood
elsewhere before (Joachims and others, "Unbiased learning-to-rank with biased feedback", 2017).

Where nothing is known of any page, two neighbours change places, which costs least: what was first is second at worst.
"""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from msgspec import Struct

Shown = TypeVar("Shown")
LEAST_DOUBT = 1e-6
"""So that one can be drawn where nothing is in doubt."""


class Chance(Protocol):
    """What is drawn from; `random.Random` is one."""

    def random(self) -> float: ...

    def choices(self, population: Sequence[int], weights: Sequence[float]) -> list[int]: ...


class Believed(Struct, frozen=True):
    """How likely who looks at a page opens it, and how far off that may be (a standard deviation)."""

    likely: float
    doubt: float


def explored(answers: Sequence[Shown], known: Sequence[Believed | None], share: float, chance: Chance) -> list[Shown]:
    """In `share` of the cases with one page at another place than it had; `known` has a place for each answer."""
    shown = list(answers)
    if len(shown) < 2 or chance.random() >= share:
        return shown
    at = 1 + int(chance.random() * (len(shown) - 1))
    to = at - 1
    doubts = [one.doubt for one in known if one is not None]
    if doubts:
        # A page of which nothing is known is as unsure as the least known of the others.
        unsure = [max(doubts) if one is None else one.doubt for one in known]
        at, to = chance.choices(range(1, len(shown)), [LEAST_DOUBT + doubt for doubt in unsure[1:]])[0], 0
    shown.insert(to, shown.pop(at))
    return shown
