"""How what the parser read, and what the trap watch remembers, are kept: small, and quick to write."""

import msgspec
from isal import igzip_lib

from whimbrel.frontier.traps import PatternState
from whimbrel.records.visit import Reading

_encoder = msgspec.msgpack.Encoder()
_reading = msgspec.msgpack.Decoder(Reading)
_pattern = msgspec.msgpack.Decoder(PatternState)


def pack(reading: Reading) -> bytes:
    """ISA-L's level 0 leaves a tenth more bytes than level 1, in little more than half of the time."""
    return bytes(igzip_lib.compress(_encoder.encode(reading), 0, igzip_lib.COMP_GZIP))


def unpack(packed: bytes) -> Reading:
    return _reading.decode(igzip_lib.decompress(packed, igzip_lib.DECOMP_GZIP))


def dump_pattern(state: PatternState) -> bytes:
    return _encoder.encode(state)


def restore_pattern(packed: bytes) -> PatternState:
    return _pattern.decode(packed)
