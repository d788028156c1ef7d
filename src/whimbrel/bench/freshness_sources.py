"""Sites that gain pages: how soon a new page is known for the same number of requests, by what sources are visited for.

Every site has lists that gain links, and pages that change; each round pays for so many requests, those for new pages
among them, which are fetched first. The worlds were written down before any of them was run.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from random import Random
from statistics import mean, stdev

from msgspec import Struct

from whimbrel.revisit.classes import DAY
from whimbrel.revisit.history import PageHistory, Sighting, after_visit, first_visit
from whimbrel.revisit.plan import Budget, VisitCandidate, choose
from whimbrel.revisit.sources import Finds, Usual, rate_of_new, usual_of

TICK = DAY / 4
MOST_TICKS = 400
SOONER_GOAL = 2.0


class Growth(Struct, frozen=True):
    """A kind of site: so many `lists`, whose rates of new links (a day, in all) are spread by Pareto's law with this
    `tail`, and so many other `pages` whose rates of change are log-normal around `changes` a day."""

    name: str
    lists: int
    new_a_day: float
    tail: float
    pages: int
    changes: float
    requests: int


GROWING = (
    Growth("news", lists=20, new_a_day=6.0, tail=1.1, pages=300, changes=0.2, requests=6),
    Growth("blog with one index", lists=3, new_a_day=1.0, tail=0.8, pages=200, changes=0.1, requests=3),
    Growth("shop with sections", lists=60, new_a_day=3.0, tail=1.5, pages=400, changes=0.3, requests=6),
    Growth("forum", lists=30, new_a_day=8.0, tail=1.0, pages=300, changes=0.5, requests=8),
)


class GrowingSite(Struct, frozen=True):
    """`moments` of each page: when a list gains a link, when a page changes. Lists come first."""

    lists: int
    moments: tuple[tuple[float, ...], ...]
    rates: tuple[float, ...]
    length: float
    requests: int


def site_of(growth: Growth, seed: int, ticks: int) -> GrowingSite:
    dice = Random(f"{growth.name} {seed}")
    length = ticks * TICK
    drawn = [dice.paretovariate(growth.tail) for _ in range(growth.lists)]
    rates = [growth.new_a_day * one / sum(drawn) / DAY for one in drawn]
    rates += [growth.changes * dice.lognormvariate(0.0, 1.2) / DAY for _ in range(growth.pages)]
    return GrowingSite(
        growth.lists, tuple(_poisson(dice, rate, length) for rate in rates), tuple(rates), length, growth.requests
    )


def _poisson(dice: Random, rate: float, length: float) -> tuple[float, ...]:
    moments = []
    at = dice.expovariate(rate)
    while at < length:
        moments.append(at)
        at += dice.expovariate(rate)
    return tuple(moments)


class SourcePlanner:
    """Ours. `sources`: lists are visited for what they lead to as well; `told`: and their rates are known."""

    def __init__(self, site: GrowingSite, sources: bool, told: bool = False) -> None:
        self._site, self._sources, self._told = site, sources, told
        self._histories: list[PageHistory] = [first_visit(0.0) for _ in site.moments]
        self._found = [0] * len(site.moments)
        self._fruitful = [0] * len(site.moments)
        self._turn = 0

    def choose(self, now: float, visits: int) -> list[int]:
        self._turn += 1
        finds = [
            Finds(count, one.visited_at, fruitful, one.changes - fruitful)
            for count, fruitful, one in zip(self._found, self._fruitful, self._histories, strict=True)
        ]
        usual = usual_of(finds)
        candidates = [
            VisitCandidate(key, "", history, leads_to=self._leads_to(key, finds[key], usual))
            for key, history in enumerate(self._histories)
        ]
        return [one.key for one in choose(candidates, now, Budget(visits), self._turn)]

    def _leads_to(self, key: int, finds: Finds, usual: Usual) -> float:
        if not self._sources:
            return 0.0
        if self._told:
            return self._site.rates[key] if key < self._site.lists else 0.0
        return rate_of_new(finds, usual)

    def saw(self, page: int, now: float, changed: bool, found: int) -> None:
        self._histories[page] = after_visit(self._histories[page], Sighting(now, changed))
        self._found[page] += found
        self._fruitful[page] += found > 0


class Everywhere:
    """All pages equally often, lists like the others."""

    def __init__(self, site: GrowingSite) -> None:
        self._count, self._at = len(site.moments), 0

    def choose(self, now: float, visits: int) -> list[int]:
        chosen = [(self._at + step) % self._count for step in range(min(visits, self._count))]
        self._at += len(chosen)
        return chosen

    def saw(self, page: int, now: float, changed: bool, found: int) -> None:
        """Nothing is learned."""


class KnownAfter(Struct, frozen=True):
    """How long new pages stayed unknown on average, in days, and how much of the rest was up to date."""

    delay_days: float
    freshness: float


def play(site: GrowingSite, planner: SourcePlanner | Everywhere) -> KnownAfter:
    """Of pages born in the second half; what is still unknown at the end counts with its age then."""
    visited = [0.0] * len(site.moments)
    delays: list[float] = []
    half, stale, waiting = site.length / 2, 0.0, 0
    for tick in range(1, round(site.length / TICK)):
        now = tick * TICK
        fetched = min(waiting, site.requests)  # what was found and is not fetched yet comes first
        waiting -= fetched
        for page in planner.choose(now, site.requests - fetched):
            moments = site.moments[page]
            new = moments[bisect_right(moments, visited[page]) : bisect_right(moments, now)]
            if page < site.lists:
                delays += [now - born for born in new if born >= half]
                waiting += len(new)
            elif new:
                stale += max(0.0, now - max(new[0], half))
            visited[page] = now
            planner.saw(page, now, bool(new), len(new) if page < site.lists else 0)
    for page, moments in enumerate(site.moments):
        left = moments[bisect_right(moments, visited[page]) :]
        if page < site.lists:
            delays += [site.length - born for born in left if born >= half]
        elif left:
            stale += site.length - max(left[0], half)
    pages = len(site.moments) - site.lists
    return KnownAfter(mean(delays) / DAY, 1.0 - stale / (pages * (site.length - half)))


FOR_THEMSELVES, FOR_NEW_PAGES, TOLD = (
    "visited for their own change",
    "visited for what they lead to",
    "the same, told rates",
)
PLANNERS: Mapping[str, Callable[[GrowingSite], SourcePlanner | Everywhere]] = {
    FOR_NEW_PAGES: lambda site: SourcePlanner(site, sources=True),
    TOLD: lambda site: SourcePlanner(site, sources=True, told=True),
    FOR_THEMSELVES: lambda site: SourcePlanner(site, sources=False),
    "visited as all others": Everywhere,
}


class SourceRow(Struct, frozen=True):
    """One planner in one kind of site over all seeds. `sooner`: how many times as long new pages stay unknown where
    lists are visited for their own change alone."""

    world: str
    planner: str
    delay_days: float
    spread: float
    freshness: float
    sooner: float


def sources(seeds: Sequence[int], ticks: int, say: Callable[[str], None]) -> list[SourceRow]:
    rows = []
    for growth in GROWING:
        say(f"{growth.name}: new pages")
        found = {
            name: [play(site, make(site)) for site in (site_of(growth, seed, ticks) for seed in seeds)]
            for name, make in PLANNERS.items()
        }
        plain = mean(one.delay_days for one in found[FOR_THEMSELVES])
        for name, measured in found.items():
            delays = [one.delay_days for one in measured]
            spread = stdev(delays) if len(delays) > 1 else 0.0
            fresh = mean(one.freshness for one in measured)
            rows.append(SourceRow(growth.name, name, mean(delays), spread, fresh, plain / mean(delays)))
    return rows
