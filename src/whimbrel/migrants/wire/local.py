"""The channel to a process of this machine: a socket pair whose other end a process started by exec inherits, and a
page of memory that both share, in which the migrant marks what it is reading. The mark outlives whoever set it."""

import asyncio
import mmap
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import msgspec

from whimbrel.migrants.wire.channel import NO_RULES, Journey, OtherEnd
from whimbrel.migrants.wire.stream import BUFFERED, StreamChannel

# glibc gives large blocks back to the kernel and faults them in again for every page parsed; keeping them saves
# a tenth of the parser's time.
ALLOCATOR = {
    "MALLOC_MMAP_THRESHOLD_": "1000000000",
    "MALLOC_TRIM_THRESHOLD_": "268435456",
    "MALLOC_TOP_PAD_": "16777216",
}
FAREWELL_SECONDS = 5.0


class Started(Protocol):
    """A migrant's process, as far as its channel has to know it."""

    @property
    def pid(self) -> int: ...
    def kill(self) -> None: ...
    def wait(self, timeout: float | None = None, /) -> object:
        """Raises `subprocess.TimeoutExpired` where it lasts longer."""
        ...


Start = Callable[[Journey, int, int], Started]
"""Starts a migrant that inherits two file descriptors: its connection and the page with its mark."""


class Local:
    """Starts a process for every journey: without another way, `python -m whimbrel.migrants`."""

    def __init__(self, start: Start | None = None) -> None:
        self._start = start or started

    async def open(self, journey: Journey) -> "HomeEnd":
        ours, theirs = socket.socketpair()
        mark = os.memfd_create("whimbrel-mark", os.MFD_CLOEXEC)
        os.ftruncate(mark, mmap.PAGESIZE)
        shared = mmap.mmap(mark, mmap.PAGESIZE)
        try:
            process = self._start(journey, theirs.fileno(), mark)
        finally:
            theirs.close()
            os.close(mark)
        reader, writer = await _connected(ours)
        return HomeEnd(reader, writer, process, shared)


def started(journey: Journey, connection: int, mark: int) -> subprocess.Popen[bytes]:
    passport = journey.passport
    return subprocess.Popen(
        [sys.executable, "-m", "whimbrel.migrants", str(connection), str(mark), passport.name, passport.home.hex()],
        pass_fds=(connection, mark),
        stdin=subprocess.DEVNULL,
        cwd=journey.folder or None,
        env=os.environ | surroundings(journey),
    )


def surroundings(journey: Journey) -> dict[str, str]:
    """What the environment of a migrant's process says beside that of home."""
    passport = journey.passport
    # A file named like a module in the folder where it starts must not be imported in its place.
    modules = {"PYTHONPATH": os.pathsep.join(_absolute(sys.path)), "PYTHONSAFEPATH": "1"}
    place = {
        "WHIMBREL_SHELF": passport.shelf,
        "WHIMBREL_BARE": "1" if passport.bare else "",
        "WHIMBREL_WIRE": f"{passport.wire}",
    }
    if passport.house != NO_RULES:
        place["WHIMBREL_HOUSE"] = msgspec.json.encode(passport.house).decode()
    if journey.cores:
        place["WHIMBREL_CORES"] = ",".join(map(str, journey.cores))
    return ALLOCATOR | place | modules


def _absolute(path: list[str]) -> list[str]:
    """Import paths as they hold in another working directory."""
    return [str(Path(entry).absolute()) for entry in path if entry]


async def _connected(connection: socket.socket) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    connection.setblocking(False)
    return await asyncio.open_connection(sock=connection, limit=BUFFERED)


class HomeEnd(StreamChannel):
    """Home's end: it knows the process, may kill it, and waits for its end."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        process: Started,
        mark: mmap.mmap,
    ) -> None:
        super().__init__(reader, writer)
        self._process = process
        self._mark = mark

    def cut(self) -> None:
        self._process.kill()

    async def close(self) -> None:
        """The process ends by itself when its connection does; one that does not is killed."""
        self._writer.close()
        try:
            await asyncio.to_thread(self._process.wait, FAREWELL_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)

    def peer(self) -> OtherEnd:
        return OtherEnd(self._process.pid, int.from_bytes(self._mark[:8], sys.byteorder, signed=True))


class MigrantEnd(StreamChannel):
    """The migrant's end: home finds out what it was reading should it die of it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, mark: memoryview) -> None:
        super().__init__(reader, writer)
        self._place = mark.cast("q")

    def reads(self, key: int) -> None:
        self._place[0] = key


async def inherited(connection: int, mark: int) -> MigrantEnd:
    """The end that a process was started with, by two file descriptors."""
    reader, writer = await _connected(socket.socket(fileno=connection))
    return MigrantEnd(reader, writer, memoryview(mmap.mmap(mark, 8)))
