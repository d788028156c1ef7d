"""How far a place is believed, from what home's own requests said of its pages.

The share of a place's pages that are not what home is shown has a Beta distribution: before anything was looked at it
is taken to be small, and each comparison moves it. A place is believed until that share is beyond what honest pages
can come to, almost certainly: of all it sent, or of what it sent since any of the pages that were not the same, so that
a good record lets nobody lie for longer. Nothing here asks a clock or a server.
"""

from enum import StrEnum
from math import exp, lgamma, log, log1p

from msgspec import Struct

TOLERATED = 0.005
"""Pages of an honest place that differ though nothing explains it: edited between two looks that lie seconds apart."""
SURE = 0.995
FAIR, FALSE = 99, 1
"""Before the first look: one page in a hundred, believed as firmly as a hundred comparisons would make it. By these
three numbers two differences are never enough, and three are within the first hundred pages."""
RIGHT_IN_A_ROW = 25
"""So many have to be right, at first and after each that was not, before no more than the usual share is asked for."""
RAISED_SHARE = 0.5
LOOK_BACK = 50
"""So many of the pages that came last are looked at, too, when one was not the same: a liar has lied before."""
LEAST_EXPECTED = 0.05
"""Also where no change was to be expected, one may have been hidden: it is looked for as if it were so likely."""
CONFIDENCE = 0.95
MOST_TOLD = 5
MOST_REMEMBERED = 64
"""Of the pages that were not the same, when each was looked at; of those before only the sum counts."""


class Compared(StrEnum):
    """What a look at a page from home said of a place's word."""

    SAME = "same"
    DIFFERENT = "different"
    UNSTEADY = "unsteady"
    """The page differs by itself from look to look, the whole site is being changed, or the server says that the page
    was changed since: no evidence."""
    UNREACHED = "unreached"
    """Home was not answered, or may not ask."""


class Trust(Struct):
    """`fetched` is how many pages the place sent; of those home asked for too, `checked` could be compared and
    `differed` were not the same. `since_doubt` were right in a row. `unlike` are the last that were not the same,
    `differed_at` says for each how many had been checked then, itself included."""

    fetched: int = 0
    checked: int = 0
    differed: int = 0
    since_doubt: int = 0
    doubt: str = ""
    unsteady: int = 0
    unreached: int = 0
    why_unreached: str = ""
    unlike: list[str] = []
    differed_at: list[int] = []

    @property
    def words(self) -> str:
        if self.doubt:
            return f"not believed: {self.doubt}"
        if not self.checked:
            if self.unreached:
                return f"believed unchecked: home cannot look for itself ({self.why_unreached})"
            return "believed so far; nothing of it was checked yet"
        same = "all the same" if not self.differed else f"{self.differed} of them different"
        bound = f"at most {100 * most_false(self):.1f} % of them are false, with a chance of 19 in 20"
        return f"believed: {self.checked} of its {self.fetched} pages were fetched from home too, {same}; {bound}"


def is_new(trust: Trust, under_way: int = 0) -> bool:
    """Whether more is looked at, as at first; looks that are under way are taken to go well until they do not."""
    return trust.since_doubt + under_way < RIGHT_IN_A_ROW


def share_of(trust: Trust, usual: float, under_way: int = 0) -> float:
    """Which share of the pages that come next home asks for itself."""
    if not usual:
        return 0.0
    return max(usual, RAISED_SHARE) if is_new(trust, under_way) else usual


def share_of_unchanged(trust: Trust, usual: float, changed: float, under_way: int = 0) -> float:
    """The same of pages that the place calls unchanged, each by how likely it is to have changed. What such a lie hides
    is a change, so it is looked for where changes are: as many of those that were to be expected as of those told."""
    share = share_of(trust, usual, under_way)
    return share if is_new(trust, under_way) else share * max(LEAST_EXPECTED, min(1.0, changed))


def learn(trust: Trust, compared: Compared, url: str = "") -> None:
    match compared:
        case Compared.SAME:
            trust.checked += 1
            trust.since_doubt += 1
        case Compared.DIFFERENT:
            trust.checked += 1
            trust.differed += 1
            trust.since_doubt = 0
            trust.unlike = [*trust.unlike, url][-MOST_TOLD:]
            trust.differed_at = [*trust.differed_at, trust.checked][-MOST_REMEMBERED:]
        case Compared.UNSTEADY:
            trust.unsteady += 1
        case Compared.UNREACHED:
            trust.unreached += 1


def lies(trust: Trust) -> bool:
    """Whether the place is almost certainly not to be believed: for all it sent, or since it began to lie, which may
    have been with any of the pages that were not the same."""
    later = len(trust.differed_at)
    since = [(later - place, trust.checked - at + 1) for place, at in enumerate(trust.differed_at)]
    return any(
        beyond(differed, checked - differed, TOLERATED) >= SURE
        for differed, checked in [(trust.differed, trust.checked), *since]
    )


def beyond(different: int, same: int, share: float) -> float:
    """How probable it is that more than this share of its pages is false. With whole numbers, the tail of a Beta
    distribution is the head of a binomial one."""
    false, fair = FALSE + different, FAIR + same
    if not 0.0 < share < 1.0:
        return float(share <= 0.0)
    drawn = false + fair - 1
    hit, missed = log(share), log1p(-share)
    ways = (lgamma(drawn + 1) - lgamma(k + 1) - lgamma(drawn - k + 1) for k in range(false))
    return min(1.0, sum(exp(way + k * hit + (drawn - k) * missed) for k, way in enumerate(ways)))


def most_false(trust: Trust) -> float:
    """The share that the false pages are below, with the confidence above."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        if beyond(trust.differed, trust.checked - trust.differed, middle) > 1 - CONFIDENCE:
            low = middle
        else:
            high = middle
    return high


def doubt_of(trust: Trust) -> str:
    named = ", ".join(trust.unlike[-2:])
    return (
        f"{trust.differed} of {trust.checked} pages that home fetched too are not what it sent, {named} among them; "
        "its sites are fetched from home"
    )
