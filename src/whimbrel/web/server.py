"""Runs the web application on one folder: takes the folder's place, the port, and says where it is."""

import asyncio
import errno
import fcntl
import json
import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import uvicorn
from msgspec import structs

from whimbrel.readers.contract import READER_DEFAULTS, ReaderSettings
from whimbrel.repository.contract import FolderBusy
from whimbrel.search.contract import DEFAULTS, SearchSettings
from whimbrel.web.app import make_app
from whimbrel.web.connections import patient
from whimbrel.web.seals import read_key
from whimbrel.web.settings import Door, is_loopback

LOCK_FILE = "serve.lock"
LONGEST_REQUEST_HEAD = 256 * 1024
"""A query of 10,000 characters, each escaped, has to fit."""


class PortTaken(Exception):
    """The message says what to do."""


class OpenedServer:
    """A server that holds its folder and its port but does not answer yet."""

    def __init__(self, folder: Path, door: Door, search: SearchSettings = DEFAULTS) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = _take(folder)
        try:
            self._socket = _listen(door.host, door.port)
        except BaseException:
            os.close(self._lock)
            raise
        self.folder = folder
        self.port: int = self._socket.getsockname()[1]
        self.door = structs.replace(door, port=self.port)
        self.address = _address(self.door)
        self.key, self.key_is_new = read_key(folder)
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, json.dumps({"address": self.address, "pid": os.getpid()}).encode(), 0)
        self._search = search

    def server(self) -> uvicorn.Server:
        """For an event loop that runs already; `run` is for one's own."""
        config = uvicorn.Config(
            make_app(self.folder, self.door, search=self._search),
            access_log=False,
            log_level="warning",
            server_header=False,
            date_header=True,
            proxy_headers=False,
            lifespan="on",
            ws="none",
            http=patient(self.door.patience),
            h11_max_incomplete_event_size=LONGEST_REQUEST_HEAD,
            timeout_graceful_shutdown=3,
        )
        return uvicorn.Server(config)

    def run(self) -> None:
        """Answers until Ctrl-C, or another signal that raises KeyboardInterrupt."""
        try:
            self.server().run(sockets=[self._socket])
        except KeyboardInterrupt:
            # Raised again by the server once it has ended as it should.
            pass
        finally:
            self.close()

    async def serve(self, server: uvicorn.Server) -> None:
        try:
            await server.serve(sockets=[self._socket])
        finally:
            self.close()

    def close(self) -> None:
        self._socket.close()
        os.close(self._lock)


class Background:
    """Serves a folder from a thread of its own while the `with` block runs, for whoever has an event loop already."""

    def __init__(self, opened: "OpenedServer") -> None:
        self._server = opened.server()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(opened.serve(self._server)), name="whimbrel-serve", daemon=True
        )

    def __enter__(self) -> "Background":
        self._thread.start()
        while not self._server.started and self._thread.is_alive():
            time.sleep(0.01)
        return self

    def __exit__(self, *error: object) -> None:
        self._server.should_exit = True
        self._thread.join()


def run(
    folder: Path,
    host: str = "127.0.0.1",
    port: int = 8765,
    *,
    allow_hosts: tuple[str, ...] = (),
    behind: tuple[str, ...] = (),
    read_only: bool = False,
    networks: tuple[str, ...] = (),
    ready: Callable[[OpenedServer], None] = lambda opened: None,
    search: SearchSettings = DEFAULTS,
    readers: ReaderSettings = READER_DEFAULTS,
) -> None:
    """Serves the folder until Ctrl-C; `ready` is told when the address is known."""
    door = Door(host, port, allow_hosts, behind=behind, read_only=read_only, networks=networks, readers=readers)
    opened = OpenedServer(folder, door, search)
    ready(opened)
    opened.run()


def _take(folder: Path) -> int:
    descriptor = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        told = os.pread(descriptor, 1000, 0)
        os.close(descriptor)
        raise FolderBusy(f"{folder} is being served already, {_where(told)}. Open that, or end it first.") from None
    return descriptor


def _where(told: bytes) -> str:
    try:
        known = json.loads(told)
        return f"at {known['address']} (process {known['pid']})"
    except (ValueError, KeyError, TypeError):
        return "by another process"


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host.strip("[]"), port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(
                f"port {port} on {host} is taken by another program. Choose another with --port, or --port 0 for any."
            ) from error
        if error.errno == errno.EACCES:
            raise PortTaken(f"port {port} may not be used by you. Choose one above 1023 with --port.") from error
        raise PortTaken(f"{host} is no address of this machine ({error}). Give one with --host.") from error
    listener.set_inheritable(False)
    return listener


def _address(door: Door) -> str:
    host = door.host.strip("[]")
    if not is_loopback(host) and host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    return f"http://{f'[{host}]' if ':' in host else host}:{door.port}/"
