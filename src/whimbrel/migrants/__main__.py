"""A migrant's process: `python -m whimbrel.migrants CONNECTION MARK`, both inherited file descriptors."""

import asyncio
import gc
import mmap
import os
import signal
import socket
import sys

import uvloop

from whimbrel.migrants import wire
from whimbrel.migrants.host import Host


async def serve(connection: socket.socket, mark: memoryview) -> None:
    reader, writer = await asyncio.open_connection(sock=connection, limit=1 << 24)
    writer.write(wire.frame(wire.Hello(wire.VERSION, os.getpid())))
    host: Host | None = None
    pulse: asyncio.Task[None] | None = None
    while (body := await wire.receive(reader)) is not None:
        match wire.read_from_home(body):
            case wire.Brief() as brief:
                host = Host(brief, writer, mark)
                pulse = asyncio.create_task(host.pulse())
            case wire.Work() as work if host is not None:
                host.on_work(work)
            case wire.Scope() as scope if host is not None:
                host.on_scope(scope)
            case wire.Halt():
                if host is not None:
                    host.on_halt()
                    await host.wait_until_ended()
                await writer.drain()
                break
    if pulse is not None:
        pulse.cancel()
    writer.close()


def main() -> None:
    # Ctrl-C reaches the whole process group; when to stop is home's to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Parsing makes no cycles but a great many objects, among which the collector would look for some all the time;
    # `Host.pulse` collects now and then instead.
    gc.freeze()
    gc.disable()
    connection = socket.socket(fileno=int(sys.argv[1]))
    mark = memoryview(mmap.mmap(int(sys.argv[2]), 8))
    uvloop.run(serve(connection, mark))
    # The connection is closed and all was sent: tearing down a large heap would only take time.
    os._exit(0)


if __name__ == "__main__":
    main()
