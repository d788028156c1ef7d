"""A channel whose messages are packed on their way, over any other."""

from whimbrel.migrants.wire.channel import Channel, OtherEnd
from whimbrel.migrants.wire.packing.site import SitePacking


class PackedChannel:
    """One end. `sent` and `received` count the bytes of packets."""

    def __init__(self, channel: Channel, packing: SitePacking) -> None:
        self._channel = channel
        self._packing = packing
        self.sent = 0
        self.received = 0

    def send(self, message: bytes) -> None:
        if not self._channel.closed and (packed := self._packing.pack(message)):
            self.sent += len(packed)
            self._channel.send(packed)

    async def receive(self) -> bytes | None:
        packed = await self._channel.receive()
        if packed is None:
            return None
        self.received += len(packed)
        return self._packing.unpack(packed)

    @property
    def closed(self) -> bool:
        return self._channel.closed

    async def close(self) -> None:
        await self._channel.close()
        self._packing.close()

    def cut(self) -> None:
        self._channel.cut()

    def peer(self) -> OtherEnd:
        return self._channel.peer()

    def reads(self, key: int) -> None:
        self._channel.reads(key)
