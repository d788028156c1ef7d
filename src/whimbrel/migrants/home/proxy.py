"""Home's stable handle on one migrant, wherever it is: sending it out, telling it, hearing of its end."""

import asyncio
import time
from collections.abc import Callable
from math import inf

from whimbrel.migrants.clock import Clock
from whimbrel.migrants.home.lifecycle import MigrantState
from whimbrel.migrants.home.places import MigrantPlace
from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.channel import UNKNOWN, Carrier, Channel, Journey, Passport
from whimbrel.migrants.wire.speech import TODAY
from whimbrel.repository.contract import Lease, Roll

BUSY_WEIGHT = 0.3


class Proxy:
    """One migrant for life. Its channel may end and another lead elsewhere; its name, its leases and this handle
    stay. `leases` is what it works on, by URL key; `lanes` are those it was told of."""

    def __init__(self, name: str, place: MigrantPlace, parent: str, now: float, clock: Clock = time) -> None:
        self._clock = clock
        self.name = name
        self.place = place
        self.birthplace = place
        self.parent = parent
        self.born_at = now
        self.errand = ""
        self.shelf = ""
        self.state = MigrantState.CREATED
        self.leases: dict[int, Lease] = {}
        self.lanes: set[int] = set()
        self.luggage: list[wire.LaneWork] = []
        self.visits = 0
        self.received = 0
        self.links = 0
        self.busy = 0.0
        self.idle_since: float | None = None
        self.slept_at = -inf
        self.cpu_seconds_before = 0.0
        self._forget_channel()

    def _forget_channel(self) -> None:
        self.acknowledged = 0
        self.speech = TODAY
        self.pulse: wire.Pulse | None = None
        self.left = False
        self.lost = False
        self.fault = ""
        self.heard_at = self._felt_at = self._clock.monotonic()
        self._channel: Channel | None = None

    @property
    def ready(self) -> bool:
        return self.state is MigrantState.ACTIVE and not self.lost and not self.left

    @property
    def reachable(self) -> bool:
        """Whether something may still come from it."""
        return self.state in (MigrantState.ACTIVE, MigrantState.MOVING) and not self.lost and not self.left

    async def start(
        self,
        carrier: Carrier,
        home_key: bytes,
        hear: "Callable[[Proxy, wire.FromMigrant], None]",
        lost: "Callable[[Proxy], None]",
    ) -> None:
        """Out to its place; what the migrant was before is gone but for its name and its queue."""
        self._forget_channel()
        self.lanes.clear()
        passport = Passport(self.name, home_key, self.shelf)
        place = self.place
        self._channel = await carrier.open(Journey(passport, place.name, place.folder, place.cores))
        self._listening = asyncio.create_task(self._listen(self._channel, hear, lost))

    async def _listen(
        self,
        channel: Channel,
        hear: "Callable[[Proxy, wire.FromMigrant], None]",
        lost: "Callable[[Proxy], None]",
    ) -> None:
        try:
            while (body := await channel.receive()) is not None:
                self.heard_at = self._clock.monotonic()
                hear(self, wire.read_from_migrant(body))
        except wire.WireError as error:
            self.fault = str(error)
            channel.cut()
        finally:
            lost(self)

    def tell(self, message: wire.FromHome) -> None:
        if self._channel is not None:
            self._channel.send(self.speech.encode(message))

    def felt(self, pulse: wire.Pulse, now: float) -> None:
        """Takes a pulse in: how busy the migrant is follows from the CPU it used since the last one."""
        before, self.pulse = self.pulse, pulse
        if before is not None:
            share = max(0.0, pulse.cpu_seconds - before.cpu_seconds) / max(1e-3, now - self._felt_at)
            self.busy += BUSY_WEIGHT * (min(1.0, share) - self.busy)
        self._felt_at = now
        self.idle_since = None if self.leases else (self.idle_since or now)

    @property
    def cpu_seconds(self) -> float:
        """Of all its processes."""
        return self.cpu_seconds_before + (self.pulse.cpu_seconds if self.pulse else 0.0)

    @property
    def pid(self) -> int:
        """Of its process, where the channel knows one."""
        return (self._channel.peer() if self._channel else UNKNOWN).pid

    @property
    def carried_bytes(self) -> int:
        """What came from it over a line, as its channel counts it."""
        return (self._channel.peer() if self._channel else UNKNOWN).carried_bytes

    def reading(self) -> int:
        """The key of the page it was reading, 0 if none, or if the channel cannot say."""
        return (self._channel.peer() if self._channel else UNKNOWN).reading

    def cut(self) -> None:
        """It is given up."""
        if self._channel is not None:
            self._channel.cut()

    async def end(self) -> None:
        """Waits until it is gone, as long as its channel does."""
        self.cpu_seconds_before = self.cpu_seconds
        if self._channel is None:
            return
        await self._channel.close()
        self._channel = None
        self.pulse = None

    def roll(self, now: float, luggage: bytes = b"") -> Roll:
        return Roll(
            self.name, self.state, self.place.name, self.birthplace.name, self.parent, self.born_at, now, self.visits,
            self.received, luggage, self.errand,
        )  # fmt: skip
