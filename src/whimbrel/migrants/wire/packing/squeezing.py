"""One compressed stream for all messages of a direction: what was said before is not said again.

Packets are numbered; number 0 begins a stream. A message of two kilobytes from a site whose pages share their frame and
their words takes a fraction of what it would take by itself (zstd, RFC 8878; its window is what is remembered).
"""

import msgspec
import zstandard
from msgspec import Struct
from xxhash import xxh32_intdigest

from whimbrel.migrants.wire.messages import WireError

LEVEL = 9
SEARCH_LOG = 6
"""64 earlier places are looked at where the level looks at 16: 3 to 7 % less on three manuals, for
a quarter of a millisecond a page. Higher levels take two and four times the memory for 1 % more."""
WINDOW_LOG = 24
"""16 MiB: on documentation sites a larger one saves little, and both sides must hold it in memory."""
LARGEST_MESSAGE = 128 << 20
_SLICE = 512  # four bytes of zstd may stand for 128 KiB: small slices bound what one step can grow to


class StreamLost(WireError):
    """What came does not continue what was heard. The sender is to begin a fresh stream, and to say again what was not
    acknowledged."""


class Packet(Struct, frozen=True, array_like=True):
    """A piece of a stream of its sender: the message has `size` bytes and the checksum `check`."""

    stream: int
    number: int
    size: int
    check: int
    data: bytes


_encoder = msgspec.msgpack.Encoder()
_packets = msgspec.msgpack.Decoder(Packet)


class Squeezer:
    """The sending end."""

    def __init__(self, level: int = LEVEL, window_log: int = WINDOW_LOG) -> None:
        params = zstandard.ZstdCompressionParameters.from_level(level, window_log=window_log, search_log=SEARCH_LOG)
        self._factory = zstandard.ZstdCompressor(compression_params=params)
        self._streams = 0
        self.fresh()

    def fresh(self) -> None:
        """The next packet begins a stream."""
        self._stream = self._factory.compressobj()
        self._streams += 1
        self._number = 0

    def squeeze(self, message: bytes) -> bytes:
        data = self._stream.compress(message) + self._stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        packet = Packet(self._streams, self._number, len(message), xxh32_intdigest(message), data)
        self._number += 1
        return _encoder.encode(packet)


class Unsqueezer:
    """The receiving end. A broken stream stays broken until a fresh one begins."""

    def __init__(self, largest: int = LARGEST_MESSAGE) -> None:
        self._factory = zstandard.ZstdDecompressor(max_window_size=1 << WINDOW_LOG)
        self._stream = self._factory.decompressobj()
        self._largest = largest
        self._heard = 0
        self._next = 0

    def unsqueeze(self, packed: bytes) -> bytes:
        try:
            packet = _packets.decode(packed)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise WireError(f"a packet that cannot be read: {error}") from error
        if packet.number == 0:
            self._stream = self._factory.decompressobj()
            self._heard = packet.stream
        elif (packet.stream, packet.number) != (self._heard, self._next):
            raise StreamLost(f"packet {packet.number} came where {self._next} was expected")
        self._next = -1
        message = self._grown(packet)
        if xxh32_intdigest(message) != packet.check:
            raise StreamLost(f"packet {packet.number} does not hold what was sent")
        self._next = packet.number + 1
        return message

    def _grown(self, packet: Packet) -> bytes:
        if not 0 <= packet.size <= self._largest:
            raise WireError(f"a message of {packet.size} bytes; the most is {self._largest}")
        grown, parts = 0, []
        try:
            for start in range(0, len(packet.data), _SLICE):
                part = self._stream.decompress(packet.data[start : start + _SLICE])
                grown += len(part)
                if grown > packet.size:
                    raise WireError(f"a message said to have {packet.size} bytes has more")
                parts.append(part)
        except zstandard.ZstdError as error:
            raise StreamLost(f"packet {packet.number} is not good: {error}") from error
        if grown != packet.size:
            raise StreamLost(f"packet {packet.number} holds {grown} bytes of {packet.size}")
        return b"".join(parts)
