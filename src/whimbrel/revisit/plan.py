"""Which pages to visit with what may be spent: always the one whose visit is worth most.

Freshness alone would give up pages that change faster than they can be followed: they are never fresh for long, so
others buy more. A small share of every budget therefore goes to those that waited longest; it also corrects a rate that
was estimated too high.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from heapq import heapify, heappop

from msgspec import Struct
from xxhash import xxh3_64_intdigest

from whimbrel.revisit.classes import HOUR
from whimbrel.revisit.history import PageHistory, announced
from whimbrel.revisit.sources import worth_of_source
from whimbrel.revisit.trust import UNTRIED, Witness, has_say
from whimbrel.revisit.worth import worth, worth_announced, worth_believed

WAITED_SHARE = 0.03
VARIES = 0.1
"""By how much of its interval a visit is brought forward or put off, so that it comes at other hours."""


class VisitCandidate(Struct, frozen=True):
    """A page that may be visited. `signals` are those since its last visit, None where nobody could have given one."""

    key: int
    host: str
    history: PageHistory
    importance: float = 1.0
    signals: int | None = None
    witness: Witness = UNTRIED
    leads_to: float = 0.0
    """New pages a second that are found through it."""


class Budget(Struct, frozen=True):
    """`visits` in all, at most `by_host` of them to one host (None: no such limit)."""

    visits: int
    by_host: int | None = None
    waited_share: float = WAITED_SHARE


class ChosenVisit(Struct, frozen=True):
    """A visit to make. `reason` is for a person: what it buys, or that the page waited."""

    key: int
    worth: float
    reason: str


def value(candidate: VisitCandidate, now: float) -> float:
    """What visiting the page now is worth, for itself and for what it leads to, in fresh seconds by importance."""
    led = worth_of_source(candidate.leads_to, _elapsed(candidate, now)) if candidate.leads_to > 0 else 0.0
    return _own_value(candidate, now) + led


def _elapsed(candidate: VisitCandidate, now: float) -> float:
    return max(0.0, now - candidate.history.visited_at)


def _own_value(candidate: VisitCandidate, now: float) -> float:
    history, elapsed = candidate.history, _elapsed(candidate, now)
    believed = worth_believed(history.belief, elapsed, candidate.importance)
    if candidate.signals is None or not has_say(candidate.witness):
        return believed
    page = announced(history, candidate.witness)
    told = worth_announced(page, elapsed, candidate.signals, candidate.importance)
    # Signals are weighed at the most likely rate of unannounced changes; what doubt about it adds is added in
    # proportion. Without that, a page judged too fast would be given up where its site never announces anything.
    certain = worth(history.belief.rate, elapsed, candidate.importance)
    return told * believed / certain if certain > 0 else told


def by_worth(candidates: Iterable[VisitCandidate], now: float, seed: int) -> Iterator[tuple[VisitCandidate, float]]:
    """Lazily, the most worth first; equal ones in an order that `seed` decides."""
    pages = list(candidates)
    heap = [(-value(page, now), _mixed(page.key, seed), place) for place, page in enumerate(pages)]
    heapify(heap)
    while heap:
        negated, _, place = heappop(heap)
        yield pages[place], -negated


def choose(candidates: Iterable[VisitCandidate], now: float, budget: Budget, seed: int) -> list[ChosenVisit]:
    """The visits to make now, those that waited first, then by falling worth.

    `seed` settles whose turn it is among equals and which of the small budgets hold a visit for one that waited: give
    another one each time.
    """
    pages = list(candidates)
    hosts: Counter[str] = Counter()
    kept_for_waiting = min(_share_of(budget, seed), budget.visits)
    waited = _admitted(_by_waiting(pages, now), kept_for_waiting, budget.by_host, hosts)
    chosen = [ChosenVisit(page.key, value(page, now), f"waited {_days(page, now)}") for page in waited]
    taken = {page.key for page in waited}
    rest = (page for page in pages if page.key not in taken)
    worths: dict[int, float] = {}
    ranked = _noting(by_worth(rest, now, seed), worths)
    best = _admitted(ranked, budget.visits - len(chosen), budget.by_host, hosts)
    return chosen + [_for_its_worth(page, worths[page.key], now) for page in best]


def _for_its_worth(page: VisitCandidate, gain: float, now: float) -> ChosenVisit:
    words = f"worth {gain / HOUR:.1f} fresh hours"
    own = _own_value(page, now) if page.leads_to > 0 else gain
    return ChosenVisit(page.key, gain, words if own >= gain / 2 else f"{words}, most of them of new pages it leads to")


def _share_of(budget: Budget, seed: int) -> int:
    """The visits for those that waited: of a fraction, chance makes a whole one as often as it should."""
    share = budget.waited_share * budget.visits
    whole = int(share)
    return whole + (_mixed(whole, seed) < (share - whole) * 2.0**64)


def _by_waiting(pages: list[VisitCandidate], now: float) -> Iterator[VisitCandidate]:
    heap = [(page.history.visited_at, page.key, place) for place, page in enumerate(pages)]
    heapify(heap)
    while heap:
        visited_at, _, place = heappop(heap)
        if visited_at < now:
            yield pages[place]


def _noting(ranked: Iterator[tuple[VisitCandidate, float]], worths: dict[int, float]) -> Iterator[VisitCandidate]:
    for page, gain in ranked:
        worths[page.key] = gain
        yield page


def _admitted(
    ranked: Iterator[VisitCandidate], most: int, by_host: int | None, hosts: Counter[str]
) -> list[VisitCandidate]:
    admitted: list[VisitCandidate] = []
    while len(admitted) < most:
        page = next(ranked, None)
        if page is None:
            break
        if by_host is None or hosts[page.host] < by_host:
            hosts[page.host] += 1
            admitted.append(page)
    return admitted


def _days(page: VisitCandidate, now: float) -> str:
    return f"{(now - page.history.visited_at) / (24 * HOUR):.1f} days"


def varied(interval: float, key: int, turn: int, seed: int) -> float:
    """`interval` give or take a tenth, by a hash: the same arguments give the same moment."""
    return interval * (1.0 + VARIES * (2.0 * _mixed(key ^ (turn << 48), seed) / 2.0**64 - 1.0))


def _mixed(number: int, seed: int) -> int:
    return xxh3_64_intdigest(number.to_bytes(16, "little", signed=True), seed)
