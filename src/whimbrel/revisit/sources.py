"""Pages, feeds and sitemaps as sources of new pages: worth visiting for what they lead to, not only for their change.

Lefortier and others ("Timely crawling of high-quality ephemeral new content", CIKM 2013): a page is wanted most while
it is young, so every hour that it stays unknown costs. A source that gains ν links a second, visited after τ, then has
new pages whose loss so far grows with τ; the worth of the visit, in the same unit as for a change, is

    S(τ) = (ν/θ²)·(1 − (1 + θτ)·e^(−θτ)),   θ = 1 / how long a page counts as young

which is `worth` of a page of rate θ and importance ν/θ, times how much more a new page matters. Unlike a page that
changes too fast to be followed, a source is never given up for being fast.
"""

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
_EXPECTED_FINDS = 0.1
"""As if a tenth of a find had been made at the usual rate: most pages of a site lead to nothing new."""


class Finds(Struct, frozen=True):
    """New pages that were found through a source in so many seconds between its first visit and its last."""

    count: int = 0
    seconds: float = 0.0


NO_FINDS = Finds()


def usual_rate(every: list[Finds]) -> float:
    """New pages a second of the average source of a site; nought where nothing new was ever found."""
    seconds = sum(one.seconds for one in every)
    return sum(one.count for one in every) / seconds if seconds > 0 else 0.0


def rate_of_new(finds: Finds, usual: float) -> float:
    """New pages a second that this source may be expected to lead to."""
    if usual <= 0.0:
        return 0.0
    return (finds.count + _EXPECTED_FINDS) / (finds.seconds + _EXPECTED_FINDS / usual)


def interest(readers: int, news: int, usual: float) -> float:
    """How much more readers made of the new pages of one source than of the usual one's: 1 for the usual, and where
    nobody read any. `readers` opened them, counted page by page, `usual` do a page."""
    return (readers + EXPECTED_NEWS * usual) / ((news + EXPECTED_NEWS) * usual) if usual > 0.0 else 1.0


def worth_of_source(rate: float, elapsed: float) -> float:
    """S(τ) by the importance of a new page."""
    return worth(1.0 / YOUNG_SECONDS, elapsed, NEW_PAGE_IMPORTANCE * rate * YOUNG_SECONDS)
