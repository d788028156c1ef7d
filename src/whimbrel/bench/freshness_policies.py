"""Who decides what is visited next: ours, the paper's rule, simple ones, and those who are told the truth."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import exp, expm1, inf, log, sqrt
from typing import Protocol

from msgspec.structs import replace

from whimbrel.bench.freshness_worlds import FreshnessWorld, WorldPage
from whimbrel.revisit.history import PageHistory, Sighting, after_visit, first_visit, silent_chance
from whimbrel.revisit.plan import Budget, VisitCandidate, choose
from whimbrel.revisit.prior import common_prior, loose_prior
from whimbrel.revisit.rate import Belief, believed
from whimbrel.revisit.rule import Countdown, visited
from whimbrel.revisit.trust import UNTRIED, Witness, heard
from whimbrel.revisit.worth import SignalRates, freshness, worth, worth_announced

_PRIOR_EVERY = 25
_ATOMS = 33
_NEGLIGIBLE = 1e-3


class Policy(Protocol):
    """All pages were visited at moment 0. `signals` are those since the page's last visit."""

    def choose(self, now: float, signals: Sequence[int]) -> Sequence[int]: ...

    def saw(self, page: int, now: float, changed: bool, signals: int) -> None: ...


class Ours:
    """The planner of `whimbrel.revisit`, with or without signals; it knows importance and nothing else."""

    def __init__(self, world: FreshnessWorld, listens: bool) -> None:
        self._world, self._listens = world, listens
        self._budget = Budget(world.visits)
        self._histories: list[PageHistory] = [first_visit(0.0) for _ in world.pages]
        self._witnesses: dict[str, Witness] = {}
        self._prior: Belief | None = None
        self._turn = 0

    def choose(self, now: float, signals: Sequence[int]) -> Sequence[int]:
        self._turn += 1
        if self._turn % _PRIOR_EVERY == 0:
            learn = loose_prior if self._listens else common_prior
            self._prior = prior = learn(history.gaps for history in self._histories)
            self._histories = [replace(one, belief=believed(one.gaps, prior)) for one in self._histories]
        candidates = [
            VisitCandidate(
                key=key,
                host="",
                history=history,
                importance=page.importance,
                signals=signals[key] if self._listens else None,
                witness=self._witnesses.get(page.manner.name, UNTRIED),
            )
            for key, (page, history) in enumerate(zip(self._world.pages, self._histories, strict=True))
        ]
        return [one.key for one in choose(candidates, now, self._budget, self._turn)]

    def saw(self, page: int, now: float, changed: bool, signals: int) -> None:
        history = self._histories[page]
        site = self._world.pages[page].manner.name
        witness = self._witnesses.get(site, UNTRIED)
        sighting = Sighting(now, changed, signals if self._listens else None)
        prior = self._prior
        after = after_visit(history, sighting, witness, prior) if prior else after_visit(history, sighting, witness)
        self._histories[page] = after
        if self._listens:
            chance = silent_chance(history, now - history.visited_at)
            self._witnesses[site] = heard(witness, signals, changed, chance)


class ByDueTime:
    """The pages that are due longest, or will be next: everyone who sets intervals spends the same budget so."""

    def __init__(self, world: FreshnessWorld, intervals: Sequence[float]) -> None:
        self._count = world.visits
        self.intervals = list(intervals)
        # Beginning at different points of the interval, as golden-ratio steps spread them.
        shares = [number * 0.618_034 % 1.0 for number in range(len(self.intervals))]
        self.due = [one * share if one < inf else inf for one, share in zip(self.intervals, shares, strict=True)]

    def choose(self, now: float, signals: Sequence[int]) -> Sequence[int]:
        return sorted(range(len(self.due)), key=self.due.__getitem__)[: self._count]

    def saw(self, page: int, now: float, changed: bool, signals: int) -> None:
        # From when it was due, not from when it was done: a late visit does not slow the schedule down.
        begun = max(self.due[page], now - self.intervals[page])
        self.due[page] = min(begun, now) + self.intervals[page]


class GrowsAndShrinks(ByDueTime):
    """An interval that grows by 40 % after an unchanged visit and shrinks by 20 % after a change."""

    def __init__(self, world: FreshnessWorld) -> None:
        super().__init__(world, [_evenly(world)] * len(world.pages))

    def saw(self, page: int, now: float, changed: bool, signals: int) -> None:
        self.intervals[page] *= 0.8 if changed else 1.4
        self.due[page] = now + self.intervals[page]


class PapersRule(ByDueTime):
    """P2's fr and fr_max, a tick being a round."""

    def __init__(self, world: FreshnessWorld) -> None:
        super().__init__(world, [world.tick] * len(world.pages))
        self._tick = world.tick
        self._countdowns = [Countdown() for _ in world.pages]
        self._records: list[list[bool]] = [[] for _ in world.pages]

    def saw(self, page: int, now: float, changed: bool, signals: int) -> None:
        records = self._records[page] = [*self._records[page], changed][-20:]
        countdown = self._countdowns[page] = visited(self._countdowns[page], len(records), sum(records))
        self.due[page] = now + countdown.fr * self._tick


class FollowsSignals(ByDueTime):
    """P0's plain rule: what the sitemap says has changed is fetched, the rest of the budget goes round."""

    def __init__(self, world: FreshnessWorld) -> None:
        super().__init__(world, [_evenly(world)] * len(world.pages))

    def choose(self, now: float, signals: Sequence[int]) -> Sequence[int]:
        return sorted(range(len(self.due)), key=lambda page: (not signals[page], self.due[page]))[: self._count]


class BestIntervals(ByDueTime):
    """The intervals that are best when the rates are known; where rates move, they are told at once."""

    def __init__(self, world: FreshnessWorld) -> None:
        self._world = world
        self._rates = [page.rate(0.0) for page in world.pages]
        super().__init__(world, self._best())
        self._moves = sorted({start for page in world.pages for start, _ in page.rates})
        self._at = 1
        self._visited = [0.0] * len(world.pages)

    def _best(self) -> list[float]:
        importance = [page.importance for page in self._world.pages]
        return best_intervals(self._rates, importance, self._world.visits / self._world.tick)

    def choose(self, now: float, signals: Sequence[int]) -> Sequence[int]:
        moved = bisect_right(self._moves, now)
        if moved != self._at:
            self._at = moved
            self._rates = [page.rate(now) for page in self._world.pages]
            self.intervals = self._best()
            self.due = [at + interval for at, interval in zip(self._visited, self.intervals, strict=True)]
        return super().choose(now, signals)

    def saw(self, page: int, now: float, changed: bool, signals: int) -> None:
        super().saw(page, now, changed, signals)
        self._visited[page] = now


class ToldAll:
    """The page of highest worth, told the rates and, where it listens, how each site announces."""

    def __init__(self, world: FreshnessWorld, listens: bool) -> None:
        self._world, self._listens = world, listens
        self._visited = [0.0] * len(world.pages)

    def choose(self, now: float, signals: Sequence[int]) -> Sequence[int]:
        pages = self._world.pages
        values = [
            _told(page, now, now - at, heard) if self._listens else worth(page.rate(now), now - at, page.importance)
            for page, at, heard in zip(pages, self._visited, signals, strict=True)
        ]
        return sorted(range(len(pages)), key=lambda page: -values[page])[: self._world.visits]

    def saw(self, page: int, now: float, changed: bool, signals: int) -> None:
        self._visited[page] = now


class ToldSpread:
    """What can be learned: told how the rates are spread over the pages, not which page has which. The rate of each is
    then known exactly as far as its own visits tell (Bayes), and the page of highest expected worth is visited."""

    def __init__(self, world: FreshnessWorld) -> None:
        self._world = world
        rates = sorted(page.rate(world.learned) for page in world.pages)
        self._rates = [rates[int((place + 0.5) * len(rates) / _ATOMS)] for place in range(_ATOMS)]
        self._logs = [[0.0] * _ATOMS for _ in world.pages]
        self._chances = [[1.0 / _ATOMS] * _ATOMS for _ in world.pages]
        self._visited = [0.0] * len(world.pages)

    def choose(self, now: float, signals: Sequence[int]) -> Sequence[int]:
        values = [self._value(number, page, now) for number, page in enumerate(self._world.pages)]
        return sorted(range(len(values)), key=lambda page: -values[page])[: self._world.visits]

    def _value(self, number: int, page: WorldPage, now: float) -> float:
        elapsed = now - self._visited[number]
        likely = zip(self._chances[number], self._rates, strict=True)
        return page.importance * sum(chance * worth(rate, elapsed) for chance, rate in likely if chance > _NEGLIGIBLE)

    def saw(self, page: int, now: float, changed: bool, signals: int) -> None:
        elapsed, self._visited[page] = now - self._visited[page], now
        logs = self._logs[page]
        for place, rate in enumerate(self._rates):
            logs[place] += log(-expm1(-rate * elapsed)) if changed else -rate * elapsed
        top = max(logs)
        weights = [exp(one - top) for one in logs]
        whole = sum(weights)
        self._chances[page] = [weight / whole for weight in weights]


def _told(page: WorldPage, now: float, elapsed: float, signals: int) -> float:
    rate, manner = page.rate(now), page.manner
    if manner.recall == 0.0:
        return worth(rate, elapsed, page.importance)
    all_signals = (manner.recall + manner.false_by_change) * rate
    precision = manner.recall / (manner.recall + manner.false_by_change)
    return worth_announced(
        SignalRates((1.0 - manner.recall) * rate, all_signals, precision), elapsed, signals, page.importance
    )


def _evenly(world: FreshnessWorld) -> float:
    return len(world.pages) / world.visits * world.tick


def _uniform(world: FreshnessWorld) -> Policy:
    return ByDueTime(world, [_evenly(world)] * len(world.pages))


def _proportional(world: FreshnessWorld) -> Policy:
    means = [len(page.changes) / world.length + 1e-12 for page in world.pages]
    budget = world.visits / world.tick
    return ByDueTime(world, [sum(means) / (budget * mean) for mean in means])


OURS, OURS_LISTENING = "ours", "ours, with signals"
TOLD_RATES, TOLD_ALL, BEST_INTERVALS = "ours, told rates", "told all, with signals", "best intervals, told rates"
TOLD_SPREAD = "told the spread of rates"
TOLD = (TOLD_RATES, TOLD_ALL, BEST_INTERVALS, TOLD_SPREAD)
"""Those who know what nobody can know."""

WITHOUT_SIGNALS: Mapping[str, Callable[[FreshnessWorld], Policy]] = {
    TOLD_RATES: lambda world: ToldAll(world, listens=False),
    BEST_INTERVALS: BestIntervals,
    TOLD_SPREAD: ToldSpread,
    OURS: lambda world: Ours(world, listens=False),
    "uniform": _uniform,
    "proportional, rates told": _proportional,
    "P2's rule": PapersRule,
    "+40 % / −20 %": GrowsAndShrinks,
}
WITH_SIGNALS: Mapping[str, Callable[[FreshnessWorld], Policy]] = {
    TOLD_RATES: lambda world: ToldAll(world, listens=False),
    TOLD_ALL: lambda world: ToldAll(world, listens=True),
    OURS_LISTENING: lambda world: Ours(world, listens=True),
    OURS: lambda world: Ours(world, listens=False),
    "follows all signals": FollowsSignals,
    "uniform": _uniform,
}


def bound(world: FreshnessWorld) -> float:
    """The weighted freshness that no plan exceeds on average which knows all rates and no moment: the best intervals
    with visits that may be divided at will, over the measured half. Where changes are no Poisson process, or rates
    move, it is the bound of whoever takes them for one at the rate of the moment; a rhythm can be beaten by luck."""
    importance = [page.importance for page in world.pages]
    moves = {start for page in world.pages for start, _ in page.rates if world.learned < start < world.length}
    total = 0.0
    for start, end in pairwise([world.learned, *sorted(moves), world.length]):
        rates = [page.rate(start) for page in world.pages]
        best = best_intervals(rates, importance, world.visits / world.tick)
        total += (end - start) * sum(
            weight * freshness(rate, interval)
            for weight, rate, interval in zip(importance, rates, best, strict=True)
            if interval < inf
        )
    return total / (world.length - world.learned) / sum(importance)


def best_intervals(rates: Sequence[float], importance: Sequence[float], budget: float) -> list[float]:
    """The intervals that make weighted freshness largest with `budget` visits a second, exactly.

    At the optimum the marginal worth V of all visited pages is one number (Lagrange), which is found by bisection.
    Pages that could never be worth as much are never visited.
    """
    low, high = 0.0, max(weight / rate for weight, rate in zip(importance, rates, strict=True))
    for _ in range(50):
        level = (low + high) / 2
        spent = sum(1.0 / _interval(rate, weight, level) for rate, weight in zip(rates, importance, strict=True))
        if spent > budget:
            low = level
        else:
            high = level
    return [_interval(rate, weight, high) for rate, weight in zip(rates, importance, strict=True)]


def _interval(rate: float, weight: float, level: float) -> float:
    """After how long V reaches `level`: x with 1 − (1 + x)·e^(−x) = level·rate/weight.

    Newton's method goes straight there: the left side is convex up to x = 1 and concave beyond.
    """
    share = level * rate / weight
    if share >= 1.0:
        return inf
    x = min(1.0, 1.5 * sqrt(2.0 * share))
    for _ in range(60):
        step = (1.0 - (1.0 + x) * exp(-x) - share) / (x * exp(-x)) if x > 0 else 0.0
        x -= step
        if abs(step) < 1e-9 * x:
            break
    return max(x, 1e-9) / rate
