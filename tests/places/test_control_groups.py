"""The owner's limits, kept by the kernel itself, where a control group with processor and memory may be had: for root
on a machine that has the second hierarchy alone. `tests/places/test_caps.py` tries it on files that look like one."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

SECONDS = 5.0
CORES = 0.25
MEMORY = 160_000_000

PROGRAM = """
import json, os, subprocess, sys, time
from whimbrel.places.at.caps import Capped, ControlGroup, taken_by
cores, memory, seconds = float(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
sys.stdin.readline()
group = ControlGroup.found()
assert group is not None
own = open("/proc/self/cgroup").read().split("0::")[1].split()[0]
group.limit(cores, memory)
busy = lambda: subprocess.Popen([sys.executable, "-S", "-c", "input()\\nwhile True: pass"], stdin=subprocess.PIPE)
started = [busy(), busy(), busy()]
for process, home in zip(started, ("one", "one", "two")):
    group.add(Capped(process.pid, home))
group.share(("one", "two"), cores)
for process in started:
    process.stdin.write(b"\\n"); process.stdin.flush()
began = time.monotonic()
time.sleep(seconds)
used = [taken_by(process.pid).cpu_seconds for process in started]
took = time.monotonic() - began
for process in started:
    process.kill(); process.wait()
eater = subprocess.Popen([sys.executable, "-S", "-c", "input(); held = bytearray(400_000_000)"], stdin=subprocess.PIPE)
group.add(Capped(eater.pid, "two"))
eater.communicate(b"\\n")
group.close()
left = [name for name in os.listdir(sys.argv[4]) if name == "migrants"]
print(json.dumps({"own": own, "used": used, "took": took, "eater": eater.returncode, "left": left}))
"""


class Said(msgspec.Struct):
    """What the program saw. `used` are seconds of the processor, of two processes of one home and one of another."""

    own: str
    used: list[float]
    took: float
    eater: int
    left: list[str]


@pytest.fixture
def group() -> Iterator[Path]:
    """One that is ours, with both controllers, as a unit of systemd with `Delegate=yes` has."""
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    root = next((Path(fields[1]) for fields in mounts if fields[2] == "cgroup2"), None)
    made = root / f"whimbrel-test-{os.getpid()}" if root is not None else None
    try:
        if root is None or made is None:
            pytest.skip("there is no second hierarchy of control groups here")
        (root / "cgroup.subtree_control").write_text("+cpu +memory\n")
        made.mkdir()
    except OSError as error:
        pytest.skip(f"no control group with processor and memory may be had here: {error}")
    yield made
    for below in (*made.glob("*/*/"), *made.glob("*/"), made):
        with suppress(OSError):
            below.rmdir()


def test_the_kernel_keeps_what_the_owner_allows(group: Path) -> None:
    """No quarter of a core is passed, each home has its half of it, and who eats memory is ended, not the program."""
    arguments = [str(CORES), str(MEMORY), str(SECONDS), str(group)]
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    (group / "cgroup.procs").write_text(f"{program.pid}\n")
    out, _ = program.communicate(b"placed\n")
    assert program.returncode == 0
    said = msgspec.json.decode(out, type=Said)
    assert said.own.endswith("/program"), "in a leaf of its own"
    assert 0 < sum(said.used) <= 1.1 * CORES * said.took + 0.1
    one, two = said.used[0] + said.used[1], said.used[2]
    assert one <= 0.55 * CORES * said.took + 0.1, "a home with two processes has no more than its half"
    assert two >= 0.7 * one
    assert said.eater == -9, "the kernel ended it"
    assert said.left == [], "nothing is left of the migrants' groups"
