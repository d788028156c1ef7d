"""Which way of choosing migrants gets most done, simulated on the same worlds (`schedule_world`) for every way."""

import time
from collections.abc import Callable, Sequence
from math import inf, sqrt
from random import Random
from statistics import mean, median, stdev

from msgspec import Struct, convert

from whimbrel.bench.goals import Goal, at_most
from whimbrel.bench.schedule_world import (
    DEADLINE,
    DELAY,
    MIRRORED,
    SHAPES,
    ScheduleWorld,
    SimulatedLane,
    SimulatedMigrant,
    world,
)
from whimbrel.migrants.home.choice import (
    DEFAULT_CRITERIA,
    PAPER_CRITERIA,
    Criteria,
    Inputs,
    Measured,
    Strategy,
    TurnsTaken,
    choose,
)

GOAL_MICROSECONDS = 1_000
GOAL_CONSISTENCY = 0.1
TIMED_MIGRANTS, TIMED_CHOICES = 64, 200
PAPER = {"crawled": (4169, 3735), "saved": (4035, 3692), "duplicates": (134, 43)}
"""Table 4.13: with AHP and without, four unequal machines in the same time."""

WAYS: dict[str, tuple[Strategy, Criteria]] = {
    "ahp": (Strategy.AHP, DEFAULT_CRITERIA),
    "ahp, the paper's judgements": (Strategy.AHP, PAPER_CRITERIA),
    **{way.replace("_", " "): (way, DEFAULT_CRITERIA) for way in Strategy if way is not Strategy.AHP},
}

Say = Callable[[str], None]


class ScheduleRun(Struct, frozen=True):
    """`on_the_spot` are the duplicates that a migrant recognised itself, having crawled both; home finds the rest."""

    crawled: int
    saved: int
    duplicates: int
    on_the_spot: int
    evenness: float
    makespan: float
    site_seconds: float


class Figure(Struct, frozen=True):
    """A mean, and how far the true one may lie from it (95 %)."""

    mean: float
    within: float


class WayFigures(Struct, frozen=True):
    """How one way did in a scene, by the names of `FIGURES`."""

    way: str
    figures: dict[str, Figure]


class Scene(Struct, frozen=True):
    """`winners` got most saved; more than one where the seeds do not tell them apart."""

    shape: str
    migrants: int
    sites: float
    pages: float
    lines: tuple[WayFigures, ...]
    winners: tuple[str, ...]


class WayStanding(Struct, frozen=True):
    """Over all scenes: saved and the sites' time as multiples of the mean of all ways.

    `behind` names the figure by which it is told from the best, "" where none does.
    """

    way: str
    saved: Figure
    site_seconds: Figure
    evenness: Figure
    behind: str


class ScheduleReport(Struct, frozen=True):
    seeds: int
    scenes: tuple[Scene, ...]
    standings: tuple[WayStanding, ...]
    advice: str
    consistency: dict[str, float]
    choice_microseconds: float
    cpu_seconds: float
    paper: dict[str, tuple[int, int]]


class ScheduleTrial(Struct, frozen=True):
    seeds: int = 20
    first_seed: int = 1
    crews: tuple[int, ...] = (4, 8)


def goals(report: ScheduleReport) -> list[Goal]:
    said = [at_most("µs a choice by AHP among 64 migrants", report.choice_microseconds, GOAL_MICROSECONDS)]
    ratios = report.consistency.items()
    return [*said, *(at_most(f"consistency ratio of {name}", ratio, GOAL_CONSISTENCY) for name, ratio in ratios)]


def run(plan: ScheduleTrial, say: Say) -> ScheduleReport:
    began = time.process_time()
    scenes, everything = [], []
    for crew in plan.crews:
        for shape in SHAPES:
            say(f"{crew} migrants, {shape} …")
            worlds = [world(shape, crew, plan.first_seed + i) for i in range(plan.seeds)]
            runs = {name: [simulate(one, *way) for one in worlds] for name, way in WAYS.items()}
            scenes.append(_scene(shape, crew, worlds, runs))
            everything.append(runs)
    standings = _standings(everything)
    ratios = {name: criteria.ratio for name, (way, criteria) in WAYS.items() if way is Strategy.AHP}
    spent = time.process_time() - began
    return ScheduleReport(
        plan.seeds, tuple(scenes), standings, standings[0].way, ratios, choice_microseconds(), spent, PAPER
    )  # fmt: skip


class _Home:
    """Gives each lane to whom the strategy chooses, from what it knows at that moment."""

    def __init__(self, world: ScheduleWorld, strategy: Strategy, criteria: Criteria) -> None:
        chance = Random(len(world.sites))
        self.crew = [SimulatedMigrant(machine, i, chance) for i, machine in enumerate(world.machines)]
        self._by_name = {one.machine.name: one for one in self.crew}
        self._strategy = strategy
        self._criteria = criteria
        self._state = TurnsTaken()

    def advance(self, until: float) -> None:
        for one in self.crew:
            one.advance(until)

    def give(self, lane: SimulatedLane, now: float, ready: float) -> None:
        measured = tuple(one.measured(now) for one in self.crew if one.live(now))
        choice = choose(Inputs(lane.site.name, now, self._strategy, measured, self._criteria, self._state))
        self._state = choice.state
        self._by_name[choice.chosen].give(lane, ready)


def simulate(world: ScheduleWorld, strategy: Strategy, criteria: Criteria = DEFAULT_CRITERIA) -> ScheduleRun:
    home = _Home(world, strategy, criteria)
    lanes = [SimulatedLane(site) for site in world.sites]
    failing = next(one for one in home.crew if one.machine.down[0] < inf)
    moments: list[tuple[float, int, SimulatedLane | None]] = [(lane.site.at, i, lane) for i, lane in enumerate(lanes)]
    for now, _, lane in sorted([*moments, (failing.machine.down[0], -1, None)], key=lambda moment: moment[:2]):
        home.advance(now)
        if lane is not None:
            home.give(lane, now, now)
        else:
            for lost in failing.fail(now):
                home.give(lost, now, now + DELAY)
    home.advance(DEADLINE)
    counted = _at_deadline(lanes, home.crew)
    home.advance(inf)
    ends = [lane.ended_at for lane in lanes]
    took = mean(end - lane.site.at for end, lane in zip(ends, lanes, strict=True))
    crawled, duplicates, on_the_spot, evenness = counted
    return ScheduleRun(crawled, crawled - duplicates, duplicates, on_the_spot, evenness, max(ends), took)


def _at_deadline(lanes: Sequence[SimulatedLane], crew: Sequence[SimulatedMigrant]) -> tuple[int, int, int, float]:
    for one in crew:
        for _, _, lane in one.lanes:
            lane.close()
    unfinished: dict[str, int] = {}
    for one in crew:
        for due, lane in one.under_way:
            unfinished[lane.site.name] = unfinished.get(lane.site.name, 0) + (due > DEADLINE)
    done = [lane.begun - unfinished.get(lane.site.name, 0) for lane in lanes]
    duplicates = on_the_spot = 0
    for i, lane in enumerate(lanes):
        if lane.site.mirrors is not None:
            first = lanes[lane.site.mirrors]
            both = min(done[i], done[lane.site.mirrors], int(MIRRORED * min(lane.site.pages, first.site.pages)))
            duplicates += both
            on_the_spot += by_one(lane, first, both)
    return sum(done), duplicates, on_the_spot, jain([one.busy(DEADLINE) for one in crew])


def by_one(lane: SimulatedLane, other: SimulatedLane, pages: int) -> int:
    """Of the first pages those that the same migrant crawled on both sites."""
    return sum(
        max(0, min(end, end2, pages) - max(start, start2))
        for who, start, end in lane.parts
        for who2, start2, end2 in other.parts
        if who == who2
    )


def jain(loads: Sequence[float]) -> float:
    """1 where all are equally loaded, 1/n where one does everything (Jain, Chiu, Hawe 1984)."""
    squares = sum(load * load for load in loads)
    return sum(loads) ** 2 / (len(loads) * squares) if squares else 1.0


FIGURES: dict[str, Callable[[ScheduleRun], float]] = {
    "crawled": lambda run: run.crawled,
    "saved": lambda run: run.saved,
    "duplicates": lambda run: run.duplicates,
    "on the spot": lambda run: run.on_the_spot,
    "evenness": lambda run: run.evenness,
    "makespan": lambda run: run.makespan,
    "site seconds": lambda run: run.site_seconds,
}

Runs = dict[str, list[ScheduleRun]]


def _scene(shape: str, crew: int, worlds: Sequence[ScheduleWorld], runs: Runs) -> Scene:
    lines = tuple(
        WayFigures(way, {name: figure([of(one) for one in some]) for name, of in FIGURES.items()})
        for way, some in runs.items()
    )
    best = max(lines, key=lambda line: line.figures["saved"].mean).way
    saved = {way: [float(one.saved) for one in some] for way, some in runs.items()}
    winners = tuple(way for way in runs if not apart(saved[best], saved[way]))
    sites = mean(len(one.sites) for one in worlds)
    pages = mean(sum(site.pages for site in one.sites) for one in worlds)
    return Scene(shape, crew, sites, pages, lines, winners)


def figure(values: Sequence[float]) -> Figure:
    """Student's t is within 1 % of 1.96 + 2.4 / (n − 1) from ten values up."""
    if len(values) < 2:
        return Figure(mean(values), inf)
    return Figure(mean(values), (1.96 + 2.4 / (len(values) - 1)) * stdev(values) / sqrt(len(values)))


def apart(some: Sequence[float], others: Sequence[float]) -> bool:
    """Whether two ways differ, seed by seed: the same worlds make the pairs."""
    difference = figure([a - b for a, b in zip(some, others, strict=True)])
    return abs(difference.mean) > difference.within


def _standings(everything: Sequence[Runs]) -> tuple[WayStanding, ...]:
    """The best first: who saves most; of those not to be told apart, whose sites are done soonest; then who is even."""
    saved = _relative(everything, FIGURES["saved"])
    seconds = _relative(everything, FIGURES["site seconds"])
    evenness = {way: [one.evenness for runs in everything for one in runs[way]] for way in WAYS}
    left, behind = list(WAYS), dict.fromkeys(WAYS, "")
    for name, sign, values in (("saved", 1, saved), ("site seconds", -1, seconds), ("evenness", 1, evenness)):
        best = max(left, key=lambda way: sign * mean(values[way]))
        behind.update({way: name for way in left if apart(values[best], values[way])})
        left = [way for way in left if not behind[way]]
    steps = ["", "evenness", "site seconds", "saved"]
    order = sorted(WAYS, key=lambda way: (steps.index(behind[way]), -mean(saved[way])))
    return tuple(
        WayStanding(way, figure(saved[way]), figure(seconds[way]), figure(evenness[way]), behind[way]) for way in order
    )


def _relative(everything: Sequence[Runs], of: Callable[[ScheduleRun], float]) -> dict[str, list[float]]:
    """As multiples of the mean of all ways in the same world."""
    values: dict[str, list[float]] = {way: [] for way in WAYS}
    for runs in everything:
        for same_world in zip(*(runs[way] for way in WAYS), strict=True):
            middle = mean(of(one) for one in same_world) or 1.0
            for way, one in zip(WAYS, same_world, strict=True):
                values[way].append(of(one) / middle)
    return values


def choice_microseconds() -> float:
    """The median time of a choice by AHP among 64 migrants by 8 criteria."""
    chance = Random(1)
    fields = [name for name in Measured.__struct_fields__ if name not in ("name", "notes")]
    figures = [{field: chance.uniform(1, 1000) for field in fields} for _ in range(TIMED_MIGRANTS)]
    crew = tuple(convert({"name": f"m{i}", **some}, Measured) for i, some in enumerate(figures))
    inputs = Inputs("a.example", 0.0, Strategy.AHP, crew, DEFAULT_CRITERIA)
    took = []
    for _ in range(TIMED_CHOICES):
        began = time.perf_counter()
        choose(inputs)
        took.append(time.perf_counter() - began)
    return 1e6 * median(took)
