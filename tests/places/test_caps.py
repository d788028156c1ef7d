"""The owner's limits are kept by somebody else than those they limit, and measured here."""

import itertools
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from neighbours import allow, at_work, crawl_far, join

from folders import crawl, everything
from whimbrel.places.at.caps import BURST_SECONDS, Capped, ControlGroup, CpuShare, Watchdog, taken_by
from whimbrel.places.at.diary import leaves
from whimbrel.testing.web import TinyWeb, site

BUSY = "while True: pass"
LARGE = "held = bytearray(120_000_000); print('held', flush=True); import time; time.sleep(600)"


@pytest.fixture
def processes() -> "Iterator[list[subprocess.Popen[bytes]]]":
    running: list[subprocess.Popen[bytes]] = []
    yield running
    for process in running:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def start(running: "list[subprocess.Popen[bytes]]", code: str) -> int:
    running.append(subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE))
    return running[-1].pid


def test_a_share_fills_with_time_and_never_beyond_a_little() -> None:
    share = CpuShare(0.0)
    assert share.spend(BURST_SECONDS - 0.1, 0.25, 0.0)
    assert not share.spend(0.2, 0.25, 0.1)
    assert not share.spend(0.0, 0.25, 0.2)
    assert share.spend(0.0, 0.25, 1.0)
    assert share.left == pytest.approx(0.15)
    share.spend(0.0, 0.25, 1000.0)
    assert share.left == BURST_SECONDS
    share.spend(0.0, 0.02, 2000.0)
    assert share.left == pytest.approx(0.04), "of a small share half a second would be much of a minute's"


def test_homes_have_a_quarter_of_a_core_between_them_and_no_more(processes: "list[subprocess.Popen[bytes]]") -> None:
    """CPU is measured against what was allowed by then; where a busy machine keeps the watchdog from looking, what two
    processes can take meanwhile is not held against it."""
    cores = 0.25
    capped = [Capped(start(processes, BUSY), home) for home in ("one", "two")]
    began = time.monotonic()
    dog = Watchdog(lambda pid, why: None)
    waiting = [process.stdout for process in processes]
    looked = [began]
    while looked[-1] - began < 4.0:
        dog.look(capped, cores, 10**12, time.monotonic())
        _pause(waiting)
        looked.append(time.monotonic())
    taken = [taken_by(one.pid) for one in capped]
    unseen = max(after - before for before, after in itertools.pairwise([*looked, time.monotonic()]))
    used = sum(one.cpu_seconds for one in taken if one is not None)
    # Both begin with what may be made up for, and each look lets one tenth of a second of two processes go by.
    assert used <= 1.1 * cores * (looked[-1] - began) + 2 * (BURST_SECONDS + 0.05 + unseen)
    assert all(one is not None and one.cpu_seconds > 0 for one in taken)


def _pause(pipes: Sequence[object]) -> None:
    """A tenth of a second in which nothing can happen but that a process ends."""
    select.select(pipes, [], [], 0.1)


def test_a_migrant_that_waits_dies_with_the_program_that_stopped_it(processes: "list[subprocess.Popen[bytes]]") -> None:
    program = """
import asyncio, os, signal
from whimbrel.migrants.wire.channel import HouseRules, Journey, Passport
from whimbrel.migrants.wire.local import Local
async def run():
    end = await Local().open(Journey(Passport("m1", bytes(32), "", True, HouseRules(sites=("127.0.0.1",)))))
    await asyncio.wait_for(end.receive(), 300)
    os.kill(end.peer().pid, signal.SIGSTOP)
    print(end.peer().pid, flush=True)
    await asyncio.sleep(600)
asyncio.run(run())
"""
    started = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    processes.append(started)
    assert started.stdout is not None
    migrant = int(started.stdout.readline())
    descriptor = os.pidfd_open(migrant)
    started.kill()
    started.wait()
    assert select.select([descriptor], [], [], 300)[0], "it is still there"
    os.close(descriptor)


def test_the_largest_is_ended_when_all_hold_too_much(processes: "list[subprocess.Popen[bytes]]") -> None:
    small, large = start(processes, BUSY), start(processes, LARGE)
    assert processes[1].stdout is not None
    assert processes[1].stdout.readline() == b"held\n"
    ended: list[int] = []

    def end(pid: int, why: str) -> None:
        assert "more than the owner allows" in why
        ended.append(pid)
        os.kill(pid, signal.SIGKILL)

    dog = Watchdog(end)
    dog.look([Capped(small, "one"), Capped(large, "two")], 64.0, 110_000_000, 0.1)
    assert ended == [large]
    processes[1].wait()
    dog.look([Capped(small, "one"), Capped(large, "two")], 64.0, 110_000_000, 0.2)
    assert ended == [large]


def test_what_a_migrant_has_others_do_counts_too(processes: "list[subprocess.Popen[bytes]]") -> None:
    """A filter of pages runs in a process of its own; this one ends with whoever started it."""
    child = f"{LARGE.partition(';')[0]}; sum(range(3_000_000)); print('held', flush=True); import sys; sys.stdin.read()"
    begun = f"subprocess.Popen([sys.executable, '-S', '-c', {child!r}], stdin=subprocess.PIPE)"
    parent = start(processes, f"import subprocess, sys; {begun}.wait()")
    assert processes[0].stdout is not None
    assert processes[0].stdout.readline() == b"held\n"
    taken = taken_by(parent)
    assert taken is not None
    assert taken.memory_bytes > 120_000_000
    ended: list[int] = []
    Watchdog(lambda pid, why: ended.append(pid)).look([Capped(parent, "one")], 64.0, 110_000_000, 0.1)
    assert ended == [parent]


def played_kernel(tmp_path: Path, controllers: str) -> Path:
    """The files of a kernel that gives us a control group of our own."""
    proc, own = tmp_path / "proc", tmp_path / "cgroup" / "place.service"
    proc.mkdir()
    (own / "migrants" / "f00d").mkdir(parents=True)
    (own / "program").mkdir()
    (own / "cgroup.controllers").write_text(f"{controllers}\n")
    (proc / "cgroup").write_text("5:memory:/\n0::/place.service\n")
    (proc / "mounts").write_text(f"proc /proc proc rw 0 0\ncgroup2 {tmp_path / 'cgroup'} cgroup2 rw 0 0\n")
    return proc


def test_a_control_group_is_told_what_the_owner_allows(tmp_path: Path) -> None:
    group = ControlGroup.found(played_kernel(tmp_path, "cpuset cpu io memory pids"))
    assert group is not None
    own = tmp_path / "cgroup" / "place.service"
    assert (own / "program/cgroup.procs").read_text() == f"{os.getpid()}\n"
    assert (own / "cgroup.subtree_control").read_text() == "+cpu +memory\n"
    group.limit(0.25, 500_000_000)
    assert (own / "migrants/cpu.max").read_text() == "25000 100000\n"
    assert (own / "migrants/memory.max").read_text() == "500000000\n"
    group.add(Capped(4711, "f00d"))
    (own / "migrants/beef").mkdir()
    group.share(["f00d", "beef"], 0.25)
    assert (
        (own / "migrants/f00d/cpu.max").read_text() == (own / "migrants/beef/cpu.max").read_text() == "12500 100000\n"
    )
    assert (own / "migrants/f00d/cgroup.procs").read_text() == "4711\n"


@pytest.mark.parametrize("controllers", ["", "cpu", "pids memory"])
def test_where_no_control_group_may_be_had_there_is_none(tmp_path: Path, controllers: str) -> None:
    assert ControlGroup.found(played_kernel(tmp_path, controllers)) is None
    assert ControlGroup.found(tmp_path / "nowhere") is None


def test_requests_come_no_faster_than_the_owner_allows(tmp_path: Path) -> None:
    folder, place = tmp_path / "far", tmp_path / "place"
    join(folder, place)
    allow(place, requests_per_second="20")
    with TinyWeb(site(40, 4, seed=3)) as web:
        with at_work(place):
            assert crawl_far(folder, web.url("/"), check_share=0.0).why == "finished"
        moments = [request.started for request in web.log if "robots" not in request.path]
    assert len(moments) >= 40
    assert (len(moments) - 1) / (moments[-1] - moments[0]) <= 1.1 * 20


def test_no_more_bytes_leave_in_a_day_than_the_owner_allows(tmp_path: Path) -> None:
    """The rest comes from home, and nothing is missing."""
    folder, place = tmp_path / "far", tmp_path / "place"
    join(folder, place)
    allow(place, requests_per_second="1000", bytes_a_day='"20kB"')
    with TinyWeb(site(300, 4, seed=4)) as web, at_work(place):
        crawl(tmp_path / "local", web.url("/"))
        assert crawl_far(folder, web.url("/"), check_share=0.0).why == "finished"
    left = sum(leaf.bytes for leaf in leaves(place))
    assert 0 < left <= 1.1 * 20_000
    assert everything(folder) == everything(tmp_path / "local")
