"""Migrants at the other end of two plain pipes: tasks of the test's own loop, with no process, no mark and no kill."""

import asyncio
import os

from whimbrel.migrants.away.session import Session
from whimbrel.migrants.wire.channel import Journey
from whimbrel.migrants.wire.stream import BUFFERED, StreamChannel


class Piped(StreamChannel):
    """One end: what is read comes by one pipe, what is written goes by the other."""

    def __init__(
        self, reader: asyncio.StreamReader, arriving: asyncio.BaseTransport, writer: asyncio.StreamWriter
    ) -> None:
        super().__init__(reader, writer)
        self._arriving = arriving

    def cut(self) -> None:
        if not self.closed:
            super().cut()
        self._arriving.close()


async def piped(arriving: int, leaving: int) -> Piped:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=BUFFERED)
    receiving, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(arriving, "rb", buffering=0)
    )
    sending, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(leaving, "wb", buffering=0)
    )
    return Piped(reader, receiving, asyncio.StreamWriter(sending, protocol, None, loop))


class Pipes:
    """A carrier. `cut_after` is the number of messages after which the first channel is cut, as a cable may be."""

    def __init__(self, cut_after: int = 0) -> None:
        self.journeys: list[Journey] = []
        self._cut_after = cut_after
        self._sessions: set[asyncio.Task[None]] = set()

    async def open(self, journey: Journey) -> StreamChannel:
        self.journeys.append(journey)
        from_home, to_migrant = os.pipe()
        from_migrant, to_home = os.pipe()
        session = asyncio.create_task(self._migrate(await piped(from_home, to_home), journey))
        self._sessions.add(session)
        ours = await piped(from_migrant, to_migrant)
        return Fraying(ours, self._cut_after) if self._cut_after and len(self.journeys) == 1 else ours

    async def _migrate(self, channel: Piped, journey: Journey) -> None:
        await Session(channel, journey.passport).run()
        channel.cut()

    async def ended(self) -> None:
        """Until every migrant is gone, each in order: what one of them raised is raised here."""
        await asyncio.gather(*self._sessions)


class Fraying(Piped):
    """Home's end of a cable that is cut in the middle of a crawl."""

    def __init__(self, channel: Piped, cut_after: int) -> None:
        super().__init__(channel._reader, channel._arriving, channel._writer)
        self._left = cut_after

    async def receive(self) -> bytes | None:
        message = await super().receive()
        self._left -= 1
        if self._left == 0:
            self.cut()
        return message if self._left >= 0 else None
