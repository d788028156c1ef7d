"""The lanes a migrant holds: whose turn it is, and when.

A lane with tasks is in exactly one of three places: in the heap with the moment from which it may be asked, waiting
for one of its own requests to come back, or being prepared (its name looked up). No lane ever holds up another.
"""

import heapq
from collections import deque

from whimbrel.fetch.politeness import Courtesy
from whimbrel.flows.visit.permission import Permission
from whimbrel.migrants.wire.messages import SLICES
from whimbrel.records.task import Task
from whimbrel.repository.contract import RobotsCopy

MOST_IDLE = 10_000


class Lane:
    """One host, or some slices of it, while this migrant holds it. `yielding` are slices asked back."""

    __slots__ = (
        "address", "asking", "copies", "courtesy", "dropped", "granted", "host", "loopback", "number", "permissions",
        "preparing", "queue", "robots_tries", "scheduled", "slices", "yielding",
    )  # fmt: skip

    def __init__(self, number: int, host: str) -> None:
        self.number = number
        self.host = host
        self.queue: deque[Task] = deque()
        self.courtesy: Courtesy | None = None
        self.permissions: dict[str, Permission] = {}
        self.copies: dict[str, RobotsCopy] = {}
        self.address = host
        self.loopback = False
        self.preparing = False
        self.asking = False
        self.robots_tries: dict[str, int] = {}
        self.scheduled = False
        self.granted = False
        self.slices = SLICES
        self.yielding: list[int] | None = None
        self.dropped: list[Task] = []


class Turns:
    """Which lane may go next."""

    def __init__(self) -> None:
        self.lanes: dict[int, Lane] = {}
        self._by_host: dict[str, Lane] = {}
        self._heap: list[tuple[float, int]] = []

    def lane(self, number: int, host: str) -> Lane:
        lane = self.lanes.get(number)
        if lane is None:
            lane = self.lanes[number] = self._by_host[host] = Lane(number, host)
        return lane

    def of_host(self, host: str) -> Lane | None:
        return self._by_host.get(host)

    def schedule(self, lane: Lane, ready_at: float) -> None:
        if not lane.scheduled and lane.queue:
            lane.scheduled = True
            heapq.heappush(self._heap, (ready_at, lane.number))

    def next(self, now: float) -> Lane | None:
        """A lane whose time has come, taken out of the heap."""
        while self._heap and self._heap[0][0] <= now:
            lane = self.lanes.get(heapq.heappop(self._heap)[1])
            if lane is not None and lane.scheduled:
                lane.scheduled = False
                return lane
        return None

    def drop(self, lane: Lane) -> None:
        """The lane goes to another migrant."""
        del self.lanes[lane.number], self._by_host[lane.host]

    def next_at(self) -> float | None:
        return self._heap[0][0] if self._heap else None

    def forget_idle(self, now: float) -> None:
        """Lets go of hosts that have nothing to do and are owed no more waiting, where there are very many."""
        if len(self.lanes) <= MOST_IDLE:
            return
        for number, lane in list(self.lanes.items()):
            courtesy = lane.courtesy
            busy = lane.queue or lane.scheduled or courtesy is None or courtesy.in_use
            if not busy and courtesy is not None and courtesy.ready_at() <= now:
                del self.lanes[number], self._by_host[lane.host]

    def waiting(self, now: float) -> int:
        """How many hosts have work but must still be left alone."""
        return sum(1 for at, _ in self._heap if at > now)
