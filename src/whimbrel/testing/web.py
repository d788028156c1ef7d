"""A tiny web server that misbehaves on demand."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import struct
import threading
import time
from collections.abc import Mapping

from msgspec.structs import replace

from whimbrel.testing.reply import FOREVER, NOT_FOUND, Page, Reply, Request, chosen, encode, head_of
from whimbrel.testing.site import site

__all__ = ["Page", "Reply", "Request", "TinyWeb", "site"]

CHUNK_BYTES = 4096
TLS_HANDSHAKE = b"\x16"
REQUEST_LIMIT_BYTES = 1 << 20


class TinyWeb:
    """Serves `pages` (path to reply) from a thread of its own while the `with` block runs.

    `log` holds every request in order of arrival. A path not in `pages` is answered with 404.
    """

    def __init__(
        self,
        pages: Mapping[str, Page],
        *,
        addresses: tuple[str, ...] = ("127.0.0.1",),
        port: int = 0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.pages: dict[str, Page] = dict(pages)
        self.log: list[Request] = []
        self.addresses = addresses
        self.port = port
        self._tls = tls
        self._sockets = self._bind()
        self._counts: dict[str, int] = {}
        self._held: dict[str, asyncio.Event] = {}
        self._seen = threading.Condition()
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._connections: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._run, name="tiny-web", daemon=True)

    def __enter__(self) -> TinyWeb:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *error: object) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()

    def url(self, path: str = "/", host: str = "") -> str:
        scheme = "https" if self._tls else "http"
        name = host or self.addresses[0]
        return f"{scheme}://{f'[{name}]' if ':' in name else name}:{self.port}{path}"

    def count(self, path: str) -> int:
        """How often a path was asked for."""
        return self._counts.get(path, 0)

    def hold(self, path: str) -> None:
        """Keeps answers for this path back until `release`."""
        self._held.setdefault(path, asyncio.Event())

    def release(self, path: str) -> None:
        held = self._held.pop(path, None)
        if held is not None:
            self._loop.call_soon_threadsafe(held.set)

    def wait_for(self, path: str, count: int = 1, timeout_seconds: float = 120.0) -> bool:
        """Blocks until the path was asked for `count` times; False when that did not happen in time."""
        with self._seen:
            return self._seen.wait_for(lambda: self.count(path) >= count, timeout_seconds)

    def wait_for_requests(self, count: int, timeout_seconds: float = 120.0) -> bool:
        """Blocks until so many requests came in, robots.txt included."""
        with self._seen:
            return self._seen.wait_for(lambda: len(self.log) >= count, timeout_seconds)

    def _bind(self) -> list[socket.socket]:
        bound = []
        for address in self.addresses:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            listener = socket.create_server((address, self.port), family=family, backlog=256)
            self.port = listener.getsockname()[1]
            bound.append(listener)
        return bound

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        self._stopping = asyncio.Event()
        servers = [
            await asyncio.start_server(self._connected, sock=listener, ssl=self._tls, limit=REQUEST_LIMIT_BYTES)
            for listener in self._sockets
        ]
        self._ready.set()
        await self._stopping.wait()
        for server in servers:
            server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        with contextlib.suppress(OSError, EOFError, asyncio.LimitOverrunError, asyncio.CancelledError):
            while await self._answer_next(reader, writer):
                pass
        self._connections.discard(task)
        writer.transport.abort() if writer.transport.get_write_buffer_size() else writer.close()

    async def _answer_next(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """False where the connection ends with this reply."""
        first = await reader.readexactly(1)
        if first == TLS_HANDSHAKE:  # servers say so at once
            writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            return False
        request = _read_request(first + await reader.readuntil(b"\r\n\r\n"), writer)
        if length := int(request.headers.get("content-length", "0")):
            request = replace(request, body=await reader.readexactly(length))
        number = self._record(request)
        held = self._held.get(request.path)
        if held is not None:
            await held.wait()
        reply = chosen(self.pages.get(request.path, NOT_FOUND), number, request)
        keep = await _send(reply, request, writer)
        await writer.drain()
        return keep and request.headers.get("connection", "").lower() != "close"

    def _record(self, request: Request) -> int:
        with self._seen:
            number = self._counts.get(request.path, 0)
            self._counts[request.path] = number + 1
            self.log.append(request)
            self._seen.notify_all()
        return number


def _read_request(text: bytes, writer: asyncio.StreamWriter) -> Request:
    first, *lines = text.decode("latin-1").split("\r\n")
    method, _, rest = first.partition(" ")
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    client, server = writer.get_extra_info("peername"), writer.get_extra_info("sockname")
    return Request(method, rest.rpartition(" ")[0], headers, time.monotonic(), client[:2], server[:2])


async def _send(reply: Reply, request: Request, writer: asyncio.StreamWriter) -> bool:
    if reply.silent:
        await asyncio.Event().wait()
    if reply.raw is not None:
        writer.write(reply.raw)
        return False
    if reply.endless_headers:
        return await _send_endless_headers(reply, writer)
    if reply.endless_body:
        return await _send_endless_body(reply, writer)
    body = encode(reply.body, reply.codings)
    length = len(body) if reply.declared_length is None else reply.declared_length
    head = head_of(reply, length) + b"\r\n"
    if request.method == "HEAD" or reply.status == 304:
        writer.write(head)
        return True
    return await _send_body(reply, head, body, writer)


async def _send_body(reply: Reply, head: bytes, body: bytes, writer: asyncio.StreamWriter) -> bool:
    whole = reply.cut_after is None and not reply.reset
    sent = body if reply.cut_after is None else body[: reply.cut_after]
    if reply.drip_seconds:
        writer.write(head)
        for byte in sent:
            writer.write(b"1\r\n%c\r\n" % byte if reply.chunked else bytes((byte,)))
            await writer.drain()
            await asyncio.sleep(reply.drip_seconds)
        sent = b""
    elif reply.chunked:
        sent = b"".join(_chunk(sent[at : at + CHUNK_BYTES]) for at in range(0, len(sent), CHUNK_BYTES))
    if reply.chunked and whole:
        sent += b"0\r\n\r\n"
    writer.write(sent if reply.drip_seconds else head + sent)
    if reply.reset:
        await writer.drain()
        _reset(writer)
    return whole and reply.declared_length is None


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _reset(writer: asyncio.StreamWriter) -> None:
    """Lingering for no time at all makes the kernel send a reset instead of a proper end."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def _send_endless_headers(reply: Reply, writer: asyncio.StreamWriter) -> bool:
    writer.write(head_of(reply, None))
    number = 0
    while True:
        writer.write(b"".join(b"X-More-%d: %b\r\n" % (number + n, b"m" * 200) for n in range(50)))
        await writer.drain()
        number += 50


async def _send_endless_body(reply: Reply, writer: asyncio.StreamWriter) -> bool:
    writer.write(head_of(reply, None) + b"\r\n")
    piece = encode(FOREVER, reply.codings) if reply.codings else FOREVER
    while True:
        writer.write(_chunk(piece) if reply.chunked else piece)
        await writer.drain()
