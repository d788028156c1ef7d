"""Home's stable handle on one migrant: starting it, telling it, hearing of its end."""

import asyncio
import mmap
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable

from whimbrel.migrants import wire
from whimbrel.repository.contract import Lease

# glibc gives large blocks back to the kernel and faults them in again for every page parsed; keeping them saves
# a tenth of the parser's time.
ALLOCATOR = {
    "MALLOC_MMAP_THRESHOLD_": "1000000000",
    "MALLOC_TRIM_THRESHOLD_": "268435456",
    "MALLOC_TOP_PAD_": "16777216",
}


class Proxy:
    """One migrant process, alive or not. `leases` is what it works on, by URL key."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.leases: dict[int, Lease] = {}
        self.acknowledged = 0
        self.pulse: wire.Pulse | None = None
        self.ready = False
        self.left = False
        self.lost = False
        self.fault = ""
        self.heard_at = 0.0
        self._process: subprocess.Popen[bytes] | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._mark: mmap.mmap | None = None

    async def start(self, hear: "Callable[[Proxy, wire.FromMigrant], None]", lost: "Callable[[Proxy], None]") -> None:
        ours, theirs = socket.socketpair()
        mark = os.memfd_create("whimbrel-mark", os.MFD_CLOEXEC)
        os.ftruncate(mark, mmap.PAGESIZE)
        self._mark = mmap.mmap(mark, mmap.PAGESIZE)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "whimbrel.migrants", str(theirs.fileno()), str(mark)],
                pass_fds=(theirs.fileno(), mark),
                stdin=subprocess.DEVNULL,
                env=os.environ | ALLOCATOR | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
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
        if self._writer is not None:
            self._writer.close()
        if self._process is None:
            return
        try:
            await asyncio.to_thread(self._process.wait, 5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
