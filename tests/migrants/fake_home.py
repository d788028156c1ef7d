"""Home's end of the wire, played by a test: a real migrant process, spawned as home does, and raw frames."""

import contextlib
import mmap
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from msgspec.structs import replace

from whimbrel import api
from whimbrel.config import load
from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.itinerary import Seal, digest
from whimbrel.migrants.wire.stream import frame
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.visit import Visit
from whimbrel.urls.normal import host
from whimbrel.urls.normal import key as key_of

PATIENCE_SECONDS = 20.0
NAME = "m7"
Message = TypeVar("Message", bound=wire.FromMigrant)


class Home:
    """Pulses are heard in passing; `heard` holds everything else in the order of arrival."""

    def __init__(self) -> None:
        self.socket, theirs = socket.socketpair()
        self.socket.settimeout(PATIENCE_SECONDS)
        mark = os.memfd_create("mark")
        os.ftruncate(mark, mmap.PAGESIZE)
        self.seal = Seal(bytes(32))
        self.digest = b""
        identity = (NAME, self.seal.public.hex())
        self.process = subprocess.Popen(
            [sys.executable, "-m", "whimbrel.migrants", str(theirs.fileno()), str(mark), *identity],
            pass_fds=(theirs.fileno(), mark),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        theirs.close()
        os.close(mark)
        self._bytes = b""
        self.grants = True
        self.pulses = 0
        self.heard: list[wire.FromMigrant] = []

    def __enter__(self) -> "Home":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.socket.close()
        self.process.kill()
        self.process.communicate()

    def say(self, *messages: wire.FromHome) -> None:
        for message in messages:
            self.socket.sendall(framed(message))

    def brief(self, *seeds: str, version: int = wire.VERSION, **options: object) -> wire.Brief:
        settings = load(Path("/dev/null"), {}, api.flags_of(options))
        return replace(api.brief_for(settings, api.read_seeds(seeds), []), version=version)

    def begin(self, *seeds: str, **options: object) -> None:
        self.hear(wire.Hello)
        brief = self.brief(*seeds, **options)
        self.digest = digest(wire.encode(brief))
        self.say(brief)

    def work(self, lanes: list[wire.LaneWork], acknowledged: int = 0, room: int = -1, priority: int = 0) -> None:
        """Gives work as home does: in a sealed itinerary."""
        self.say(wire.Work([self.sealed(lanes, priority)] if lanes else [], acknowledged, room))

    def sealed(self, lanes: list[wire.LaneWork], priority: int = 0) -> wire.Sealed:
        return self.seal.itinerary(NAME, self.digest, priority, time.time(), lanes)

    def next(self) -> wire.FromMigrant | None:
        """The next message, whatever it is; None when the migrant has closed."""
        while len(self._bytes) < 4 or len(self._bytes) - 4 < int.from_bytes(self._bytes[:4], "big"):
            with contextlib.suppress(ConnectionResetError):
                more = self.socket.recv(1 << 20)
                if more:
                    self._bytes += more
                    continue
            assert not self._bytes, "the migrant closed in the middle of a message"
            return None
        length = int.from_bytes(self._bytes[:4], "big")
        body, self._bytes = self._bytes[4 : 4 + length], self._bytes[4 + length :]
        message = wire.read_from_migrant(body)
        if isinstance(message, wire.Pulse):
            self.pulses += 1
        else:
            self.heard.append(message)
        if isinstance(message, wire.LaneNews) and not message.loopback and self.grants:
            self.say(wire.Grant(message.lane))
        return message

    def hear(self, kind: type[Message]) -> Message:
        """The next message of this kind."""
        while (message := self.next()) is not None:
            if isinstance(message, kind):
                return message
        raise AssertionError(f"the migrant closed before it said {kind.__name__}")

    def hear_until(self, done: Callable[[], bool]) -> None:
        while not done():
            assert self.next() is not None, "the migrant closed"

    def hear_out(self) -> list[wire.FromMigrant]:
        """Everything up to the end of the connection."""
        while self.next() is not None:
            pass
        return self.heard

    @property
    def parcels(self) -> list[wire.Parcel]:
        return [message for message in self.heard if isinstance(message, wire.Parcel)]

    @property
    def visits(self) -> list[Visit]:
        return [visit for parcel in self.parcels for visit in parcel.visits]

    def ended(self, seconds: float = PATIENCE_SECONDS) -> tuple[int, str]:
        """The exit code and what the migrant complained of."""
        _, complaint = self.process.communicate(timeout=seconds)
        return self.process.returncode, complaint.decode()


def framed(message: wire.FromHome | wire.FromMigrant) -> bytes:
    return frame(wire.encode(message))


def lane(urls: Iterable[str], number: int = 1) -> wire.LaneWork:
    tasks = [Task(key_of(Url(url)), Url(url), 0, 0, 0, False) for url in urls]
    return wire.LaneWork(number, host(tasks[0].url), 0.0, [], tasks)
