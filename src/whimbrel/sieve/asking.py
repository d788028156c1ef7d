"""Whoever has pages asks here whether they pass; the filter runs in a process of its own."""

import signal
import socket
import subprocess
import time
from importlib.util import find_spec

from whimbrel.helpers.starting import python, started, surroundings
from whimbrel.records.sifting import KEEP_RULE, Facts, PageFilter
from whimbrel.records.verdict import ACCEPTED, Verdict, refused
from whimbrel.sieve import sandbox, wire

WALL_SECONDS = 120.0
"""Beyond the limit of processor time, for a machine that is too busy to give any."""
MOST_ENDINGS = 5
"""A filter that was ended so often in a row is not asked again: each time cost a second or more. Not in all: few pages
of somebody else's would be enough to have none kept any more."""
_STARTS = 3
_OUT_OF_MEMORY = 71


class SieveError(Exception):
    """The filter cannot be run here, or cannot be used at all; the message says why."""


def missing(page_filter: PageFilter) -> str:
    """The extra that running it takes and that is not installed; "" where nothing is missing."""
    if page_filter.expression and find_spec("cel") is None:
        return "cel"
    if page_filter.program and (find_spec("wasmtime") is None or find_spec("componentize_py") is None):
        return "wasm"
    return ""


def cannot_begin(page_filter: PageFilter) -> str:
    """Why it cannot run at once, on a machine where nobody prepared it; "" where it can. A sandbox that is missing is
    made meanwhile, by a process of its own: whoever asks must not wait for minutes."""
    if extra := missing(page_filter):
        return f"the extra `{extra}` is not installed there"
    if not page_filter.program or sandbox.is_made():
        return ""
    try:
        subprocess.Popen(
            python("-c", "from whimbrel.sieve import sandbox; sandbox.make()"),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=surroundings(),
        )  # fmt: skip
    except OSError as error:
        return f"its sandbox cannot be made: {error}"
    return "its sandbox is being made, for the next time"


class Sieve:
    """One filter. The process starts with the first page and ends with whoever asked, or at `close`."""

    def __init__(self, page_filter: PageFilter, limits: wire.SieveLimits | None = None) -> None:
        self._filter = page_filter
        self._limits = limits or wire.SieveLimits()
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._endings = 0
        self._notes: list[str] = []

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def asks(self, field: str) -> bool:
        return self._filter.asks(field)

    def check(self) -> None:
        """Raises SieveError where the filter cannot be used."""
        if extra := missing(self._filter):
            raise SieveError(f"what runs it is not installed: the extra `{extra}`")
        self._start()

    def judge(self, facts: Facts) -> Verdict:
        """A page on which the filter fails is refused: what is due again once the filter is another is not lost."""
        if self._endings >= MOST_ENDINGS:
            return refused(KEEP_RULE, f"the filter was ended {MOST_ENDINGS} times in a row and is not asked any more")
        for _ in range(_STARTS):
            try:
                if self._connection is None:
                    self._start()
                said = self._asked(facts)
            except SieveError as error:
                return refused(KEEP_RULE, str(error))
            except (EOFError, ConnectionError, TimeoutError) as error:
                reason = self._ended(error)
                if reason:
                    return refused(KEEP_RULE, reason)
                continue  # somebody else ended it
            self._endings = 0
            return ACCEPTED if said.kept else refused(KEEP_RULE, said.reason)
        return refused(KEEP_RULE, "the filter's process was ended again and again")

    def notes(self) -> list[str]:
        """What a person should know, once."""
        notes, self._notes = self._notes, []
        return notes

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _asked(self, facts: Facts) -> wire.Sifted:
        assert self._connection is not None, "started before it is asked"
        return _answered(self._connection, facts)

    def _start(self) -> None:
        self.close()
        try:
            place = str(sandbox.make()) if self._filter.program else ""
            self._process, self._connection = started("whimbrel.sieve")
        except (OSError, sandbox.NoSandbox) as error:
            raise SieveError(f"no process for the filter can be started: {error}") from error
        try:
            said = _answered(self._connection, wire.SieveBrief(self._filter, place, self._limits))
        except (EOFError, ConnectionError, TimeoutError) as error:
            reason = self._ended(error)
            raise SieveError(reason or "the filter's process was ended before it had begun") from error
        if not said.kept:
            self.close()
            raise SieveError(said.reason)

    def _ended(self, error: Exception) -> str:
        """Why, where it is the filter's doing; it counts as an ending then."""
        process = self._process
        late = isinstance(error, TimeoutError)
        if late and process is not None:
            process.kill()
        code = process.wait() if process is not None else 0
        self.close()
        why = _OBITUARIES.get(code, "")
        if late:
            why = f"it took longer than {WALL_SECONDS:g} s"
        elif code == -signal.SIGPROF:
            why = f"it took more than {self._limits.cpu_seconds:g} s of processor time"
        if not why:
            return ""
        self._endings += 1
        if self._endings == MOST_ENDINGS:
            often = f"{MOST_ENDINGS} times in a row ({why})"
            self._notes.append(f"[crawl] keep was ended {often}; no further page passes it")
        return f"the filter was ended: {why}"


_OBITUARIES = {
    _OUT_OF_MEMORY: "it took too much memory",
    -signal.SIGABRT: "it took too much memory, or broke",
    -signal.SIGSEGV: "it broke",
    -signal.SIGBUS: "it broke",
    -signal.SIGILL: "it broke",
    1: "it broke",
}


def _answered(connection: socket.socket, message: wire.SieveBrief | Facts) -> wire.Sifted:
    until = time.monotonic() + WALL_SECONDS
    wire.send(connection, message, until)
    return wire.receive(connection, wire.sifted_decoder, until)
