"""How sure it is that a kind of URL of which nothing was worth it is like that throughout.

On most sites kinds are of one piece: software says of all edit pages that they are not to be kept. How often they are
not is unknown at first, and every kind that was tried says something about it. So kinds are judged together. With a
share p of kinds that are not of one piece (any share is as likely as another before anything was seen), that a kind was
asked for n times in vain has the chance (1 - p) + p exp(-3 n / 20): the rule of three for something in 15 of 100. A
kind alone needs twenty for a doubt of 5 %; of nine that agree eight each are enough.

Views of pages that are kept are judged among themselves, and by less: the page itself is here. Of how many views of
such a kind something might come is as unknown as anything, so n in vain have the chance 1 / (n + 1), the mean over all
shares, and 1 / (n + 2) of the others are to be expected where it was not in vain after all.
"""

from collections.abc import Callable, Sequence
from math import exp, prod
from typing import NamedTuple

DOUBT = 0.05
_A_REQUEST = 3 / 20
_SHARES = tuple((cell + 0.5) / 50 for cell in range(50))
_MOST_MISSING = 20


def of_pages(asked: float) -> float:
    """The chance that so many of a kind were in vain although something is in 15 of 100."""
    return exp(-_A_REQUEST * asked)


def of_views(asked: float) -> float:
    """The same where something is in any share of them."""
    return 1 / (asked + 1)


class Doubt:
    """`asked` has, for each kind, how many were asked for in vain; `late` is how many kinds turned out to be worth it
    after having been in vain at first; `chance` is that of so many in vain."""

    def __init__(self, asked: Sequence[float], late: float, chance: Callable[[float], float] = of_pages) -> None:
        self.kinds = len(asked)
        self._chance = chance
        unlikely = [chance(number) for number in asked]
        self._weights: list[float] = [pow(p, late) * prod(1 - p + p * seldom for seldom in unlikely) for p in _SHARES]

    def of(self, asked: float) -> float:
        """That a kind of which so many were asked for in vain, one of those given, is worth it after all."""
        seldom = self._chance(asked)
        worth = sum(
            weight * p * seldom / (1 - p + p * seldom) for p, weight in zip(_SHARES, self._weights, strict=True)
        )
        return worth / sum(self._weights)

    def missed(self, asked: float, pages: int) -> float:
        """How many views something is to be expected of, where no more are asked for and each page has one."""
        return self.of(asked) * max(0.0, pages - asked) / (asked + 2)

    def missing(self, asked: float) -> float:
        """About how many more of it have to be asked for when each of the others brings as many."""
        more = next((more for more in range(_MOST_MISSING) if self.of(asked + more) <= DOUBT), _MOST_MISSING)
        return more / max(1, self.kinds)


class Agreeing(NamedTuple):
    """What one form of URLs says: how many of each kind were asked for in vain, how many kinds were worth it late."""

    asked: list[float]
    late: float


_NOTHING_SAID = (Agreeing([], 0), Agreeing([], 0))


class Agreement:
    """How alike the kinds of each site are, as its forms say: of pages in general, and of views of kept pages."""

    def __init__(self) -> None:
        self._said: dict[str, dict[str, tuple[Agreeing, Agreeing]]] = {}
        self._doubts: dict[str, tuple[Doubt, Doubt]] = {}

    def hear(self, host: str, form: str, pages: Agreeing, views: Agreeing) -> None:
        if self._said.get(host, {}).get(form, _NOTHING_SAID) != (pages, views):
            self._said.setdefault(host, {})[form] = (pages, views)
            self._doubts.pop(host, None)

    def forget(self, host: str) -> None:
        self._said.pop(host, None)
        self._doubts.pop(host, None)

    def doubts(self, host: str) -> tuple[Doubt, Doubt]:
        if host not in self._doubts:
            said = self._said.get(host, {}).values()
            self._doubts[host] = (
                _doubt([pages for pages, _ in said], of_pages),
                _doubt([views for _, views in said], of_views),
            )
        return self._doubts[host]


def _doubt(said: Sequence[Agreeing], chance: Callable[[float], float]) -> Doubt:
    return Doubt([number for one in said for number in one.asked], sum(one.late for one in said), chance)
