"""A helper process: `python -m whimbrel.documents CONNECTION PARENT`, an inherited file descriptor and a process id.

It ends when its connection does, or when its parent does.
"""

import socket
import sys

from whimbrel.documents import wire
from whimbrel.documents.contract import DocumentLimits, Outcome, Unreadable
from whimbrel.documents.memory import memory_of
from whimbrel.documents.reading import read
from whimbrel.helpers import confine


def serve(connection: socket.socket) -> None:
    brief = wire.receive_as_helper(connection)
    if not isinstance(brief, wire.HelperBrief) or brief.version != wire.VERSION:
        return
    confine.confine(brief.limits.address_space_bytes)
    wire.send(connection, wire.Ready(wire.VERSION))
    while isinstance(job := wire.receive_as_helper(connection), wire.Job):
        confine.allow_cpu(brief.limits.cpu_seconds)
        outcome = _outcome(job, brief.limits)
        del job
        wire.send(connection, wire.HelperReply(outcome, memory_of("self")))


def _outcome(job: wire.Job, limits: DocumentLimits) -> Outcome:
    try:
        return read(job.kind, job.mime, job.body, limits)
    except MemoryError:
        return Unreadable("out_of_memory", f"not read within {limits.address_space_bytes >> 20} MiB of memory")


if __name__ == "__main__":
    confine.die_with(int(sys.argv[2]))
    serve(socket.socket(fileno=int(sys.argv[1])))
