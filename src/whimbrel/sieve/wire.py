"""What is said between whoever asks and the process in which filters run: frames of msgpack."""

import socket
from typing import TypeVar

import msgspec
from msgspec import Struct

from whimbrel.helpers import frames
from whimbrel.records.sifting import Facts, PageFilter

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


def send(connection: socket.socket, message: object, until: float | None = None) -> None:
    frames.send(connection, _encoder.encode(message), until)


def receive(
    connection: socket.socket, decoder: "msgspec.msgpack.Decoder[Message]", until: float | None = None
) -> Message:
    """EOFError when the other end is gone, or speaks of more than there can be."""
    try:
        body = frames.receive(connection, LARGEST_BYTES, until)
    except frames.FrameTooLong as error:
        raise EOFError(str(error)) from error
    if body is None:
        raise EOFError
    return decoder.decode(body)
