"""`bench freshness`: how fresh a copy stays for equal budgets, ours beside simple rules and an upper bound.

The constants of `whimbrel.revisit` were chosen on other distributions and seeds (`--tuning` shows them).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from math import sqrt
from pathlib import Path
from statistics import mean, stdev

from msgspec import Struct

from whimbrel.bench.freshness_policies import (
    OURS,
    OURS_LISTENING,
    TOLD,
    TOLD_RATES,
    TOLD_SPREAD,
    WITH_SIGNALS,
    WITHOUT_SIGNALS,
    Policy,
    bound,
)
from whimbrel.bench.freshness_sources import FOR_NEW_PAGES, MOST_TICKS, SOONER_GOAL, SourceRow, sources
from whimbrel.bench.freshness_worlds import (
    SIMULATED,
    TUNING,
    YEAR,
    YEARS,
    FreshnessWorld,
    ImportanceSpread,
    WorldScale,
    changelogs,
    replayed,
    simulated,
)
from whimbrel.bench.goals import Goal, at_least, holds

GOAL, GOAL_OF_FEW = 0.97, 0.93
"""Of the bound: with four visits a tick or more, and with fewer."""
_ENOUGH_VISITS = 4
RELEASES = "Debian releases"
_FIRST_TUNING_SEED = 101
# Student's t for 95 %, by degrees of freedom from 1 on: a handful of seeds leaves the error itself unsure.
_STUDENT = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)
_STUDENT_BEYOND = 2.2


class FreshnessTrial(Struct, frozen=True):
    """`histories` is the folder with changelogs, None to leave the replay out."""

    seeds: int = 4
    scale: WorldScale = WorldScale()
    histories: Path | None = None
    tuning: bool = False
    first_seed: int = 1


class Measure(Struct, frozen=True):
    """By importance, over the second half: the share of time up to date, the mean age in seconds, and the harmonic
    penalty of Kolobov and others (NeurIPS 2019), the mean over time of 1 + 1/2 + … + 1/n for n unseen changes."""

    freshness: float
    age_seconds: float
    penalty: float


class PolicyRow(Struct, frozen=True):
    """One policy in one world over all seeds."""

    policy: str
    freshness: float
    spread: float
    of_bound: float
    age_days: float
    penalty: float
    ahead: float
    """Ours less this one in freshness, the mean over the seeds."""
    noise: float
    """Half of the 95 % interval of that."""


class Table(Struct, frozen=True):
    world: str
    setting: str
    ours: str
    goal: float
    rows: list[PolicyRow]

    @property
    def of_bound(self) -> float:
        """Of the freshness that no plan exceeds, what ours has."""
        return next(row.of_bound for row in self.rows if row.policy == self.ours)

    @property
    def not_knowing(self) -> float:
        """What it costs in freshness that rates have to be learned."""
        return next((-row.ahead for row in self.rows if row.policy == TOLD_RATES), 0.0)

    @property
    def learnable(self) -> float | None:
        """Of the bound, what a planner reaches that is told the spread of rates and learns the rest; None where changes
        are announced."""
        return next((row.of_bound for row in self.rows if row.policy == TOLD_SPREAD), None)

    @property
    def beaten_by(self) -> list[str]:
        """Who is better than ours beyond noise, those who are told the truth aside."""
        rivals = [row for row in self.rows if row.policy not in (*TOLD, self.ours)]
        return [row.policy for row in rivals if row.ahead < -row.noise - 1e-9]


class FreshnessReport(Struct, frozen=True):
    seeds: list[int]
    pages: int
    visits_a_page: float
    replayed_pages: int
    tables: list[Table]
    sources: list[SourceRow]


def goals(report: FreshnessReport) -> list[Goal]:
    said = []
    for table in report.tables:
        where = f"{table.world}, {table.setting}"
        said.append(at_least(f"freshness as a share of the bound: {where}", table.of_bound, table.goal))
        said.append(holds(f"simple rules that are better beyond noise: {where}", len(table.beaten_by)))
    ours = [row for row in report.sources if row.planner == FOR_NEW_PAGES]
    return said + [
        at_least(f"new pages are known so many times sooner: {row.world}", row.sooner, SOONER_GOAL) for row in ours
    ]


def run(plan: FreshnessTrial, say: Callable[[str], None]) -> FreshnessReport:
    first = _FIRST_TUNING_SEED if plan.tuning else plan.first_seed
    seeds = list(range(first, first + plan.seeds))
    names = list(TUNING if plan.tuning else SIMULATED)
    histories = changelogs(plan.histories) if plan.histories is not None and not plan.tuning else []
    if histories:
        names.append(RELEASES)

    def world(name: str, seed: int, weights: ImportanceSpread) -> FreshnessWorld:
        if name == RELEASES:
            return replayed(name, histories, seed, weights, plan.scale, YEARS * YEAR)
        return simulated(name, seed, weights, plan.scale)

    measured: dict[tuple[str, int, ImportanceSpread, str], Measure] = {}

    def outcome(
        name: str, weights: ImportanceSpread, policy: str, make: Callable[[FreshnessWorld], Policy]
    ) -> list[Measure]:
        for seed in seeds:
            if (name, seed, weights, policy) not in measured:
                there = world(name, seed, weights)
                measured[name, seed, weights, policy] = measure(there, simulate(there, make(there)))
        return [measured[name, seed, weights, policy] for seed in seeds]

    tables = []
    goal = GOAL if plan.scale.visits >= _ENOUGH_VISITS else GOAL_OF_FEW
    for setting, weights, policies, ours in (
        ("all pages alike", ImportanceSpread.ALIKE, WITHOUT_SIGNALS, OURS),
        ("by importance", ImportanceSpread.PARETO, WITHOUT_SIGNALS, OURS),
        ("by requests", ImportanceSpread.ZIPF, WITHOUT_SIGNALS, OURS),
        ("with noisy signals", ImportanceSpread.ALIKE, WITH_SIGNALS, OURS_LISTENING),
    ):
        for name in names:
            say(f"{name}, {setting}")
            found = {policy: outcome(name, weights, policy, make) for policy, make in policies.items()}
            best = mean(bound(world(name, seed, weights)) for seed in seeds)
            tables.append(_table(name, setting, ours, goal, best, found))
    visits = plan.scale.ticks * plan.scale.visits / plan.scale.pages
    growing = [] if plan.tuning else sources(seeds, min(plan.scale.ticks, MOST_TICKS), say)
    return FreshnessReport(seeds, plan.scale.pages, visits, min(len(histories), plan.scale.pages), tables, growing)


def _table(
    name: str, setting: str, ours: str, goal: float, best: float, measured: Mapping[str, Sequence[Measure]]
) -> Table:
    mine = [one.freshness for one in measured[ours]]
    rows = []
    for policy, measures in measured.items():
        theirs = [one.freshness for one in measures]
        ahead = [own - other for own, other in zip(mine, theirs, strict=True)]
        rows.append(
            PolicyRow(
                policy=policy,
                freshness=mean(theirs),
                spread=_spread(theirs),
                of_bound=mean(theirs) / best,
                age_days=mean(one.age_seconds for one in measures) / 86_400,
                penalty=mean(one.penalty for one in measures),
                ahead=mean(ahead),
                noise=_noise(ahead),
            )
        )
    return Table(name, setting, ours, goal, rows)


def _noise(differences: Sequence[float]) -> float:
    freedom = len(differences) - 1
    student = _STUDENT[freedom - 1] if 1 <= freedom <= len(_STUDENT) else _STUDENT_BEYOND
    return student * _spread(differences) / sqrt(len(differences))


def _spread(values: Sequence[float]) -> float:
    return stdev(values) if len(values) > 1 else 0.0


def simulate(world: FreshnessWorld, policy: Policy) -> list[list[float]]:
    """The visits to every page, all of which are visited at moment 0."""
    visits = [[0.0] for _ in world.pages]
    ticks = round(world.length / world.tick)
    for tick in range(1, ticks):
        now = tick * world.tick
        signals = [_signals(world, page, visits[page][-1], now) for page in range(len(world.pages))]
        for page in policy.choose(now, signals):
            last = visits[page][-1]
            changes = world.pages[page].changes
            changed = bisect_right(changes, now) > bisect_right(changes, last)
            visits[page].append(now)
            policy.saw(page, now, changed, signals[page])
    return visits


def _signals(world: FreshnessWorld, page: int, since: float, now: float) -> int:
    told = world.pages[page]
    if told.manner.always:
        return round((now - since) / world.tick)
    return bisect_right(told.signals, now) - bisect_right(told.signals, since)


def measure(world: FreshnessWorld, visits: Iterable[Sequence[float]]) -> Measure:
    """Exactly, between the moments: a page is stale from its first unseen change to the next visit."""
    fresh = age = penalty = weight = 0.0
    start, end = world.learned, world.length
    for page, moments in zip(world.pages, visits, strict=True):
        stale, aged = _stale(page.changes, [*moments, end], start)
        penalty += page.importance * _penalty(page.changes, [*moments, end], start) / (end - start)
        fresh += page.importance * (1.0 - stale / (end - start))
        age += page.importance * aged / (end - start)
        weight += page.importance
    return Measure(fresh / weight, age / weight, penalty / weight)


def _penalty(changes: Sequence[float], visits: Sequence[float], start: float) -> float:
    """The n-th unseen change adds 1/n from its moment to the visit that sees it."""
    total = 0.0
    for last, following in pairwise(visits):
        unseen = changes[bisect_right(changes, last) : bisect_left(changes, following)] if following > start else ()
        total += sum((following - max(moment, start)) / place for place, moment in enumerate(unseen, 1))
    return total


def _stale(changes: Sequence[float], visits: Sequence[float], start: float) -> tuple[float, float]:
    """Seconds stale after `start`, and the age in that time added up (seconds times seconds)."""
    stale = aged = 0.0
    for last, following in pairwise(visits):
        if following <= start:
            continue
        first = bisect_right(changes, last)
        if first == bisect_left(changes, following):
            continue
        begun = changes[first]
        counted = max(begun, start)
        stale += max(0.0, following - counted)
        aged += ((following - begun) ** 2 - (counted - begun) ** 2) / 2 if following > counted else 0.0
    return stale, aged
