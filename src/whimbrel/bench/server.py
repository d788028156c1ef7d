"""nginx with a configuration of its own, serving a folder on loopback."""

import os
import resource
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from whimbrel.bench.machine import MissingTool

NGINX = Path("/usr/sbin/nginx")
START_SECONDS = 5.0
LIMITS = "events { worker_connections 1024; }"
_CONFIGURATION = """
daemon off;
master_process off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log crit;
{limits}
http {{
  types {{ text/html html htm; text/css css; image/svg+xml svg; image/png png; text/javascript js; text/plain txt; }}
  default_type application/octet-stream;
  {log}
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


@contextmanager
def serving(site: Path, folder: Path, *cores: int) -> Iterator[str]:
    """The origin under which the site can be reached inside the block."""
    with nginx(str(site.resolve()), folder, ["127.0.0.1"], cores=cores) as port:
        yield f"http://127.0.0.1:{port}"


def configuration(site: str, folder: Path, listen: str, *, limits: str = LIMITS, log: str = "access_log off;") -> str:
    return _CONFIGURATION.format(folder=folder, limits=limits, log=log, listen=listen, site=site, cached=cached_files())


@contextmanager
def nginx(
    site: str, folder: Path, addresses: Sequence[str], *, limits: str = LIMITS,
    log: str = "access_log off;", cores: Sequence[int] = (),
) -> Iterator[int]:  # fmt: skip
    """Serves inside the block, and gives the port. `site` may hold nginx's variables; `limits` and `log` are lines of
    its configuration; with `cores` it stays on them."""
    port = _port_free_at(addresses[0])
    listen = "\n    ".join(f"listen {address}:{port};" for address in addresses)
    written = folder / "nginx.conf"
    written.write_text(configuration(site, folder, listen, limits=limits, log=log))
    server = _started(folder, written, cores)
    try:
        _wait_until_open(addresses[-1], port, server)
        yield port
    finally:
        server.terminate()
        server.communicate()


def _started(folder: Path, configuration: Path, cores: Sequence[int]) -> "subprocess.Popen[bytes]":
    program = shutil.which("nginx") or str(NGINX)
    ours = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores or ours)
    try:
        return subprocess.Popen(
            [program, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(configuration)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip
    finally:
        os.sched_setaffinity(0, ours)


def cached_files() -> int:
    """Files that nginx may hold open; connections and what is being sent need some too."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return min(20_000, max(allowed // 2, allowed - 3 * 1024))


def _port_free_at(address: str) -> int:
    with socket.create_server((address, 0)) as listener:
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
