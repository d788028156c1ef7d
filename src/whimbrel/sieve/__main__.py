"""The process in which a page filter runs: `python -m whimbrel.sieve CONNECTION PARENT`, an inherited file descriptor
and a process id. It ends when its connection does, when its parent does, or when a page costs too much.

The kernel counts the processor time (setitimer(2), ITIMER_PROF), so a busy machine makes nobody's filter too slow.
"""

import os
import signal
import socket
import sys
from pathlib import Path
from typing import Protocol

from whimbrel.helpers import confine
from whimbrel.records.sifting import Facts
from whimbrel.sieve import wire
from whimbrel.sieve.expression import Expression, UnusableExpression, load_cel

WITHOUT_BOUND = 1 << 46
"""WebAssembly reserves far more addresses than it may use; its memory is bounded by the sandbox itself."""
OUT_OF_MEMORY = 71  # EX_OSERR of sysexits.h


class _Judge(Protocol):
    def judge(self, facts: Facts) -> wire.Sifted: ...


def serve(connection: socket.socket) -> None:
    brief = wire.receive(connection, wire.brief_decoder)
    confine.bound(WITHOUT_BOUND if brief.filter.program else brief.limits.address_space_bytes)
    judges = _judges(brief)
    wire.send(connection, wire.Sifted(True) if isinstance(judges, list) else judges)
    while isinstance(judges, list):
        facts = wire.receive(connection, wire.facts_decoder)
        signal.setitimer(signal.ITIMER_PROF, brief.limits.cpu_seconds)
        said = next((one for one in (judge.judge(facts) for judge in judges) if not one.kept), wire.Sifted(True))
        signal.setitimer(signal.ITIMER_PROF, 0)
        wire.send(connection, said)


def _judges(brief: wire.SieveBrief) -> list[_Judge] | wire.Sifted:
    judges: list[_Judge] = []
    try:
        if brief.filter.expression:
            judges.append(_expression(brief))
        if brief.filter.program:
            from whimbrel.sieve.program import SandboxedProgram, UnusableProgram

            try:
                judges.append(SandboxedProgram(brief.filter.program, Path(brief.sandbox), brief.limits))
            except UnusableProgram as error:
                return wire.Sifted(False, str(error), True)
    except UnusableExpression as error:
        return wire.Sifted(False, str(error), True)
    return judges


def _expression(brief: wire.SieveBrief) -> Expression:
    cel = load_cel()  # what that takes is not the expression's doing
    signal.setitimer(signal.ITIMER_PROF, brief.limits.cpu_seconds)
    expression = Expression(brief.filter.expression, cel)
    signal.setitimer(signal.ITIMER_PROF, 0)
    return expression


if __name__ == "__main__":
    confine.die_with(int(sys.argv[2]))
    try:
        serve(socket.socket(fileno=int(sys.argv[1])))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except (EOFError, ConnectionError):
        pass
