"""Four unequal places at the same sites, as in Table 4.13: who gets a site, chosen once or as measurements change.

As in `schedule`, nothing is fetched. Each place besides has a way home: what it crawls is packed, goes over that way
and counts when it has arrived. Every half minute home looks whether a site would be better off elsewhere, by the very
functions that a crawl uses; a site that moves is left alone for one delay more.
"""

from collections.abc import Callable
from math import inf
from random import Random
from statistics import mean

from msgspec import Struct, structs

from whimbrel.bench.goals import Goal, at_least
from whimbrel.bench.schedule import FIGURES, PAPER, Figure, ScheduleRun, apart, by_one, figure, jain
from whimbrel.bench.schedule_world import (
    DEADLINE,
    DELAY,
    MINUTES,
    MIRRORED,
    PACKED,
    SHAPES,
    WINDOW,
    ScheduleWorld,
    SimulatedLane,
    SimulatedMachine,
    SimulatedMigrant,
    world,
)
from whimbrel.migrants.home.balance import WORTH_MOVING
from whimbrel.migrants.home.choice import DEFAULT_CRITERIA, Inputs, Measured, Strategy, TurnsTaken, choose
from whimbrel.migrants.home.chooser import better, without
from whimbrel.migrants.home.crew import AGAIN_SECONDS

PLACES = 4
MBIT = 125_000.0

WAYS_HOME: dict[str, Callable[[Random], tuple[float, float]]] = {
    "1 to 100 Mbit/s, 5 to 300 ms": lambda chance: (0.005 * 60 ** chance.random(), MBIT * 100 ** chance.random()),
    "0.02 to 2 Mbit/s, 50 to 600 ms": lambda chance: (
        0.05 * 12 ** chance.random(), 0.02 * MBIT * 100 ** chance.random()
    ),
}  # fmt: skip
"""Round trip and bytes a second, drawn for each place."""


class ChoosingManner(Struct, frozen=True):
    """How sites are given: by which strategy, whether again, and whether the ways home are measured."""

    strategy: Strategy
    again: bool = False
    ways_known: bool = True


MANNERS: dict[str, ChoosingManner] = {
    "ahp": ChoosingManner(Strategy.AHP, again=True),
    "weighted round robin": ChoosingManner(Strategy.WEIGHTED_ROUND_ROBIN, again=True),
    "ahp, once": ChoosingManner(Strategy.AHP),
    "weighted round robin, once": ChoosingManner(Strategy.WEIGHTED_ROUND_ROBIN),
    "ahp, ways home not measured": ChoosingManner(Strategy.AHP, again=True, ways_known=False),
    "weighted round robin, ways home not measured": ChoosingManner(
        Strategy.WEIGHTED_ROUND_ROBIN, again=True, ways_known=False
    ),
    "round robin": ChoosingManner(Strategy.ROUND_ROBIN),
    "host hash": ChoosingManner(Strategy.HOST_HASH),
}


class PlacedMachine(SimulatedMachine, frozen=True, kw_only=True):
    """A machine, and its way home."""

    home_seconds: float
    home_bytes_per_second: float


class PlacedMigrant(SimulatedMigrant):
    """What it has crawled waits on its disk until the way home has carried it. `carried` says of each page when it was
    done and when it arrived."""

    def __init__(self, machine: PlacedMachine, number: int, chance: Random) -> None:
        super().__init__(machine, number, chance)
        self._way = machine
        self._way_free = self._bytes = 0.0
        self.carried: list[tuple[float, float, SimulatedLane]] = []

    def _disk_has_room(self, start: float) -> float:
        drain = self._way.home_bytes_per_second
        if start > self.disk_at:
            self.disk_level = max(0.0, self.disk_level - drain * (start - self.disk_at))
            self.disk_at = start
        return self.disk_at + max(0.0, self.disk_level - self.machine.disk_bytes) / drain

    def _fetch(self, lane: SimulatedLane, start: float) -> tuple[float, float]:
        done, received = super()._fetch(lane, start)
        packed = lane.site.page_bytes * PACKED
        self._bytes += packed
        self._way_free = max(self._way_free, done) + packed / self._way.home_bytes_per_second
        self.carried.append((done, self._way_free + self._way.home_seconds / 2, lane))
        return done, received

    def give_up(self, lane: SimulatedLane, now: float) -> float:
        """The lane goes to another; from when on its site may be asked again."""
        ready = next(ready for ready, _, one in self.lanes if one is lane)
        self.lanes = sorted(entry for entry in self.lanes if entry[2] is not lane)
        lane.close()
        return max(ready, now + DELAY)

    def fail(self, now: float) -> list[SimulatedLane]:
        """What was done lies on its disk, and goes on once the place is back."""
        away = self.machine.down[1] - self.machine.down[0]
        whole = [one for one in self.carried if one[0] <= now]
        self.carried = [(done, at if at <= now else at + away, lane) for done, at, lane in whole]
        self._way_free = max(self._way_free, now) + away
        return super().fail(now)

    def told(self, now: float, ways_known: bool) -> Measured:
        machine = self._way
        slow = machine.slowdown[max(0, int(now / 60) - 1) % MINUTES]
        told = structs.replace(self.measured(now), cpu_speed=machine.pages_per_second, machine_load=slow)
        if not ways_known:
            return told
        return structs.replace(
            told, home_seconds=machine.home_seconds * self.off, home_bytes=self._bytes or None,
            home_bytes_per_second=machine.home_bytes_per_second / self.off,
        )  # fmt: skip


class PlacesScene(Struct, frozen=True):
    """`moves` are lanes that changed hands in a run, on the mean; `winners` got most home."""

    ways: str
    shape: str
    rows: dict[str, dict[str, Figure]]
    moves: dict[str, float]
    winners: tuple[str, ...]


class PlacesReport(Struct, frozen=True):
    """`against_hash` is what came home as a multiple of what came home by host hash in the same world."""

    seeds: int
    first_seed: int
    scenes: tuple[PlacesScene, ...]
    against_hash: dict[str, Figure]
    paper: dict[str, tuple[int, int]]


def goals(report: PlacesReport) -> list[Goal]:
    """Table 4.13's own, for the way that crawls choose by unless told otherwise and for AHP."""
    least = round(PAPER["saved"][0] / PAPER["saved"][1], 3)
    return [
        at_least(f"saved with {name}, as a multiple of host hash", report.against_hash[name].mean, least)
        for name in ("ahp", "weighted round robin")
    ]


def run(seeds: int, first_seed: int, say: Callable[[str], None]) -> PlacesReport:
    scenes, ratios = [], {name: list[float]() for name in MANNERS}
    for ways in WAYS_HOME:
        for shape in SHAPES:
            say(f"{PLACES} places, {ways}, {shape} …")
            worlds = [places_world(ways, shape, first_seed + i) for i in range(seeds)]
            runs = {name: [simulate(one, manner) for one in worlds] for name, manner in MANNERS.items()}
            scenes.append(_scene(ways, shape, runs))
            for name, some in runs.items():
                pairs = zip(some, runs["host hash"], strict=True)
                ratios[name] += [one.saved / max(1, other.saved) for (one, _), (other, _) in pairs]
    against = {name: figure(values) for name, values in ratios.items()}
    return PlacesReport(seeds, first_seed, tuple(scenes), against, PAPER)


def places_world(ways: str, shape: str, seed: int) -> ScheduleWorld:
    """The world of `schedule` for four, with ways home."""
    drawn, chance = world(shape, PLACES, seed), Random(f"{ways} {shape} {seed}")
    machines = []
    for machine in drawn.machines:
        seconds, wide = WAYS_HOME[ways](chance)
        fields = {name: getattr(machine, name) for name in SimulatedMachine.__struct_fields__}
        machines.append(PlacedMachine(**fields, home_seconds=seconds, home_bytes_per_second=wide))
    return ScheduleWorld(tuple(machines), drawn.sites)


class _PlacesHome:
    def __init__(self, world: ScheduleWorld, manner: ChoosingManner) -> None:
        chance = Random(len(world.sites))
        machines = [machine for machine in world.machines if isinstance(machine, PlacedMachine)]
        self.crew = [PlacedMigrant(machine, i, chance) for i, machine in enumerate(machines)]
        self._by_name = {one.machine.name: one for one in self.crew}
        self._manner = manner
        self._state = TurnsTaken()
        self.moves = 0

    def _told(self, now: float) -> tuple[Measured, ...]:
        return tuple(one.told(now, self._manner.ways_known) for one in self.crew if one.live(now))

    def give(self, lane: SimulatedLane, now: float, ready: float) -> None:
        inputs = Inputs(lane.site.name, now, self._manner.strategy, self._told(now), DEFAULT_CRITERIA, self._state)
        choice = choose(inputs)
        self._state = choice.state
        self._by_name[choice.chosen].give(lane, ready)

    def again(self, now: float) -> None:
        """The largest lane that gains, one at a time, as in a crawl."""
        held = [(lane, one) for one in self.crew if one.live(now) for _, _, lane in one.lanes]
        for lane, holder in sorted(held, key=lambda pair: -pair[0].queued):
            if lane.queued < WORTH_MOVING:
                return
            name = holder.machine.name
            told = [without(one, min(WINDOW, lane.queued)) if one.name == name else one for one in self._told(now)]
            choice = better(Inputs(lane.site.name, now, self._manner.strategy, tuple(told), DEFAULT_CRITERIA), name)
            if choice is not None:
                self._by_name[choice.chosen].give(lane, holder.give_up(lane, now))
                self.moves += 1
                return


def simulate(world: ScheduleWorld, manner: ChoosingManner) -> tuple[ScheduleRun, int]:
    """What is counted, and how many lanes changed hands."""
    home = _PlacesHome(world, manner)
    lanes = [SimulatedLane(site) for site in world.sites]
    failing = next(one for one in home.crew if one.machine.down[0] < inf)
    moments: list[tuple[float, int, SimulatedLane | None]] = [(lane.site.at, i, lane) for i, lane in enumerate(lanes)]
    moments.append((failing.machine.down[0], -1, None))
    if manner.again:
        moments += [(at * AGAIN_SECONDS, -2, None) for at in range(1, int(DEADLINE / AGAIN_SECONDS))]
    for now, what, lane in sorted(moments, key=lambda moment: moment[:2]):
        for one in home.crew:
            one.advance(now)
        if lane is not None:
            home.give(lane, now, now)
        elif what == -1:
            for lost in failing.fail(now):
                home.give(lost, now, now + DELAY)
        else:
            home.again(now)
    for one in home.crew:
        one.advance(DEADLINE)
    return _counted(lanes, home), home.moves


def _counted(lanes: list[SimulatedLane], home: _PlacesHome) -> ScheduleRun:
    for one in home.crew:
        for _, _, lane in one.lanes:
            lane.close()
    at_home = {lane.site.name: 0 for lane in lanes}
    for one in home.crew:
        for _, at, lane in one.carried:
            at_home[lane.site.name] += at <= DEADLINE
    duplicates = on_the_spot = 0
    for lane in lanes:
        if lane.site.mirrors is not None:
            first = lanes[lane.site.mirrors]
            most = int(MIRRORED * min(lane.site.pages, first.site.pages))
            both = min(at_home[lane.site.name], at_home[first.site.name], most)
            duplicates += both
            on_the_spot += by_one(lane, first, both)
    crawled = sum(at_home.values())
    evenness = jain([one.busy(DEADLINE) for one in home.crew])
    for one in home.crew:
        one.advance(inf)
    ends = [lane.ended_at for lane in lanes]
    took = mean(end - lane.site.at for end, lane in zip(ends, lanes, strict=True))
    return ScheduleRun(crawled, crawled - duplicates, duplicates, on_the_spot, evenness, max(ends), took)


def _scene(ways: str, shape: str, runs: dict[str, list[tuple[ScheduleRun, int]]]) -> PlacesScene:
    rows = {
        name: {title: figure([of(one) for one, _ in some]) for title, of in FIGURES.items()}
        for name, some in runs.items()
    }
    saved = {name: [float(one.saved) for one, _ in some] for name, some in runs.items()}
    best = max(saved, key=lambda name: mean(saved[name]))
    winners = tuple(name for name in saved if not apart(saved[best], saved[name]))
    moves = {name: mean(moved for _, moved in some) for name, some in runs.items()}
    return PlacesScene(ways, shape, rows, moves, winners)
