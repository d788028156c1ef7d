"""Migrants at the other end of a connection, packed as between two machines, for benches that count its bytes."""

import asyncio
from pathlib import Path

from msgspec.structs import replace

from whimbrel.bench.meter import Meter
from whimbrel.migrants.away.session import Session
from whimbrel.migrants.wire.channel import Channel, Journey, Passport
from whimbrel.migrants.wire.packing.channel import PackedChannel
from whimbrel.migrants.wire.packing.site import SitePacking
from whimbrel.migrants.wire.stream import BUFFERED, StreamChannel


class AcrossLink:
    """A carrier: each journey is a connection through a meter to a migrant of this process. What both sides hold is
    kept below `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._passports: list[Passport] = []
        self._meter: Meter | None = None
        self._place: asyncio.Server | None = None
        self._writers: list[asyncio.StreamWriter] = []

    async def open(self, journey: Journey) -> Channel:
        if self._meter is None:
            self._place = await asyncio.start_server(self._arrived, "127.0.0.1", 0, limit=BUFFERED)
            self._meter = Meter(self._place.sockets[0].getsockname()[1])
            await self._meter.serve()
        self._passports.append(journey.passport)
        reader, writer = await asyncio.open_connection("127.0.0.1", self._meter.port, limit=BUFFERED)
        return PackedChannel(StreamChannel(reader, writer), SitePacking("home", self._folder / "home"))

    async def _arrived(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        packing = SitePacking("place", self._folder / "place")
        channel = PackedChannel(StreamChannel(reader, writer), packing)
        self._writers.append(writer)
        await Session(channel, replace(self._passports[-1], bare=True)).run()

    async def close(self) -> None:
        for writer in self._writers:
            writer.close()
        if self._place is not None and self._meter is not None:
            await self._meter.close()
            self._place.close()

    def take(self) -> tuple[int, int]:
        """Bytes to the place and back since the last time."""
        if self._meter is None:
            return 0, 0
        out, back = self._meter.out, self._meter.back
        self._meter.take()
        return out, back
