"""The NATS server of a folder: started by whoever is home first, used by whoever comes later, gone with who started
it."""

import asyncio
import contextlib
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

from whimbrel.places.home.book import PlaceBook
from whimbrel.places.home.identity import Identity

CONFIGURATION = "server.conf"
PID = "server.pid"
LOCK = "server.lock"
LOOK_SECONDS = 1.0


class ServerMissing(Exception):
    """There is no server program, or it does not start; the message says what to do."""


def program() -> str:
    """The server's executable, which the extra brings into the environment that runs."""
    beside = Path(sys.executable).parent / "nats-server"
    found = str(beside) if beside.is_file() else shutil.which("nats-server")
    if not found:
        raise ServerMissing("there is no nats-server; the extra `places` brings one")
    return found


class Server:
    """Ours only where the lock was to be had: otherwise another process of this folder runs it, and we are its
    guests."""

    def __init__(self, book: PlaceBook, identity: Identity) -> None:
        self._book = book
        self._identity = identity
        self._folder = book.folder
        self._lock: int | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._watch: asyncio.Task[None] | None = None

    async def open(self) -> None:
        self._take_over()
        self._watch = asyncio.create_task(self._keep_up())

    def _take_over(self) -> bool:
        """Whether the server is ours from now on."""
        if self._lock is None:
            self._lock = _locked(self._folder / LOCK)
            if self._lock is None:
                return False
            choose_port(self._book)
            configure(self._book, self._identity)
            self._start()
        return True

    def _start(self) -> None:
        """A small process sets that it dies with us, and becomes the server: nothing is left behind by a kill."""
        command = [program(), "-c", str(self._folder / CONFIGURATION)]
        with (self._folder / "server.log").open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-S", "-c", _BECOME, str(os.getpid()), *command],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        (self._folder / PID).write_text(f"{self._process.pid}\n")

    async def _keep_up(self) -> None:
        """A server that died is started again; one whose owner went is ours to start."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if self._take_over() and self._process is not None and self._process.poll() is not None:
                self._start()

    async def close(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watch
        if self._process is not None:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
            (self._folder / PID).unlink(missing_ok=True)
        if self._lock is not None:
            os.close(self._lock)


_BECOME = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""


def _locked(path: Path) -> int | None:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def choose_port(book: PlaceBook) -> None:
    """Once for all: places remember where to dial."""
    with book.change() as booked:
        if not booked.port:
            with socket.socket(socket.AF_INET6 if ":" in booked.listen else socket.AF_INET) as probe:
                probe.bind((booked.listen, 0))
                booked.port = probe.getsockname()[1]


def configure(book: PlaceBook, identity: Identity) -> None:
    booked = book.read()
    part = book.folder / f"{CONFIGURATION}.part"
    part.write_text(identity.configuration(booked.listen, booked.port, booked.withdrawn))
    part.replace(book.folder / CONFIGURATION)


def reload(book: PlaceBook, identity: Identity) -> bool:
    """Makes a running server turn withdrawn keys away at once; whether one runs that is ours."""
    if book.read().own is not None:
        return False
    configure(book, identity)
    try:
        pid = int((book.folder / PID).read_text())
        if b"nats-server" not in Path(f"/proc/{pid}/cmdline").read_bytes():
            return False
        os.kill(pid, signal.SIGHUP)
    except (OSError, ValueError):
        return False
    return True
