"""Pages, feeds and sitemaps as sources of new pages: worth visiting for what they lead to, not only for their change.

Lefortier and others ("Timely crawling of high-quality ephemeral new content", CIKM 2013): a page is wanted most while
it is young, so every hour that it stays unknown costs. A source that gains ν links a second, visited after τ, then has
new pages whose loss so far grows with τ; the worth of the visit, in the same unit as for a change, is

    S(τ) = (ν/θ²)·(1 − (1 + θτ)·e^(−θτ)),   θ = 1 / how long a page counts as young

which is `worth` of a page of rate θ and importance ν/θ, times how much more a new page matters. Unlike a page that
changes too fast to be followed, a source is never given up for being fast.

How much a source may be expected to lead to is learned from all of its site. Most pages lead nowhere and show it: they
change, and nothing new comes of it. What never did that is taken for a list, and lists are expected to differ as much
as they were seen to.
"""

from collections.abc import Sequence
from math import lgamma, log, log1p

from msgspec import Struct

from whimbrel.revisit.classes import DAY, WEEK
from whimbrel.revisit.worth import worth

YOUNG_SECONDS = WEEK
LOOKED_BACK_SECONDS = 120 * DAY
"""What a source led to before that says little about it now."""
NEW_PAGE_IMPORTANCE = 4.0
"""A copy that is out of date still answers most questions; a page that is not here answers none."""
EXPECTED_NEWS = 5.0
"""New pages as the usual ones are read, that every source is credited with: a few that nobody opened say little."""
WEIGHTS = tuple(0.025 * 2.0**step for step in range(8))
"""Finds at the usual rate that a source may be credited with before any was made; which, its site says."""
MOST_COMPARED = 2_000
"""Sources without finds that are looked at for that."""


class Finds(Struct, frozen=True):
    """New pages that were found through a source in so many seconds between its first visit and its last, and how many
    of its changes led to some (`fruitful`) and to none (`barren`)."""

    count: int = 0
    seconds: float = 0.0
    fruitful: int = 0
    barren: int = 0

    @property
    def leads_nowhere(self) -> bool:
        """Most of its changes did. A page that never changed may still be a list that had nothing to add."""
        return self.barren > self.fruitful


NO_FINDS = Finds()


class Expected(Struct, frozen=True):
    """New pages a second of the average source, as sure as if `weight` had been found through each."""

    rate: float = 0.0
    weight: float = WEIGHTS[0]


class Usual(Struct, frozen=True):
    """What to expect of the sources of a site: of those whose changes led somewhere or that had none, and of others."""

    sources: Expected = Expected()
    others: Expected = Expected()


NOTHING_USUAL = Usual()


def usual_of(every: Sequence[Finds]) -> Usual:
    """By all sources of a site."""
    return Usual(
        _expected([one for one in every if not one.leads_nowhere]),
        _expected([one for one in every if one.leads_nowhere]),
    )


def _expected(every: Sequence[Finds]) -> Expected:
    """The mean rate; how far sources differ from it is what makes their finds most likely: these are then spread by a
    negative binomial law (a Poisson law whose rate is Gamma distributed)."""
    seconds = sum(one.seconds for one in every)
    rate = sum(one.count for one in every) / seconds if seconds > 0 else 0.0
    if rate <= 0.0:
        return Expected()
    found = [one for one in every if one.count]
    empty = [one.seconds for one in every if not one.count and one.seconds > 0]
    some = empty[:: max(1, len(empty) // MOST_COMPARED)]
    share = len(empty) / max(1, len(some))

    def likelihood(weight: float) -> float:
        before = weight / rate
        seen = sum(
            lgamma(weight + one.count) - lgamma(weight) + one.count * log(one.seconds / (before + one.seconds))
            - weight * log1p(one.seconds / before)
            for one in found
        )  # fmt: skip
        return seen - share * weight * sum(log1p(seconds / before) for seconds in some)

    return Expected(rate, max(WEIGHTS, key=likelihood))


def rate_of_new(finds: Finds, usual: Usual) -> float:
    """New pages a second that this source may be expected to lead to."""
    expected = usual.others if finds.leads_nowhere else usual.sources
    if expected.rate <= 0.0:
        return 0.0
    return (finds.count + expected.weight) / (finds.seconds + expected.weight / expected.rate)


def interest(readers: int, news: int, usual: float) -> float:
    """How much more readers made of the new pages of one source than of the usual one's: 1 for the usual, and where
    nobody read any. `readers` opened them, counted page by page, `usual` do a page."""
    return (readers + EXPECTED_NEWS * usual) / ((news + EXPECTED_NEWS) * usual) if usual > 0.0 else 1.0


def worth_of_source(rate: float, elapsed: float) -> float:
    """S(τ) by the importance of a new page."""
    return worth(1.0 / YOUNG_SECONDS, elapsed, NEW_PAGE_IMPORTANCE * rate * YOUNG_SECONDS)
