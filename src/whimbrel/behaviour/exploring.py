"""A little exploration: now and then a page that may be better than what is known of it is shown first.

What stands below two good pages is hardly ever looked at, and no estimate tells what nobody saw. So in a share of the
answers an appeal is drawn for each page from what is believed of it (Thompson, "On the likelihood that one unknown
probability exceeds another", 1933), and the one that comes out best of those below is shown first: nearly always one
that is good, or of which little is known. It also tells what places do, since the page stood elsewhere before (Joachims
and others, "Unbiased learning-to-rank with biased feedback", 2017).

Where nothing is known of any page, two neighbours change places, which costs least: what was first is second at worst.
"""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from msgspec import Struct

Shown = TypeVar("Shown")


class Chance(Protocol):
    """What is drawn from; `random.Random` is one."""

    def random(self) -> float: ...

    def gauss(self, mu: float, sigma: float, /) -> float: ...


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
    if any(one is not None for one in known):
        drawn = [chance.gauss(one.likely, one.doubt) for one in _filled(known)]
        at, to = max(range(1, len(shown)), key=drawn.__getitem__), 0
    shown.insert(to, shown.pop(at))
    return shown


def _filled(known: Sequence[Believed | None]) -> list[Believed]:
    """A page of which nothing is known may be as good as the others, and is as unsure as the least known of them."""
    told = [one for one in known if one is not None]
    usual = Believed(sum(one.likely for one in told) / len(told), max(one.doubt for one in told))
    return [usual if one is None else one for one in known]
