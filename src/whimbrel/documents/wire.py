"""What the extractor and its helper process say to each other.

A message is a msgpack array that begins with its tag, in a frame of its own (`helpers.frames`). The extractor sends
`HelperBrief`, the helper answers `Ready`; then each `Job` is answered by one `HelperReply`. A helper that can no
longer read ends itself.
"""

import socket
from typing import TypeAlias

import msgspec
from msgspec import Struct

from whimbrel.documents.contract import DocumentLimits, DocumentText, Unreadable
from whimbrel.documents.memory import MemoryUse
from whimbrel.helpers import frames

VERSION = 1
LARGEST_FRAME = 1 << 30
_BYTES_A_CHARACTER = 4
_BESIDE_THE_TEXT = 1 << 20


class HelperWireError(Exception):
    """The other end broke the contract."""


class HelperBrief(Struct, frozen=True, tag="brief", array_like=True):
    version: int
    limits: DocumentLimits


class Job(Struct, frozen=True, tag="job", array_like=True):
    kind: str
    mime: str
    body: bytes


class Ready(Struct, frozen=True, tag="ready", array_like=True):
    version: int


class HelperReply(Struct, frozen=True, tag="reply", array_like=True):
    """`memory` is that of the helper after the document."""

    outcome: DocumentText | Unreadable
    memory: MemoryUse


ToHelper: TypeAlias = HelperBrief | Job
FromHelper: TypeAlias = Ready | HelperReply

_encoder = msgspec.msgpack.Encoder()
_to_helper = msgspec.msgpack.Decoder(ToHelper)
_from_helper = msgspec.msgpack.Decoder(FromHelper)


def send(connection: socket.socket, message: ToHelper | FromHelper, until: float | None = None) -> None:
    frames.send(connection, _encoder.encode(message), until)


def receive_as_helper(connection: socket.socket) -> ToHelper | None:
    """The next message; None when the extractor is gone."""
    body = frames.receive(connection, LARGEST_FRAME)
    return None if body is None else _to_helper.decode(body)


def receive_from_helper(connection: socket.socket, characters: int, until: float) -> FromHelper | None:
    """The next message, of a text of `characters` at most; None when the helper is gone.

    What a helper says is not trusted, nor how much: it has read the document.
    """
    try:
        body = frames.receive(connection, _BYTES_A_CHARACTER * characters + _BESIDE_THE_TEXT, until)
        return None if body is None else _from_helper.decode(body)
    except (frames.FrameTooLong, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HelperWireError(f"a message that does not fit the contract: {error}") from error
