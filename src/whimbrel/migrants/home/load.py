"""When another migrant pays and when one is too many. Pure: the load is an argument."""

from enum import Enum, auto

from msgspec import Struct

BUSY = 0.6
"""Share of a core that a migrant uses when the page, not the network, is what it waits for."""

IDLE = 0.05
SPLITTABLE = 256
"""Tasks that may be begun at once below which a second process costs more than it brings."""

PATIENCE_SECONDS = 2.0
IDLE_SECONDS = 30.0


class Move(Enum):
    KEEP = auto()
    CREATE = auto()
    DISPOSE = auto()


class CrewLimits(Struct, frozen=True):
    """The fewest and the most migrants that may run."""

    fewest: int = 1
    most: int = 1


class Worker(Struct, frozen=True):
    """What home knows of one migrant: the share of a core that it used lately, the tasks it holds, the lanes it
    holds, and since when it has had nothing to do."""

    name: str
    busy: float
    tasks: int
    lanes: int
    idle_seconds: float


class Load(Struct, frozen=True):
    """`ready` counts tasks in the queue that politeness does not hold back; `movable` the lanes and slices of lanes
    that could go to another migrant; `settled_seconds` is how long ago the crew last changed."""

    workers: tuple[Worker, ...]
    ready: int
    movable: int
    settled_seconds: float


def decide(load: Load, limits: CrewLimits) -> tuple[Move, str]:
    """What to do, and with whom: the busiest is cloned, the idlest disposed."""
    workers = load.workers
    if len(workers) < max(limits.fewest, min(1, load.ready)):
        return Move.CREATE, ""
    if load.settled_seconds < PATIENCE_SECONDS or not workers:
        return Move.KEEP, ""
    if len(workers) < limits.most and load.ready >= SPLITTABLE and load.movable > 1:
        if all(worker.busy >= BUSY for worker in workers):
            return Move.CREATE, max(workers, key=lambda worker: (worker.busy, worker.tasks, worker.name)).name
        return Move.KEEP, ""
    idle = [worker for worker in workers if worker.idle_seconds >= IDLE_SECONDS and not worker.tasks]
    if len(workers) > limits.fewest and idle:
        return Move.DISPOSE, max(idle, key=lambda worker: (worker.idle_seconds, worker.name)).name
    return Move.KEEP, ""
