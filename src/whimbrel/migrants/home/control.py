"""How other programs reach a running crawl: a socket in its folder, one JSON line asked, one answered.

The socket carries no secret and no work, only what a person could also read on the crawl's own screen or do with
Ctrl-C and the `migrants` verbs; the folder's permissions guard it.
"""

import asyncio
import json
import os
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

NAME = "home.sock"
LONGEST_REQUEST = 1 << 20
PATIENCE_SECONDS = 30.0
# From 3.13 on, asyncio removes the socket by its short path, which by then is gone or names something else.
_OURS_TO_REMOVE: dict[str, Any] = {"cleanup_socket": False} if sys.version_info >= (3, 13) else {}

Answer = dict[str, object]
Respond = Callable[[Answer], Awaitable[Answer]]


class Control:
    """The listening end, held by home while it runs."""

    def __init__(self, folder: Path, respond: Respond) -> None:
        self._folder = folder
        self._respond = respond
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        with _short_path(self._folder) as path, suppress(OSError):
            # Whoever left a socket behind is gone: we hold the folder's lock.
            (self._folder / NAME).unlink(missing_ok=True)
            self._server = await asyncio.start_unix_server(self._serve, path, limit=LONGEST_REQUEST, **_OURS_TO_REMOVE)
            (self._folder / NAME).chmod(0o600)

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            (self._folder / NAME).unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            try:
                request = json.loads(await reader.readline())
                answer = await self._respond(request) if isinstance(request, dict) else _not_understood()
            except (ValueError, asyncio.LimitOverrunError):
                answer = _not_understood()
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
        writer.close()


def ask(folder: Path, request: Answer, patience_seconds: float = PATIENCE_SECONDS) -> Answer | None:
    """Asks the crawl that runs on this folder; None where none does, or none answers in time."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(patience_seconds)
        try:
            with _short_path(folder) as path:
                connection.connect(path)
            connection.sendall(json.dumps(request).encode() + b"\n")
            with connection.makefile("rb") as lines:
                answer: Answer = json.loads(lines.readline())
        except (OSError, ValueError):
            return None
    return answer


def _not_understood() -> Answer:
    return {"error": "ask with one JSON object on one line"}


@contextmanager
def _short_path(folder: Path) -> Iterator[str]:
    """A name for the socket that fits: the kernel takes 107 bytes, and folders may lie deeper."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{descriptor}/{NAME}"
    finally:
        os.close(descriptor)
