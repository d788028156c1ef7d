"""Messages over the connection to a helper: four bytes of length (big endian), then the message."""

import socket
import time


class FrameTooLong(Exception):
    """The other end speaks of more bytes than it may send."""


def send(connection: socket.socket, body: bytes, until: float | None = None) -> None:
    """Raises `TimeoutError` when the other end has not taken it by `until`, a moment of `time.monotonic`."""
    for part in (len(body).to_bytes(4, "big"), body):
        connection.settimeout(_left(until))
        connection.sendall(part)


def receive(connection: socket.socket, most_bytes: int, until: float | None = None) -> bytearray | None:
    """The next message; None when the other end is gone. Raises `TimeoutError` as `send` does."""
    head = _exactly(connection, 4, until)
    if head is None:
        return None
    length = int.from_bytes(head, "big")
    if length > most_bytes:
        raise FrameTooLong(f"a message of {length} bytes")
    return _exactly(connection, length, until)


def _exactly(connection: socket.socket, length: int, until: float | None) -> bytearray | None:
    buffer = bytearray(length)
    view = memoryview(buffer)
    while view:
        connection.settimeout(_left(until))
        try:
            count = connection.recv_into(view)
        except ConnectionError:
            return None
        if not count:
            return None
        view = view[count:]
    return buffer


def _left(until: float | None) -> float | None:
    if until is None:
        return None
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
