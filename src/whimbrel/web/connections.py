"""Connections that wait for their client: for how long, how many, and which one goes when they are too many.

The server's own protocol waits for ever for a request to be sent. Here a head and a body have to be whole within a
time that sending a byte now and then does not prolong. When all places are taken, or all of one address, the newcomer
gets that of the connection that has kept us waiting longest, among those of its own address or of the one that holds
most. Whoever only opens connections takes places from nobody but themselves, and a request that is being worked on is
never ended.
"""

import asyncio
import socket
import struct
from collections import Counter
from typing import Any

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from whimbrel.web.settings import ClientPatience

_RESET = struct.pack("ii", 1, 0)
"""`SO_LINGER` on, for no time at all (socket(7))."""


class Connected:
    """Who is connected."""

    def __init__(self, patience: ClientPatience) -> None:
        self._patience = patience
        self._taken: dict[Patient, str] = {}
        self._held: Counter[str] = Counter()

    def take(self, connection: "Patient", address: str) -> bool:
        """False where all that are to be had are held by requests that are being worked on."""
        among = address if self._held[address] >= self._patience.per_address else None
        if among is not None or len(self._taken) >= self._patience.connections:
            victim = self._longest_waiting(among)
            if victim is None:
                return False
            victim.abort()
        self._taken[connection] = address
        self._held[address] += 1
        return True

    def leave(self, connection: "Patient") -> None:
        address = self._taken.pop(connection, None)
        if address is not None:
            self._held[address] -= 1
            if not self._held[address]:
                del self._held[address]

    def _longest_waiting(self, among: str | None) -> "Patient | None":
        waiting = [
            (-self._held[address], each.since, id(each), each)
            for each, address in self._taken.items()
            if each.waits_for_client and among in (None, address)
        ]
        return min(waiting)[-1] if waiting else None


def patient(patience: ClientPatience) -> type[H11Protocol]:
    """The protocol of one server."""
    places = Connected(patience)

    class Served(Patient):
        def __init__(self, config: Config, server_state: ServerState, app_state: dict[str, Any],
                     _loop: asyncio.AbstractEventLoop | None = None) -> None:  # fmt: skip
            super().__init__(patience, places, config, server_state, app_state, _loop)

    return Served


class Patient(H11Protocol):
    """A connection. `since` is when it last began to wait for its client."""

    def __init__(self, patience: ClientPatience, places: Connected, *given: Any) -> None:
        super().__init__(*given)
        self._patience = patience
        self._places = places
        self._waited_for: object = None
        self._timer: asyncio.TimerHandle | None = None
        self._stuck: asyncio.TimerHandle | None = None
        self._heard = False
        self.since = self.loop.time()

    @property
    def waits_for_client(self) -> bool:
        """For a request, the rest of one, the next one, or an answer to be taken."""
        cycle = self.cycle
        return cycle is None or cycle.response_complete or cycle.more_body or self._stuck is not None

    def abort(self) -> None:
        """At once, with what the system still holds for a client that takes nothing."""
        self._places.leave(self)
        held = self.transport.get_extra_info("socket")
        if held is not None:
            held.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self.transport.abort()

    # What the event loop tells.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self._places.take(self, self.client[0] if self.client else ""):
            self._wait_for(h11.IDLE)
        else:
            self._end("503 Service Unavailable", "Too many requests are being answered at once. Try again in a moment.")

    def connection_lost(self, exc: Exception | None) -> None:
        self._places.leave(self)
        self._wait_for(None)
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._heard = True
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.since = self.loop.time()
        if self.conn.their_state is not h11.IDLE:  # for the next request the server's own timer runs
            self._look()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.since = self.loop.time()
        self._stuck = self.loop.call_later(self._patience.stuck_seconds, self.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None

    # Waiting.

    def _look(self) -> None:
        state = self.conn.their_state
        self._wait_for(state if state in (h11.IDLE, h11.SEND_BODY) else None)

    def _wait_for(self, part: object) -> None:
        """A head, a body or nothing. Time runs on where it is the same part as before."""
        if part is self._waited_for:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._waited_for = part
        if part is not None:
            self.since = self.loop.time()
            seconds = self._patience.head_seconds if part is h11.IDLE else self._patience.body_seconds
            self._timer = self.loop.call_later(seconds, self._too_late)

    def _too_late(self) -> None:
        if not self._heard:
            self.transport.close()  # browsers open connections ahead, and are told nothing they did not ask for
        elif self._waited_for is h11.SEND_BODY and self.cycle.response_started:
            self.abort()  # the answer is out already
        else:
            self._end("408 Request Timeout", "The request did not arrive in time.")

    def _end(self, status: str, words: str) -> None:
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(words) + 1}\r\n"
        self.transport.write(f"{head}Connection: close\r\n\r\n{words}\n".encode("ascii"))
        self.transport.close()
