"""Messages over a stream of bytes: four bytes of length (big endian), then the message."""

import asyncio
from contextlib import suppress

from whimbrel.migrants.wire.channel import UNKNOWN, OtherEnd
from whimbrel.migrants.wire.messages import WireError

LARGEST_FRAME = 1 << 30
BUFFERED = 1 << 24


def frame(message: bytes) -> bytes:
    return len(message).to_bytes(4, "big") + message


async def unframed(reader: asyncio.StreamReader) -> bytes | None:
    """The next message; None when the other end is gone, also in the middle of one."""
    try:
        length = int.from_bytes(await reader.readexactly(4), "big")
        if length > LARGEST_FRAME:
            raise WireError(f"a message of {length} bytes")
        return await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


class StreamChannel:
    """A channel over any pair of streams. It knows nothing of the other end."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def send(self, message: bytes) -> None:
        if not self._writer.is_closing():
            self._writer.write(frame(message))

    async def receive(self) -> bytes | None:
        return await unframed(self._reader)

    @property
    def closed(self) -> bool:
        return self._writer.is_closing()

    async def close(self) -> None:
        self._writer.close()
        with suppress(ConnectionError):  # whoever should have read it is gone
            await self._writer.wait_closed()

    def cut(self) -> None:
        self._writer.transport.abort()

    def peer(self) -> OtherEnd:
        return UNKNOWN

    def reads(self, key: int) -> None:
        """Nobody at the other end could see it."""
