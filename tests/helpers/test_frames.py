"""Whole messages, or a word about why not."""

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from whimbrel.helpers import frames

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def test_messages_come_whole_and_in_order(pair: Pair) -> None:
    ours, theirs = pair
    bodies = [b"", b"one", b"x" * (4 << 20)]  # the last is larger than the socket's buffer
    sender = threading.Thread(target=lambda: [frames.send(ours, body) for body in bodies])
    sender.start()
    assert [frames.receive(theirs, 4 << 20) for _ in bodies] == bodies
    sender.join()


def test_an_end_that_is_gone_says_nothing_more(pair: Pair) -> None:
    ours, theirs = pair
    ours.sendall(b"\0\0\0\5cut")
    ours.close()
    assert frames.receive(theirs, 100) is None
    assert frames.receive(theirs, 100) is None


def test_a_message_that_is_too_long_is_not_waited_for(pair: Pair) -> None:
    ours, theirs = pair
    ours.sendall(b"\0\0\0\5")
    with pytest.raises(frames.FrameTooLong):
        frames.receive(theirs, 4)


def test_nobody_waits_beyond_the_moment(pair: Pair) -> None:
    ours, theirs = pair
    past = time.monotonic() - 1
    with pytest.raises(TimeoutError):
        frames.receive(theirs, 4, past)
    with pytest.raises(TimeoutError):
        frames.send(ours, b"", past)
