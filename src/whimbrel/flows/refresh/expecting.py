"""What is expected of a page by its own visits, by its site's other pages and by what sitemaps say."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import zip_longest

from whimbrel.flows.refresh.trusting import LASTMOD, announced, read_witness
from whimbrel.repository.contract import Visited
from whimbrel.revisit.classes import nearest
from whimbrel.revisit.history import PageHistory, change_rate, first_visit, unpacked
from whimbrel.revisit.prior import MOST_PAGES, common_prior, loose_prior
from whimbrel.revisit.rate import WEEKLY, Belief, Gaps
from whimbrel.revisit.trust import UNHEARD, UNTRIED, Claims, Witness, compared, expected

NEVER, YEARLY = "never", "yearly"
_ALL = -1


class Expecting:
    """Knows the sites of some pages; `words` is what was learned of their sitemaps, packed, by lane. Of at most
    `most_pages` of a site is worked out what to expect of its others."""

    def __init__(self, pages: Iterable[Visited], words: Mapping[int, bytes], most_pages: int = MOST_PAGES) -> None:
        known = list(pages)
        self._claims = claims_of(known)
        self._most_pages = most_pages
        self._gaps = gaps_of(known, most_pages)
        self._priors: dict[int, Belief] = {}
        self._witnesses = {lane: read_witness(record, LASTMOD) for lane, record in words.items()}

    def common(self, lane: int) -> Belief | None:
        """What a site's pages say about one of them that was visited seldom; None where none was visited again."""
        if lane not in self._priors and lane in self._gaps:
            self._priors[lane] = common_prior(self._gaps[lane])
        return self._priors.get(lane)

    def of_all(self) -> Belief | None:
        """What the pages of all sites together say, for those whose changes are announced."""
        if _ALL not in self._priors and self._gaps:
            every = [gaps for some in zip_longest(*self._gaps.values()) for gaps in some if gaps is not None]
            self._priors[_ALL] = loose_prior(every[: self._most_pages])
        return self._priors.get(_ALL)

    def history(self, one: Visited) -> PageHistory:
        """What its visits tell, and of a page visited once what to expect."""
        if one.history:
            return unpacked(one.history)
        return first_visit(one.at, self.prior(one, self.common(one.lane) or WEEKLY))

    def prior(self, one: Visited, otherwise: Belief) -> Belief:
        return expected(one.changefreq, self._claims.get(one.lane, UNHEARD), otherwise)

    def witness(self, lane: int) -> Witness:
        return self._witnesses.get(lane, UNTRIED)

    def pace(self, one: Visited, history: PageHistory) -> str:
        """The page's class by change frequency. "never" is the owner's word, where no visit contradicts it."""
        name = nearest(change_rate(history, self.witness(one.lane)))
        return NEVER if one.changefreq == NEVER and name == YEARLY else name


def signals(one: Visited, history: PageHistory) -> int | None:
    """How many changes were announced since the last visit, None where nobody announces any."""
    return announced(one.announced_at, history.visited_at)


def claims_of(pages: Iterable[Visited]) -> dict[int, Claims]:
    """How each site's changefreq compares with what visits found, over the pages that were visited again."""
    found: dict[int, Claims] = {}
    for one in pages:
        if one.changefreq and one.history and (history := unpacked(one.history)).visits > 1:
            found[one.lane] = compared(found.get(one.lane, UNHEARD), one.changefreq, history.belief)
    return found


def gaps_of(pages: Iterable[Visited], most_pages: int) -> dict[int, list[Gaps]]:
    """What the visits to some pages of each site found."""
    visits: defaultdict[int, list[Gaps]] = defaultdict(list)
    for one in pages:
        if one.history and len(visits[one.lane]) < most_pages and (history := unpacked(one.history)).visits > 1:
            visits[one.lane].append(history.gaps)
    return {lane: gaps for lane, gaps in visits.items() if gaps}
