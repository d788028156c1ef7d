"""`bench freshness`: how fresh a copy stays for equal budgets, ours beside simple rules and the optimum.

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
    OPTIMUM,
    OURS,
    OURS_LISTENING,
    TOLD_ALL,
    WITH_SIGNALS,
    WITHOUT_SIGNALS,
    Policy,
)
from whimbrel.bench.freshness_worlds import (
    SIMULATED,
    TUNING,
    YEAR,
    YEARS,
    Scale,
    World,
    changelogs,
    replayed,
    simulated,
)

GOAL = 0.95
RELEASES = "Debian releases"
_FIRST_TUNING_SEED = 101
# Student's t for 95 %, by degrees of freedom from 1 on: a handful of seeds leaves the error itself unsure.
_STUDENT = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23)
_STUDENT_BEYOND = 2.2


class Plan(Struct, frozen=True):
    """`histories` is the folder with changelogs, None to leave the replay out."""

    seeds: int = 4
    scale: Scale = Scale()
    histories: Path | None = None
    tuning: bool = False
    first_seed: int = 1


class Measure(Struct, frozen=True):
    """By importance, over the second half: the share of time up to date, and the mean age in seconds."""

    freshness: float
    age_seconds: float


class Row(Struct, frozen=True):
    """One policy in one world over all seeds."""

    policy: str
    freshness: float
    spread: float
    of_optimum: float
    age_days: float
    ahead: float
    """Ours less this one in freshness, the mean over the seeds."""
    noise: float
    """Half of the 95 % interval of that."""


class Table(Struct, frozen=True):
    world: str
    setting: str
    ours: str
    rows: list[Row]

    @property
    def reached(self) -> bool:
        return next(row.of_optimum for row in self.rows if row.policy == self.ours) >= GOAL

    @property
    def beaten_by(self) -> list[str]:
        """Who is better than ours beyond noise, those who are told the truth aside."""
        told = (OPTIMUM, TOLD_ALL, self.ours)
        return [row.policy for row in self.rows if row.policy not in told and row.ahead < -row.noise - 1e-9]


class Report(Struct, frozen=True):
    seeds: list[int]
    pages: int
    visits_a_page: float
    replayed_pages: int
    tables: list[Table]


def run(plan: Plan, say: Callable[[str], None]) -> Report:
    first = _FIRST_TUNING_SEED if plan.tuning else plan.first_seed
    seeds = list(range(first, first + plan.seeds))
    names = list(TUNING if plan.tuning else SIMULATED)
    histories = changelogs(plan.histories) if plan.histories is not None and not plan.tuning else []
    if histories:
        names.append(RELEASES)

    def world(name: str, seed: int, weighted: bool) -> World:
        if name == RELEASES:
            return replayed(name, histories, seed, weighted, plan.scale, YEARS * YEAR)
        return simulated(name, seed, weighted, plan.scale)

    measured: dict[tuple[str, int, bool, str], Measure] = {}

    def outcome(name: str, weighted: bool, policy: str, make: Callable[[World], Policy]) -> list[Measure]:
        for seed in seeds:
            if (name, seed, weighted, policy) not in measured:
                there = world(name, seed, weighted)
                measured[name, seed, weighted, policy] = measure(there, simulate(there, make(there)))
        return [measured[name, seed, weighted, policy] for seed in seeds]

    tables = []
    for setting, weighted, policies, ours in (
        ("all pages alike", False, WITHOUT_SIGNALS, OURS),
        ("by importance", True, WITHOUT_SIGNALS, OURS),
        ("with noisy signals", False, WITH_SIGNALS, OURS_LISTENING),
    ):
        for name in names:
            say(f"{name}, {setting}")
            found = {policy: outcome(name, weighted, policy, make) for policy, make in policies.items()}
            tables.append(_table(name, setting, ours, found))
    visits = plan.scale.ticks * plan.scale.visits / plan.scale.pages
    return Report(seeds, plan.scale.pages, visits, min(len(histories), plan.scale.pages), tables)


def _table(name: str, setting: str, ours: str, measured: Mapping[str, Sequence[Measure]]) -> Table:
    best = mean(one.freshness for one in measured[OPTIMUM])
    mine = [one.freshness for one in measured[ours]]
    rows = []
    for policy, measures in measured.items():
        theirs = [one.freshness for one in measures]
        ahead = [own - other for own, other in zip(mine, theirs, strict=True)]
        rows.append(
            Row(
                policy=policy,
                freshness=mean(theirs),
                spread=_spread(theirs),
                of_optimum=mean(theirs) / best,
                age_days=mean(one.age_seconds for one in measures) / 86_400,
                ahead=mean(ahead),
                noise=_noise(ahead),
            )
        )
    return Table(name, setting, ours, rows)


def _noise(differences: Sequence[float]) -> float:
    freedom = len(differences) - 1
    student = _STUDENT[freedom - 1] if 1 <= freedom <= len(_STUDENT) else _STUDENT_BEYOND
    return student * _spread(differences) / sqrt(len(differences))


def _spread(values: Sequence[float]) -> float:
    return stdev(values) if len(values) > 1 else 0.0


def simulate(world: World, policy: Policy) -> list[list[float]]:
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


def _signals(world: World, page: int, since: float, now: float) -> int:
    told = world.pages[page]
    if told.manner.always:
        return round((now - since) / world.tick)
    return bisect_right(told.signals, now) - bisect_right(told.signals, since)


def measure(world: World, visits: Iterable[Sequence[float]]) -> Measure:
    """Exactly, between the moments: a page is stale from its first unseen change to the next visit."""
    fresh = age = weight = 0.0
    start, end = world.learned, world.length
    for page, moments in zip(world.pages, visits, strict=True):
        stale, aged = _stale(page.changes, [*moments, end], start)
        fresh += page.importance * (1.0 - stale / (end - start))
        age += page.importance * aged / (end - start)
        weight += page.importance
    return Measure(fresh / weight, age / weight)


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
