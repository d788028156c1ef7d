"""A migrant's end of the connection: what home says is obeyed until all that it asked for was sent, or home is gone."""

import asyncio
import mmap
import os
import socket
import sys
from contextlib import suppress

import uvloop

from whimbrel.migrants import wire
from whimbrel.migrants.host import Host, Passport

CONTRACT_BROKEN = 76  # EX_PROTOCOL of sysexits.h


class Session:
    """What home says, until it is gone or everything it asked for was sent."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, mark: memoryview, passport: Passport
    ) -> None:
        self._passport = passport
        self._reader = reader
        self._writer = writer
        self._mark = mark
        self._host: Host | None = None
        self._running: list[asyncio.Task[None]] = []

    async def run(self) -> None:
        """Listening never stops before the end: home may go at any moment, also while the last visits come in."""
        self._writer.write(wire.frame(wire.Hello(wire.VERSION, os.getpid(), self._passport.name)))
        self._all_sent = asyncio.Event()
        listening = asyncio.create_task(self._listen())
        parting = asyncio.create_task(self._all_sent.wait())
        await asyncio.wait((listening, parting), return_when=asyncio.FIRST_COMPLETED)
        if listening.done():
            listening.result()

    async def _listen(self) -> None:
        while (body := await wire.receive(self._reader)) is not None:
            self._obey(wire.read_from_home(body))

    def _obey(self, message: wire.FromHome) -> None:
        match message:
            case wire.Halt() | wire.Pack():
                self._running.append(asyncio.create_task(self._part(isinstance(message, wire.Pack))))
            case wire.Brief() as brief:
                self._begin(brief)
            case _ if self._host is None:
                raise wire.WireError(f"{type(message).__name__} came before the brief")
            case wire.Work() as work:
                self._host.on_work(work)
            case wire.Scope() as scope:
                self._host.on_scope(scope)
            case wire.Grant() as grant:
                self._host.on_grant(grant)
            case wire.Hold() as hold:
                self._host.on_hold(hold)
            case wire.Release() as release:
                self._host.on_release(release)
            case wire.Served() as served:
                self._host.on_served(served)

    def _begin(self, brief: wire.Brief) -> None:
        if brief.version != wire.VERSION:
            raise wire.WireError(f"home speaks version {brief.version}, this migrant {wire.VERSION}")
        if self._host is not None:
            raise wire.WireError("a second brief")
        self._host = Host(brief, self._writer, self._mark, self._passport)
        self._running.append(asyncio.create_task(self._host.pulse()))

    async def _part(self, packing: bool) -> None:
        if self._host is not None:
            if packing:
                self._host.on_pack()
            else:
                self._host.on_halt()
            await self._host.wait_until_ended()
        self._writer.close()
        with suppress(ConnectionError):  # home is gone; so are we
            await self._writer.wait_closed()
        self._all_sent.set()


async def serve(connection: socket.socket, mark: memoryview, passport: Passport) -> None:
    reader, writer = await asyncio.open_connection(sock=connection, limit=1 << 24)
    await Session(reader, writer, mark, passport).run()
    # All was sent, or nobody is left to send it to: cancelling visits and tearing down a large heap only takes time.
    os._exit(0)


def run(connection: int, mark: int, passport: Passport) -> None:
    """Never returns: the process ends with the session."""
    try:
        uvloop.run(serve(socket.socket(fileno=connection), memoryview(mmap.mmap(mark, 8)), passport))
    except wire.WireError as error:
        sys.stderr.write(f"whimbrel migrant: {error}; home and migrants must be of the same release\n")
        sys.stderr.flush()
        os._exit(CONTRACT_BROKEN)
