"""Home's stable handle on one migrant, wherever it is: starting it, telling it, hearing of its end."""

import asyncio
import mmap
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from math import inf
from pathlib import Path

from whimbrel.migrants import wire
from whimbrel.migrants.lifecycle import State
from whimbrel.migrants.places import Place
from whimbrel.repository.contract import Lease, Roll

# glibc gives large blocks back to the kernel and faults them in again for every page parsed; keeping them saves
# a tenth of the parser's time.
ALLOCATOR = {
    "MALLOC_MMAP_THRESHOLD_": "1000000000",
    "MALLOC_TRIM_THRESHOLD_": "268435456",
    "MALLOC_TOP_PAD_": "16777216",
}

BUSY_WEIGHT = 0.3


class Proxy:
    """One migrant for life. Its process may end and another begin elsewhere; its name, its leases and this handle
    stay. `leases` is what it works on, by URL key; `lanes` are those it was told of."""

    def __init__(self, name: str, place: Place, parent: str, now: float) -> None:
        self.name = name
        self.place = place
        self.birthplace = place
        self.parent = parent
        self.born_at = now
        self.errand = ""
        self.shelf = ""
        self.state = State.CREATED
        self.leases: dict[int, Lease] = {}
        self.lanes: set[int] = set()
        self.luggage: list[wire.Lane] = []
        self.visits = 0
        self.received = 0
        self.links = 0
        self.busy = 0.0
        self.idle_since: float | None = None
        self.slept_at = -inf
        self.cpu_seconds_before = 0.0
        self._forget_process()

    def _forget_process(self) -> None:
        self.acknowledged = 0
        self.pulse: wire.Pulse | None = None
        self.left = False
        self.lost = False
        self.fault = ""
        self.heard_at = self._felt_at = time.monotonic()
        self._process: subprocess.Popen[bytes] | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._mark: mmap.mmap | None = None

    @property
    def ready(self) -> bool:
        return self.state is State.ACTIVE and not self.lost and not self.left

    @property
    def reachable(self) -> bool:
        """Whether something may still come from it."""
        return self.state in (State.ACTIVE, State.MOVING) and not self.lost and not self.left

    async def start(
        self,
        home_key: bytes,
        hear: "Callable[[Proxy, wire.FromMigrant], None]",
        lost: "Callable[[Proxy], None]",
    ) -> None:
        """A process of its own at its place; what the migrant was before is gone but for its name and its queue."""
        self._forget_process()
        self.lanes.clear()
        ours, theirs = socket.socketpair()
        mark = os.memfd_create("whimbrel-mark", os.MFD_CLOEXEC)
        os.ftruncate(mark, mmap.PAGESIZE)
        self._mark = mmap.mmap(mark, mmap.PAGESIZE)
        identity = (str(theirs.fileno()), str(mark), self.name, home_key.hex())
        # A file named like a module in the folder where it starts must not be imported in its place.
        modules = {"PYTHONPATH": os.pathsep.join(_absolute(sys.path)), "PYTHONSAFEPATH": "1"}
        place = {"WHIMBREL_SHELF": self.shelf}
        if self.place.cores:
            place["WHIMBREL_CORES"] = ",".join(map(str, self.place.cores))
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "whimbrel.migrants", *identity],
                pass_fds=(theirs.fileno(), mark),
                stdin=subprocess.DEVNULL,
                cwd=self.place.folder or None,
                env=os.environ | ALLOCATOR | place | modules,
            )
        finally:
            theirs.close()
            os.close(mark)
        ours.setblocking(False)
        reader, self._writer = await asyncio.open_connection(sock=ours, limit=1 << 24)
        self._listening = asyncio.create_task(self._listen(reader, hear, lost))

    async def _listen(
        self,
        reader: asyncio.StreamReader,
        hear: "Callable[[Proxy, wire.FromMigrant], None]",
        lost: "Callable[[Proxy], None]",
    ) -> None:
        try:
            while (body := await wire.receive(reader)) is not None:
                self.heard_at = time.monotonic()
                hear(self, wire.read_from_migrant(body))
        except wire.WireError as error:
            self.fault = str(error)
            self.kill()
        finally:
            lost(self)

    def tell(self, message: wire.FromHome) -> None:
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(wire.frame(message))

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
        return self._process.pid if self._process else 0

    def reading(self) -> int:
        """The key of the page it was reading, 0 if none."""
        return int.from_bytes(self._mark[:8], sys.byteorder, signed=True) if self._mark else 0

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    async def end(self) -> None:
        """Waits for the process; one that does not end by itself is killed."""
        self.cpu_seconds_before = self.cpu_seconds
        if self._writer is not None:
            self._writer.close()
        if self._process is None:
            return
        try:
            await asyncio.to_thread(self._process.wait, 5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
        self._process = None
        self.pulse = None

    def roll(self, now: float, luggage: bytes = b"") -> Roll:
        return Roll(
            self.name, self.state, self.place.name, self.birthplace.name, self.parent, self.born_at, now, self.visits,
            self.received, luggage, self.errand,
        )  # fmt: skip


def _absolute(path: list[str]) -> list[str]:
    """Import paths as they hold in another working directory."""
    return [str(Path(entry).absolute()) for entry in path if entry]
