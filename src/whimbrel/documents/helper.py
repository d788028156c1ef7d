"""The extractor's handle on one helper process: starting it, asking it, hearing how it ended."""

import os
import select
import signal
import time

from msgspec import Struct

from whimbrel.documents import wire
from whimbrel.documents.contract import DocumentLimits, Outcome, Unreadable
from whimbrel.documents.memory import NOTHING, memory_of
from whimbrel.helpers.starting import started

START_SECONDS = 60.0
WATCH_SECONDS = 0.05
CLOSE_WATCH_SECONDS = 0.001
"""Where a document ended a helper before: the kernel tells nobody how large a process was that has died."""


class HelperError(Exception):
    """No helper could be started; the message says why."""


class HelperEnd(Struct, frozen=True):
    """How a helper ended and what it cost. `code` is its exit code, or the negative number of a signal."""

    code: int
    cpu_seconds: float
    peak_bytes: int


class Helper:
    """One process. The kernel kills it when the thread that started it ends (prctl(2), PR_SET_PDEATHSIG)."""

    def __init__(self, limits: DocumentLimits) -> None:
        self._limits = limits
        self.documents = 0
        self.memory = NOTHING
        self.ended: HelperEnd | None = None
        try:
            self._process, self._connection = started("whimbrel.documents")
        except OSError as error:
            raise HelperError(f"no helper process can be started: {error}") from error
        self._greet()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        if self.ended is not None:
            return False
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
        except ChildProcessError:
            return False

    def read(self, job: wire.Job, watch_seconds: float = WATCH_SECONDS) -> Outcome:
        """The helper is ended, see `ended`, unless it answered in time."""
        self.documents += 1
        try:
            until = time.monotonic() + self._limits.wall_seconds
            wire.send(self._connection, job, until)
            self._watch(until, watch_seconds)
            message = wire.receive_from_helper(self._connection, self._limits.characters, until)
        except TimeoutError:
            self.end()
            return Unreadable("too_slow", f"not read within {self._limits.wall_seconds:g} s")
        except (ConnectionError, wire.HelperWireError):
            message = None
        except BaseException:
            self.end()  # else its answer would pass for that to the next document
            raise
        if isinstance(message, wire.HelperReply):
            self.memory = message.memory
            return message.outcome
        return self._obituary(self.end())

    def end(self) -> HelperEnd:
        """Kills and reaps it. It has nothing to lose: every answer was sent before the next document came."""
        if self.ended is not None:
            return self.ended
        self._connection.close()
        code, cpu_seconds = self._reaped()
        self._process.returncode = code
        self.ended = HelperEnd(code, cpu_seconds, self.memory.peak_bytes)
        return self.ended

    def _reaped(self) -> tuple[int, float]:
        """Not by Popen, which would not say what the process cost. A program that ignores SIGCHLD never hears of it."""
        try:
            os.kill(self.pid, signal.SIGKILL)
            _, status, usage = os.wait4(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            return 0, 0.0
        return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime

    def _greet(self) -> None:
        try:
            until = time.monotonic() + START_SECONDS
            wire.send(self._connection, wire.HelperBrief(wire.VERSION, self._limits), until)
            message = wire.receive_from_helper(self._connection, self._limits.characters, until)
        except (TimeoutError, ConnectionError, wire.HelperWireError):
            message = None
        if not isinstance(message, wire.Ready) or message.version != wire.VERSION:
            ended = self.end()
            raise HelperError(f"the helper process gave no sign of life ({_how(ended.code)})")

    def _watch(self, until: float, watch_seconds: float) -> None:
        """Waits for the answer or the end, with an eye on the memory: a process that has died does not tell."""
        answer = select.poll()
        answer.register(self._connection, select.POLLIN)
        while time.monotonic() < until and not answer.poll(1000 * watch_seconds):
            now = memory_of(self.pid)
            self.memory = now if now.peak_bytes else self.memory

    def _obituary(self, ended: HelperEnd) -> Unreadable:
        limits = self._limits
        if ended.code == -signal.SIGXCPU:
            return Unreadable("too_slow", f"not read within {limits.cpu_seconds} s of processor time")
        # An allocation that fails inside a C library ends the process in as many ways as there are libraries.
        if self.memory.peak_address_space_bytes > limits.address_space_bytes // 2:
            return Unreadable("out_of_memory", f"not read within {limits.address_space_bytes >> 20} MiB of memory")
        return Unreadable("crashed", f"reading it ended the helper process ({_how(ended.code)})")


def _how(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
