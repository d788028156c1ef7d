"""Migrants that need not load Python's modules: they are forked from a process that has loaded them once.

A crawl of ten pages takes less time than its migrant takes to start. What a migrant does once it runs is the same: it
is given its file descriptors, folder, environment and arguments, and calls what `python -m whimbrel.migrants` calls.
Commands that tests start as a user would start migrants as a user's do.
"""

import atexit
import gc
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from whimbrel.migrants.wire.channel import Journey
from whimbrel.migrants.wire.local import ALLOCATOR, Local, Started, started, surroundings

Order = tuple[list[str], str, dict[str, str]]
"""Arguments, folder, environment."""
MOST_BYTES = 1 << 20
PYTHON = sys.executable


def _lasting(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name != "PYTEST_CURRENT_TEST"}


ENVIRONMENT = _lasting(os.environ)
"""As it was before any test ran."""


class Forked:
    """A process that is another's child: what it is known by is a file descriptor."""

    def __init__(self, pid: int, handle: int) -> None:
        self._pid = pid
        self._handle = handle

    @property
    def pid(self) -> int:
        return self._pid

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def wait(self, timeout: float | None = None, /) -> object:
        ended, _, _ = select.select([self._handle], [], [], timeout)
        if not ended:
            raise subprocess.TimeoutExpired("migrant", timeout or 0.0)
        return None

    def __del__(self) -> None:
        os.close(self._handle)


class Nursery:
    """The process that has loaded all modules. It ends when nobody holds the other end of its connection."""

    def __init__(self) -> None:
        self._desk, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [PYTHON, "-P", __file__, str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                env=ENVIRONMENT | ALLOCATOR | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        atexit.register(self.close)

    def start(self, journey: Journey, connection: int, mark: int) -> Started:
        passport = journey.passport
        order: Order = (
            [passport.name, passport.home.hex()],
            journey.folder or str(Path.cwd()),
            dict(os.environ) | surroundings(journey),
        )
        socket.send_fds(self._desk, [msgspec.msgpack.encode(order)], [connection, mark, 1, 2])
        said, handles, _, _ = socket.recv_fds(self._desk, 16, 1)
        if not handles:
            raise OSError("the process that migrants are forked from has ended")
        return Forked(int(said), handles[0])

    def close(self) -> None:
        self._desk.close()
        self._process.wait()


_nursery: Nursery | None = None


def forked(journey: Journey, connection: int, mark: int) -> Started:
    """Where the program or the environment is not that of the process it would be forked from, it is started as
    everywhere."""
    global _nursery
    if sys.executable != PYTHON or _lasting(os.environ) != ENVIRONMENT:
        return started(journey, connection, mark)
    if _nursery is None:
        _nursery = Nursery()
    return _nursery.start(journey, connection, mark)


def ready() -> Local:
    return Local(forked)


def _reap(*_: object) -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _serve(desk: socket.socket) -> None:
    gc.disable()
    import uvloop  # noqa: F401

    import whimbrel.migrants.away.session  # noqa: F401
    from whimbrel.migrants.__main__ import main

    gc.freeze()
    signal.signal(signal.SIGCHLD, _reap)
    while True:
        said, handles, _, _ = socket.recv_fds(desk, MOST_BYTES, 4)
        if not said:
            return
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})  # none is forgotten before it has a handle
        pid = os.fork()
        if not pid:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            desk.close()
            arguments, folder, environment = msgspec.msgpack.decode(said, type=Order)
            connection, mark, out, err = handles
            os.dup2(out, 1)
            os.dup2(err, 2)
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            sys.argv[1:] = [str(connection), str(mark), *arguments]
            main()
            os._exit(0)
        handle = os.pidfd_open(pid)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        socket.send_fds(desk, [str(pid).encode()], [handle])
        for held in (handle, *handles):
            os.close(held)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _serve(socket.socket(fileno=int(sys.argv[1])))
