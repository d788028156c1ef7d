"""Connections that are only held open: they end in time, and keep nobody else out."""

import select
import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from web_client import Running

from whimbrel.readers.opening import FILE as READERS
from whimbrel.web.settings import ClientPatience, Door

NEVER = 3600.0
PATIENCE_SECONDS = 120.0
HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
SLOW_BODY = b"POST /seen HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nkeys="


@pytest.fixture
def opening() -> Iterator[Callable[..., socket.socket]]:
    """Opens connections, which are closed with the test."""
    with ExitStack() as held:

        def connect(server: Running, said: bytes = b"", coming_from: str = "127.0.0.1") -> socket.socket:
            place = ("127.0.0.1", server.port)
            connection = held.enter_context(
                socket.create_connection(place, PATIENCE_SECONDS, source_address=(coming_from, 0))
            )
            connection.sendall(said)
            return connection

        yield connect


def heard(connection: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    said = b""
    try:
        while part := connection.recv(65_536):
            said += part
    except ConnectionResetError:
        pass
    return said


@pytest.fixture
def waiting(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Servers that answer only once they are begun: what was said before lies there, and no time runs until then."""
    begun: list[Running] = []

    def opened(**limits: float) -> Running:
        begun.append(Running(tmp_path, Door(port=0, patience=ClientPatience(**limits))))
        return begun[-1]

    yield opened
    for running in begun:
        running.__exit__()


@pytest.mark.parametrize("said", [HALF, SLOW_BODY, b"", b"G"])
def test_a_crowd_of_half_requests_keeps_nobody_out(
    serving: Callable[..., Running], tmp_path: Path, opening: Callable[..., socket.socket], said: bytes
) -> None:
    """From the very address that the reader comes from."""
    crowd = ClientPatience(NEVER, NEVER, NEVER, connections=40, per_address=30)
    server = serving(tmp_path, patience=crowd)
    held = [opening(server, said) for _ in range(200)]
    assert server.get("/favourites").status == 200
    heard(held[0])  # the first to come was the first to go
    assert server.get("/favourites").status == 200


def test_a_crowd_from_one_address_takes_no_place_of_another(
    serving: Callable[..., Running], tmp_path: Path, opening: Callable[..., socket.socket]
) -> None:
    server = serving(tmp_path, patience=ClientPatience(NEVER, NEVER, NEVER, connections=30, per_address=30))
    reader = opening(server, HALF)  # who is slow, and was first
    for number in range(100):
        opening(server, HALF, coming_from=f"127.0.0.{2 + number % 2}")
    reader.sendall(b"\r\n\r\n")
    assert reader.recv(100).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("said", "answer"),
    [(HALF, b"HTTP/1.1 408 "), (b"G", b"HTTP/1.1 408 "), (SLOW_BODY, b"HTTP/1.1 408 "), (b"", b"")],
)
def test_what_does_not_come_in_time_is_not_waited_for(
    waiting: Callable[..., Running], opening: Callable[..., socket.socket], said: bytes, answer: bytes
) -> None:
    server = waiting(head_seconds=0.1, body_seconds=0.1)
    connection = opening(server, said)
    server.__enter__()
    told = heard(connection)
    assert told.startswith(answer)
    assert bool(told) is bool(answer), "who said nothing is told nothing"


@pytest.mark.parametrize("said", [HALF, SLOW_BODY])
def test_a_byte_now_and_then_buys_no_time(
    waiting: Callable[..., Running], opening: Callable[..., socket.socket], said: bytes
) -> None:
    server = waiting(head_seconds=0.3, body_seconds=0.3)
    connection = opening(server, said)
    server.__enter__()
    for _ in range(900):
        if select.select([connection], [], [], 0.02)[0]:
            break
        connection.sendall(b"x")
    assert heard(connection).startswith(b"HTTP/1.1 408 ")


def test_the_next_request_of_a_connection_has_its_time_too(
    waiting: Callable[..., Running], opening: Callable[..., socket.socket]
) -> None:
    server = waiting(head_seconds=0.3, body_seconds=0.3)
    connection = opening(server, b"GET /static/whimbrel.css HTTP/1.1\r\nHost: localhost\r\n\r\n")
    server.__enter__()
    assert connection.recv(100).startswith(b"HTTP/1.1 200 ")
    connection.sendall(HALF)
    assert b"HTTP/1.1 408 " in heard(connection)


def test_who_takes_nothing_of_an_answer_is_let_go(
    serving: Callable[..., Running], tmp_path: Path, opening: Callable[..., socket.socket]
) -> None:
    """An answer larger than all buffers between the two."""
    server = serving(tmp_path, patience=ClientPatience(stuck_seconds=0.1))
    favourites = sqlite3.connect(tmp_path / READERS)
    with favourites:
        rows = [(f"http://a.example/{number}/{'x' * 10_000}", "", 0.0) for number in range(300)]
        favourites.executemany("INSERT INTO favourite VALUES (0, ?, ?, ?)", rows)
    favourites.close()
    connection = opening(server)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
    connection.sendall(b"GET /favourites HTTP/1.1\r\nHost: localhost\r\n\r\n")
    ended = select.poll()
    ended.register(connection, select.POLLRDHUP)
    assert ended.poll(1000 * PATIENCE_SECONDS)
    assert len(heard(connection)) < 300 * 10_000
