"""A world to choose migrants in: unequal machines, sites that arrive, and what a migrant does with its lanes.

Nothing is fetched. A migrant has a processor, a line, memory for so many pages at a time and a disk that holds what is
not home yet; other work slows it down for minutes at a time, and one of the crew fails and comes back. Sites arrive
with a few known links and show their size only while they are crawled; some mirror an earlier one. A lane is asked at
most once a second, and stays where it is until its migrant fails.
"""

from collections import deque
from collections.abc import Callable, Iterator
from heapq import heappop, heappush, heapreplace
from math import inf
from random import Random
from statistics import mean

from msgspec import Struct, structs

from whimbrel.migrants.home.choice import Measured

DEADLINE = 600.0
"""Seconds; what is crawled, saved and recognised is counted then, and work goes on until all is done."""

DELAY = 1.0
ARRIVALS_END = 400.0
PRESSURE = 0.85
"""What arrives, as a share of what all processors could do until the deadline: some is left over."""

KNOWN_AT_FIRST, LINKS_A_PAGE = 10, 4
WINDOW = 64
MEGABYTES_A_PAGE = 16
PACKED, UPWARDS = 1 / 4, 1 / 8
"""What is left of a page when packed, and how much slower the line is upwards: when it is full, the disk fills."""

MIRRORS = 0.15
MIRRORED = 0.8
MINUTES = 60

SHAPES: dict[str, Callable[[Random], int]] = {
    "few big sites": lambda chance: int(chance.uniform(200, 800)),
    "many small sites": lambda chance: 1 + int(chance.expovariate(1 / 15)),
    "mixed": lambda chance: min(1_500, int(5 * chance.paretovariate(0.9))),
}


class SimulatedMachine(Struct, frozen=True):
    """`slowdown` is by the minute; `down` is from when until when it is gone."""

    name: str
    pages_per_second: float
    latency_seconds: float
    bytes_per_second: float
    memory_megabytes: int
    disk_bytes: float
    slowdown: tuple[float, ...]
    down: tuple[float, float] = (inf, inf)


class SimulatedSite(Struct, frozen=True):
    name: str
    at: float
    pages: int
    page_bytes: float
    rank: float
    mirrors: int | None = None


class ScheduleWorld(Struct, frozen=True):
    machines: tuple[SimulatedMachine, ...]
    sites: tuple[SimulatedSite, ...]


def world(shape: str, crew: int, seed: int) -> ScheduleWorld:
    chance = Random(f"{shape} {crew} {seed}")
    machines = [_machine(chance, f"m{i + 1}") for i in range(crew)]
    failing = chance.randrange(crew)
    down = chance.uniform(120, 300)
    machines[failing] = structs.replace(machines[failing], down=(down, down + chance.uniform(90, 180)))
    capacity = sum(one.pages_per_second / mean(one.slowdown) for one in machines)
    return ScheduleWorld(tuple(machines), tuple(_sites(chance, SHAPES[shape], PRESSURE * capacity * DEADLINE)))


def _machine(chance: Random, name: str) -> SimulatedMachine:
    slowdown, slow = [], chance.uniform(1.0, 2.0)
    for _ in range(MINUTES):
        slow = min(3.0, max(1.0, slow + chance.uniform(-0.4, 0.4)))
        slowdown.append(slow)
    return SimulatedMachine(
        name=name,
        pages_per_second=6 ** chance.random(),
        latency_seconds=0.02 * 25 ** chance.random(),
        bytes_per_second=60_000 * 20 ** chance.random(),
        memory_megabytes=chance.choice((128, 256, 512, 1024)),
        disk_bytes=2e6 * 10 ** chance.random(),
        slowdown=tuple(slowdown),
    )


def _sites(chance: Random, size: Callable[[Random], int], pages: float) -> Iterator[SimulatedSite]:
    sizes: list[int] = []
    while sum(sizes) < pages:
        sizes.append(size(chance))
    moments = sorted(chance.uniform(0, ARRIVALS_END) for _ in sizes)
    for i, (at, number) in enumerate(zip(moments, sizes, strict=True)):
        mirrors = chance.randrange(i) if i and chance.random() < MIRRORS else None
        page_bytes = 30_000 * chance.lognormvariate(-0.125, 0.5)
        yield SimulatedSite(f"site{i}.example", at, number, page_bytes, chance.lognormvariate(-0.5, 1.0), mirrors)


class SimulatedLane:
    """`parts` are the pages begun, in order, by who began them: migrant, first, end."""

    __slots__ = ("begun", "ended_at", "parts", "site")

    def __init__(self, site: SimulatedSite) -> None:
        self.site = site
        self.begun = 0
        self.ended_at = inf
        self.parts: list[tuple[int, int, int]] = []

    @property
    def queued(self) -> int:
        return min(self.site.pages, KNOWN_AT_FIRST + LINKS_A_PAGE * self.begun) - self.begun

    def close(self) -> None:
        who, first, _ = self.parts[-1]
        self.parts[-1] = (who, first, self.begun)


class SimulatedMigrant:
    """One migrant at work, page by page, between the moments when something is given or taken."""

    def __init__(self, machine: SimulatedMachine, number: int, chance: Random) -> None:
        self.machine = machine
        self.number = number
        self.lanes: list[tuple[float, int, SimulatedLane]] = []
        self.under_way: deque[tuple[float, SimulatedLane]] = deque()
        self.processor_free = self.line_free = self.disk_level = self.disk_at = 0.0
        self.processing = self.receiving = self.taken_seconds = 0.0
        self.begun = self.given = 0
        self.off = chance.uniform(0.9, 1.1)

    def live(self, now: float) -> bool:
        return not self.machine.down[0] <= now < self.machine.down[1]

    def give(self, lane: SimulatedLane, ready: float) -> None:
        self.given += 1
        lane.parts.append((self.number, lane.begun, lane.begun))
        heappush(self.lanes, (ready, self.given, lane))

    def advance(self, until: float) -> None:
        machine = self.machine
        room = machine.memory_megabytes // MEGABYTES_A_PAGE
        lanes, under_way = self.lanes, self.under_way
        while lanes:
            start = lanes[0][0]
            if len(under_way) >= room:
                start = max(start, under_way[-room][0])
            start = max(start, self._disk_has_room(start))
            if start >= until:
                break
            while under_way and under_way[0][0] <= start:
                under_way.popleft()
            lane = lanes[0][2]
            done, received = self._fetch(lane, start)
            lane.begun += 1
            if lane.begun < lane.site.pages:
                heapreplace(lanes, (max(start + DELAY, received), lanes[0][1], lane))
            else:
                heappop(lanes)
                lane.ended_at = done
                lane.close()

    def _disk_has_room(self, start: float) -> float:
        drain = self.machine.bytes_per_second * UPWARDS
        if start > self.disk_at:
            self.disk_level = max(0.0, self.disk_level - drain * (start - self.disk_at))
            self.disk_at = start
        return self.disk_at + max(0.0, self.disk_level - self.machine.disk_bytes) / drain

    def _fetch(self, lane: SimulatedLane, start: float) -> tuple[float, float]:
        machine, size = self.machine, lane.site.page_bytes
        receiving = size / machine.bytes_per_second
        self.line_free = max(self.line_free, start) + receiving
        received = self.line_free + machine.latency_seconds
        processing = machine.slowdown[int(received / 60) % MINUTES] / machine.pages_per_second
        self.processor_free = done = max(self.processor_free, received) + processing
        self.disk_level += size * PACKED
        self.receiving += receiving
        self.processing += processing
        self.taken_seconds += done - start
        self.begun += 1
        self.under_way.append((done, lane))
        return done, received

    def fail(self, now: float) -> list[SimulatedLane]:
        """What was under way is lost and begun again by whoever gets the lane."""
        lanes = {id(lane): lane for _, _, lane in self.lanes}
        for done, lane in self.under_way:
            if done > now:
                lane.begun -= 1
                lane.ended_at = inf
                lanes[id(lane)] = lane
        for lane in lanes.values():
            lane.close()
        self.lanes, self.under_way = [], deque()
        self.processor_free = self.line_free = self.disk_at = self.machine.down[1]
        self.disk_level = 0.0
        return list(lanes.values())

    def busy(self, until: float) -> float:
        """The share of its time that its processor or its line, whichever is busier, had to do."""
        away = max(0.0, min(until, self.machine.down[1]) - self.machine.down[0])
        return max(self.processing, self.receiving) / (until - away)

    def measured(self, now: float) -> Measured:
        machine = self.machine
        queued = [(lane.queued, lane.site.rank) for _, _, lane in self.lanes]
        under_way = sum(done > now for done, _ in self.under_way)
        return Measured(
            name=machine.name,
            load=sum(min(WINDOW, number) for number, _ in queued) + under_way,
            free_disk_bytes=max(0.0, machine.disk_bytes - self.disk_level),
            latency_seconds=machine.latency_seconds * self.off,
            bandwidth_bytes_per_second=machine.bytes_per_second / self.off,
            memory_megabytes=machine.memory_megabytes,
            url_capacity=sum(number for number, _ in queued),
            parent_rank=sum(number * rank for number, rank in queued),
            cpu_speed=machine.pages_per_second / machine.slowdown[max(0, int(now / 60) - 1) % MINUTES],
            finished=max(0, self.begun - under_way),
            finished_seconds=self.taken_seconds,
        )
