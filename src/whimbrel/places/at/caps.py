"""The owner's limits on what migrants take of the machine, kept by somebody who is not a migrant.

Where a control group may be had (cgroup v2, a subtree that is ours, as systemd gives with `Delegate=yes`), the kernel
keeps them. Elsewhere this program looks every tenth of a second what its migrants took, stops those of a home that had
its share of the processor until their time has come again, and ends the largest when all together hold too much memory.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

LOOK_SECONDS = 0.1
BURST_SECONDS = 0.5
"""So much of a share that was not used can be made up for later, and no more than what two seconds bring: of a small
share half a second would be a tenth of a minute's."""
PERIOD_MICROSECONDS = 100_000
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Capped(Struct, frozen=True):
    """A migrant's process, and whose it is."""

    pid: int
    home: str


class MachineUse(Struct, frozen=True):
    """What a process had of the processor since it began, and what it holds of memory now."""

    cpu_seconds: float
    memory_bytes: int


def taken_by(pid: int, proc: Path = Path("/proc")) -> MachineUse | None:
    """With what its children had and have: a filter of pages runs in one. None where it is gone."""
    try:
        fields = (proc / str(pid) / "stat").read_text().rpartition(")")[2].split()
        resident = int((proc / str(pid) / "statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return None
    below = [taken for child in _children(proc / str(pid)) if (taken := taken_by(child, proc)) is not None]
    return MachineUse(
        sum(map(int, fields[11:15])) / _TICKS + sum(one.cpu_seconds for one in below),
        resident * _PAGE + sum(one.memory_bytes for one in below),
    )


def _children(process: Path) -> list[int]:
    """Of all its threads, where the kernel tells (CONFIG_PROC_CHILDREN)."""
    found: list[int] = []
    with suppress(OSError):
        for thread in (process / "task").iterdir():
            with suppress(OSError):
                found += map(int, (thread / "children").read_text().split())
    return found


class CpuShare:
    """What one home may have of the processor, as a bucket that fills with time: whoever took more waits."""

    def __init__(self, now: float) -> None:
        self._at = now
        self.left = BURST_SECONDS

    def spend(self, used: float, cores: float, now: float) -> bool:
        """Whether more may be used now."""
        self.left = min(BURST_SECONDS, 2.0 * cores, self.left + cores * (now - self._at)) - used
        self._at = now
        return self.left > 0


class Watchdog:
    """`look` is called often, with the migrants that are there. What is left of a share is not lent to others."""

    def __init__(self, end: Callable[[int, str], None]) -> None:
        self._end = end
        self._shares: dict[str, CpuShare] = {}
        self._known: dict[int, float] = {}
        self._stopped: set[int] = set()

    def look(self, capped: Iterable[Capped], cores: float, memory_bytes: int, now: float) -> None:
        there = {one: taken for one in capped if (taken := taken_by(one.pid)) is not None}
        homes = {one.home for one in there}
        for home in homes:
            self._share(
                home, {one.pid: taken for one, taken in there.items() if one.home == home}, cores / len(homes), now
            )
        self._shares = {home: share for home, share in self._shares.items() if home in homes}
        self._known = {one.pid: taken.cpu_seconds for one, taken in there.items()}
        self._stopped &= self._known.keys()
        held = sum(taken.memory_bytes for taken in there.values())
        if held > memory_bytes:
            largest = max(there, key=lambda one: there[one].memory_bytes)
            self._end(largest.pid, f"migrants hold {held / 1e6:.0f} MB, more than the owner allows")

    def _share(self, home: str, pids: dict[int, MachineUse], cores: float, now: float) -> None:
        share = self._shares.setdefault(home, CpuShare(now))
        used = sum(taken.cpu_seconds - self._known.get(pid, 0.0) for pid, taken in pids.items())
        may = share.spend(used, cores, now)
        for pid in pids:
            if may and pid in self._stopped:
                _signal(pid, signal.SIGCONT)
                self._stopped.discard(pid)
            elif not may and pid not in self._stopped:
                _signal(pid, signal.SIGSTOP)
                self._stopped.add(pid)


def _signal(pid: int, which: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, which)


class ControlGroup:
    """A subtree of control groups for the migrants of this place, one for each home."""

    def __init__(self, own: Path) -> None:
        self._own = own
        self._migrants = own / "migrants"

    @classmethod
    def found(cls, proc: Path = Path("/proc/self")) -> "ControlGroup | None":
        """Ours, where the kernel has one for us and lets us write; None elsewhere."""
        try:
            line = next(line for line in (proc / "cgroup").read_text().splitlines() if line.startswith("0::"))
            mounts = [line.split() for line in (proc / "mounts").read_text().splitlines()]
            root = next(fields[1] for fields in mounts if fields[2] == "cgroup2")
            group = cls(Path(root) / line[3:].lstrip("/"))
            return group if group._take_over() else None
        except (OSError, StopIteration):
            return None

    def _take_over(self) -> bool:
        """This program goes into a leaf of its own: a group with processes cannot limit groups below it."""
        offered = (self._own / "cgroup.controllers").read_text().split()
        if not {"cpu", "memory"} <= set(offered):
            return False
        leaf = self._own / "program"
        leaf.mkdir(exist_ok=True)
        (leaf / "cgroup.procs").write_text(f"{os.getpid()}\n")
        for group in (self._own, self._migrants):
            group.mkdir(exist_ok=True)
            (group / "cgroup.subtree_control").write_text("+cpu +memory\n")
        return True

    def limit(self, cores: float, memory_bytes: int) -> None:
        _set_cores(self._migrants, cores)
        (self._migrants / "memory.max").write_text(f"{memory_bytes}\n")
        with suppress(OSError):  # a kernel without swap accounting has no such file
            (self._migrants / "memory.swap.max").write_text("0\n")

    def add(self, one: Capped) -> None:
        group = self._migrants / one.home[:16]
        group.mkdir(exist_ok=True)
        with suppress(ProcessLookupError):
            (group / "cgroup.procs").write_text(f"{one.pid}\n")

    def share(self, homes: Iterable[str], cores: float) -> None:
        """Equal parts, whoever has more processes: by weights alone, two on two cores get twice what one does."""
        groups = {home[:16] for home in homes}
        for name in groups:
            _set_cores(self._migrants / name, cores / len(groups))

    def close(self) -> None:
        """Groups without processes are taken away."""
        for group in (*self._migrants.glob("*/"), self._migrants):
            with suppress(OSError):
                group.rmdir()


def _set_cores(group: Path, cores: float) -> None:
    quota = max(1000, round(cores * PERIOD_MICROSECONDS))
    (group / "cpu.max").write_text(f"{quota} {PERIOD_MICROSECONDS}\n")


class Caps:
    """Keeps the limits while `run` runs; `there` says who is there and what is allowed."""

    def __init__(self, there: Callable[[], list[Capped]], end: Callable[[int, str], None]) -> None:
        self._there = there
        self._end = end
        self.group = ControlGroup.found()
        self._in_group: set[int] = set()
        self._limits: tuple[float, int] | None = None
        self._shared: tuple[frozenset[str], float] | None = None

    @property
    def words(self) -> str:
        return (
            "a control group of the kernel"
            if self.group is not None
            else "a watchdog: no control group may be had here"
        )

    async def run(self, allowed: Callable[[], tuple[float, int]]) -> None:
        loop = asyncio.get_running_loop()
        watchdog = Watchdog(self._end)
        try:
            while True:
                await asyncio.sleep(LOOK_SECONDS)
                cores, memory_bytes = allowed()
                if self.group is None or not self._grouped(self.group, cores, memory_bytes):
                    watchdog.look(self._there(), cores, memory_bytes, loop.time())
        finally:
            if self.group is not None:
                self.group.close()

    def _grouped(self, group: ControlGroup, cores: float, memory_bytes: int) -> bool:
        """False where the kernel does not take it after all: then the watchdog looks."""
        try:
            if self._limits != (cores, memory_bytes):
                group.limit(cores, memory_bytes)
                self._limits = cores, memory_bytes
            there = self._there()
            for one in there:
                if one.pid not in self._in_group:
                    group.add(one)
            self._in_group = {one.pid for one in there}
            self._shared = self._share(group, frozenset(one.home for one in there), cores)
        except OSError:
            self.group = None
            return False
        return True

    def _share(self, group: ControlGroup, homes: frozenset[str], cores: float) -> tuple[frozenset[str], float]:
        if (homes, cores) != self._shared:
            group.share(homes, cores)
        return homes, cores
