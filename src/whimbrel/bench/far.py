"""Home, a web server and a place as programs of their own, each in its network namespace: what a bench measures there
is what people would start."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from whimbrel.bench.link import WEB_PORT
from whimbrel.bench.machine import MissingTool
from whimbrel.bench.namespaces import FarSite, FarWorld
from whimbrel.bench.peers import settings
from whimbrel.bench.server import NGINX, configuration
from whimbrel.repository.engines import open_reader

PATIENCE_SECONDS = 3600.0
START_SECONDS = 60.0
SERVER_PORT = 4222
PLACE = "library"
_CLOCK = """import time
_now, _now_ns = time.time, time.time_ns
time.time = lambda: _now() + {seconds}
time.time_ns = lambda: _now_ns() + {seconds} * 1_000_000_000
"""
_LOG = "log_format said '$remote_addr $bytes_sent'; access_log {file} said;"


class ServerLoad(Struct, frozen=True):
    """Requests to the web server and the bytes that it sent, from its own machine and from elsewhere."""

    near_requests: int
    near_bytes: int
    far_requests: int
    far_bytes: int


def whimbrel(*arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", "whimbrel", *arguments]


class WebServer:
    """nginx at a site. `load` is what it did since it was last asked."""

    def __init__(self, site: FarSite, root: Path, folder: Path, more: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._site, self._log, self._read = site, folder / "access.log", 0
        log = f"{_LOG.format(file=self._log)} {more}"
        written = folder / "nginx.conf"
        listen = f"listen 0.0.0.0:{WEB_PORT};"
        # Files change between runs, and nginx would remember them for a minute.
        written.write_text(configuration(f"{root.resolve()}; open_file_cache off", folder, listen, log=log))
        program = shutil.which("nginx") or str(NGINX)
        command = [program, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(written)]
        self._process = site.machine.start(command, folder / "said.log")
        # It writes its number down once it listens.
        _await(lambda: (folder / "nginx.pid").exists(), f"nginx did not start: see {folder}")

    def load(self) -> ServerLoad:
        with self._log.open() as log:
            log.seek(self._read)
            lines = [line.split() for line in log]
            self._read = log.tell()
        far = [int(sent) for address, sent in lines if address == "10.77.0.1"]
        near = [int(sent) for address, sent in lines if address != "10.77.0.1"]
        return ServerLoad(len(near), sum(near), len(far), sum(far))

    def close(self) -> None:
        self._process.kill()
        self._process.wait()


@contextmanager
def served_far(site: FarSite, root: Path, folder: Path, more: str = "") -> Iterator[WebServer]:
    server = WebServer(site, root, folder, more)
    try:
        yield server
    finally:
        server.close()


def clock_ahead(folder: Path, seconds: float) -> dict[str, str]:
    """An environment in which the clock of every process that runs Python shows another time."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sitecustomize.py").write_text(_CLOCK.format(seconds=int(seconds)))
    before = os.environ.get("PYTHONPATH", "")
    return {"PYTHONPATH": f"{folder}{os.pathsep}{before}" if before else str(folder)}


class FarHome:
    """Folders of a home, and the commands that a person would type there, in the environment of `later`, too."""

    def __init__(self, world: FarWorld, folder: Path) -> None:
        self._world, self._folder = world, folder
        self.later: Mapping[str, str] = {}
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, name: str) -> Path:
        return self._folder / name

    def run(self, *arguments: str, patience: float = PATIENCE_SECONDS) -> float:
        """One command to its end; the seconds it took."""
        began = time.monotonic()
        done = subprocess.run(
            self._world.home.inside(whimbrel(*arguments)), env={**settings(), **self.later}, cwd=self._folder,
            timeout=patience, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise MissingTool(f"`whimbrel {' '.join(arguments)}` ended with {done.returncode}: {done.stderr[-500:]}")
        return time.monotonic() - began

    def start(self, *arguments: str) -> "subprocess.Popen[bytes]":
        return self._world.home.start(whimbrel(*arguments), self._folder / "said.log")

    def crawl(self, name: str, seed: str, *options: str) -> float:
        crawl = ("crawl", seed, "--repo", str(self.path(name)), "--twins-time", "0", "--json")
        return self.run(*crawl, *options)

    def refresh(self, name: str, *options: str) -> float:
        return self.run("refresh", "--all", "--repo", str(self.path(name)), "--twins-time", "0", "--json", *options)

    def kept(self, name: str) -> int:
        with open_reader(self.path(name)) as reader:
            return reader.overview().counts.pages

    def invite(self, name: str, place: str, hosts: Sequence[str]) -> str:
        sites = [word for host in hosts for word in ("--sites", host)]
        listen = f"{self._world.address}:{SERVER_PORT}"
        command = whimbrel(
            "places", "invite", place, *sites, "--listen", listen, "--repo", str(self.path(name)), "--json"
        )
        done = subprocess.run(self._world.home.inside(command), env=settings(), capture_output=True, check=True)
        code: str = json.loads(done.stdout)["code"]
        return code


class FarPlace:
    """A place that joined; `run` starts its program."""

    def __init__(self, site: FarSite, folder: Path, environment: Mapping[str, str] = {}) -> None:
        self._site, self.folder, self._environment = site, folder, environment
        self._process: subprocess.Popen[bytes] | None = None

    def join(self, home: FarHome, name: str, hosts: Sequence[str], place: str = PLACE) -> None:
        code = home.invite(name, place, hosts)
        opened = home.start("places", "open", "--repo", str(home.path(name)))
        try:
            for _ in range(20):  # home may not listen yet
                command = self._site.machine.inside(whimbrel("place", "join", code, "--dir", str(self.folder)))
                done = subprocess.run(command, env=settings(), capture_output=True, text=True, check=False)
                if "Joined." in done.stdout:
                    return
                time.sleep(0.5)
        finally:
            opened.terminate()
            opened.wait()
        raise MissingTool(f"the place could not join: {done.stdout} {done.stderr}")

    def allow(self, folders: Sequence[tuple[str, Path]] = (), **changes: str) -> None:
        """Alters lines of place.toml, and maps folders."""
        terms = self.folder / "place.toml"
        lines = terms.read_text().splitlines()
        for key, value in changes.items():
            lines = [f"{key} = {value}" if line.startswith(f"{key} =") else line for line in lines]
        lines += [f'[[folder]]\nurl = "{url}"\npath = "{path}"' for url, path in folders]
        terms.write_text("\n".join(lines) + "\n")

    def run(self) -> None:
        self._process = self._site.machine.start(
            whimbrel("place", "run", "--dir", str(self.folder)), self.folder.with_suffix(".log"), self._environment
        )

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def cpu_seconds(self) -> float:
        """Of the program and of all migrants that have ended."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@contextmanager
def place_at(site: FarSite, folder: Path, environment: Mapping[str, str] = {}) -> Iterator[FarPlace]:
    place = FarPlace(site, folder, environment)
    try:
        yield place
    finally:
        place.kill()


def _await(so: "object", otherwise: str) -> None:
    ends = time.monotonic() + START_SECONDS
    while not so():  # type: ignore[operator]
        if time.monotonic() > ends:
            raise MissingTool(otherwise)
        time.sleep(0.02)
