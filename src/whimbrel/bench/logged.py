"""nginx on many loopback addresses, writing down when each was asked for what: the witness no crawler can bribe."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from whimbrel.bench.machine import MissingTool
from whimbrel.bench.server import NGINX, START_SECONDS, cached_files

LOG = "access.log"
_CONFIGURATION = """
daemon off;
master_process off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log crit;
worker_rlimit_nofile 4096;
events {{ worker_connections 2048; }}
http {{
  types {{ text/html html htm; text/css css; image/svg+xml svg; image/png png; text/javascript js; text/plain txt; }}
  default_type application/octet-stream;
  log_format asked '$msec $request_time $server_addr $status $bytes_sent $request_uri';
  access_log {folder}/{log} asked;
  sendfile on;
  keepalive_requests 100000000;
  open_file_cache max={cached};
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{
    {listen}
    root {site};
  }}
}}
"""


class Arrival(Struct, frozen=True):
    """One request as the server met it. `at` is when its first byte came in: the log tells the end and how long it
    took, both to the millisecond."""

    at: float
    address: str
    status: int
    sent_bytes: int
    path: str


class LoggedServer(Struct, frozen=True):
    addresses: tuple[str, ...]
    port: int
    log: Path

    def origin(self, address: str = "") -> str:
        return f"http://{address or self.addresses[0]}:{self.port}"

    def arrivals(self) -> list[Arrival]:
        """In the order of arrival."""
        with self.log.open(encoding="utf-8") as lines:
            return sorted((_read(line) for line in lines), key=lambda arrival: arrival.at)

    def forget(self) -> None:
        """Empties the log; nginx appends, so it goes on at the beginning."""
        os.truncate(self.log, 0)


def _read(line: str) -> Arrival:
    ended, took, address, status, size, path = line.rstrip("\n").split(" ", 5)
    return Arrival(round(float(ended) - float(took), 3), address, int(status), int(size), path)


@contextmanager
def witnessed(site: str, folder: Path, addresses: Sequence[str]) -> Iterator[LoggedServer]:
    """Serves inside the block. `site` is the folder of the pages and may hold nginx's variables: `…/$server_addr`."""
    port = _port_free_at(addresses)
    listen = "\n    ".join(f"listen {address}:{port};" for address in addresses)
    configuration = folder / "nginx.conf"
    configuration.write_text(
        _CONFIGURATION.format(folder=folder, log=LOG, listen=listen, site=site, cached=cached_files())
    )
    program = shutil.which("nginx") or str(NGINX)
    server = subprocess.Popen(
        [program, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(configuration)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        _wait_until_open(addresses[-1], port, server)
        yield LoggedServer(tuple(addresses), port, folder / LOG)
    finally:
        server.terminate()
        server.communicate()


def _port_free_at(addresses: Sequence[str]) -> int:
    with socket.create_server((addresses[0], 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def _wait_until_open(address: str, port: int, server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            socket.create_connection((address, port), 0.2).close()
            return
        except OSError:
            time.sleep(0.01)
    server.kill()
    said = server.communicate()[1].decode("utf-8", "replace").strip()
    raise MissingTool(f"nginx did not start: {said or 'no word from it'}")
