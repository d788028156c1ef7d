"""This machine: what it is, what it has installed, and what a command costs on one of its cores."""

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

SAMPLE_SECONDS = 0.25
PATIENCE_SECONDS = 3_600.0

Say: TypeAlias = Callable[[str], None]
"""Tells the user what is being done."""


class MissingTool(Exception):
    """Something that measuring needs is not here; the message says how to get it."""


class Machine(Struct, frozen=True):
    model: str
    cores: int
    load: float
    disk: str


class CommandCost(Struct, frozen=True):
    """What a command took, all its descendants included. `said` is the end of what it printed."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int
    exit_code: int
    said: str


class Cores(Struct, frozen=True):
    """Where the measured runs, and where everything that serves or watches it runs."""

    measured: int
    beside: int


def describe(folder: Path) -> Machine:
    cpu = Path("/proc/cpuinfo").read_text()
    model = next((line.partition(":")[2].strip() for line in cpu.splitlines() if line.startswith("model name")), "")
    return Machine(model or "unknown", len(os.sched_getaffinity(0)), os.getloadavg()[0], _file_system(folder))


def cores() -> Cores:
    allowed = sorted(os.sched_getaffinity(0))
    return Cores(allowed[0], allowed[1] if len(allowed) > 1 else allowed[0])


def need_package(program: Path, package: str, say: Say) -> None:
    """Installs the Debian package that brings `program` where we may, else names the command."""
    if program.exists():
        return
    command = f"apt-get install --no-install-recommends {package}"
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise MissingTool(f"{program} is missing. Run: {command}")
    say(f"{program} is missing; installing the Debian package {package}")
    # Small images leave /usr/share/doc out; at run level 1 a freshly installed server is not started.
    settings = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    apt = ["apt-get", "-qq", "-o", "Dpkg::Options::=--path-include=/usr/share/doc/*", "-o", "DPkg::Lock::Timeout=120"]
    install = [*apt, "install", "--yes", "--no-install-recommends", package]
    for attempt in (install, [*apt, "update"], install):
        subprocess.run(attempt, env=settings, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
        if program.exists():
            return
    raise MissingTool(f"{package} could not be installed. Look at what this says: {command}")


def measure(command: list[str], core: int, folder: Path, settings: Mapping[str, str]) -> CommandCost:
    """Runs a command in `folder` on one core to its end."""
    log = folder / "said.log"
    with log.open("wb") as out:
        ours = os.sched_getaffinity(0)
        began = time.perf_counter()
        # A new process inherits the affinity of the thread that starts it, and passes it on.
        os.sched_setaffinity(0, {core})
        try:
            process = subprocess.Popen(
                command, cwd=folder, env=settings, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
            )
        finally:
            os.sched_setaffinity(0, ours)
        watcher = Watcher(process.pid)
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            watcher.stop()
            raise
        seconds = time.perf_counter() - began
        peak = max(watcher.stop(), usage.ru_maxrss * 1024)
    process.returncode = os.waitstatus_to_exitcode(status)
    # wait4 counts what the process used and what the children used that it waited for.
    cpu_seconds = usage.ru_utime + usage.ru_stime
    said = log.read_bytes()[-2000:].decode("utf-8", "replace").strip()
    return CommandCost(seconds, cpu_seconds, peak, process.returncode, said)


class Watcher:
    """Adds up the memory of a process and its descendants from time to time; shared pages count once."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._peak = 0
        self._ended = threading.Event()
        self._deadline = time.monotonic() + PATIENCE_SECONDS
        self._thread = threading.Thread(target=self.watch, name="memory", daemon=True)
        self._thread.start()

    def stop(self) -> int:
        self._ended.set()
        self._thread.join()
        return self._peak

    def watch(self) -> None:
        while not self._ended.wait(SAMPLE_SECONDS):
            self._peak = max(self._peak, sum(proportional_bytes(pid) for pid in family(self._pid)))
            if time.monotonic() > self._deadline:
                os.kill(self._pid, 9)
                return


def family(pid: int) -> Iterator[int]:
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in children:
        yield from family(int(child))


def proportional_bytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def _file_system(folder: Path) -> str:
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    inside = [m for m in mounts if folder.resolve().is_relative_to(m[1])]
    return max(inside, key=lambda mount: len(mount[1]))[2] if inside else "unknown"
