"""What is said between whoever asks and the process in which filters run: frames of msgpack, a length before each."""

import socket
from typing import TypeVar

import msgspec
from msgspec import Struct

from whimbrel.records.sifting import Facts, PageFilter

_LENGTH_BYTES = 4
LARGEST_BYTES = 256 << 20

Message = TypeVar("Message")


class SieveBrief(Struct, frozen=True, tag="brief", array_like=True):
    """The first thing said: the filter, the folder of the compiled sandbox, and the limits."""

    filter: PageFilter
    sandbox: str
    limits: "SieveLimits"


class SieveLimits(Struct, frozen=True):
    """For one page: processor time of the whole process, and within the sandbox instructions and memory."""

    cpu_seconds: float = 1.0
    fuel: int = 5_000_000_000
    memory_bytes: int = 128 << 20
    address_space_bytes: int = 1 << 30


class Sifted(Struct, frozen=True, array_like=True):
    """Whether the page passes, and why not. `fault`: the filter itself failed on it, or cannot be used at all."""

    kept: bool
    reason: str = ""
    fault: bool = False


_encoder = msgspec.msgpack.Encoder()
brief_decoder = msgspec.msgpack.Decoder(SieveBrief)
facts_decoder = msgspec.msgpack.Decoder(Facts)
sifted_decoder = msgspec.msgpack.Decoder(Sifted)


def send(connection: socket.socket, message: object) -> None:
    body = _encoder.encode(message)
    connection.sendall(len(body).to_bytes(_LENGTH_BYTES, "big") + body)


def receive(connection: socket.socket, decoder: "msgspec.msgpack.Decoder[Message]") -> Message:
    """EOFError when the other end is gone."""
    size = int.from_bytes(_exactly(connection, _LENGTH_BYTES), "big")
    if size > LARGEST_BYTES:
        raise EOFError("a frame beyond all bounds")
    return decoder.decode(_exactly(connection, size))


def _exactly(connection: socket.socket, size: int) -> bytes:
    parts: list[bytes] = []
    while size:
        part = connection.recv(min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
