"""Whatever dies, and whenever: nothing acknowledged is lost, nothing is stored twice, the end is the same."""

import os
import re
import shutil
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from folders import COMMAND, check_archives, consistent, everything, finish, rows, start
from whimbrel.testing.web import Request, TinyWeb, site

PAGES = 120
POINTS = 40
QUICK = 5
"""Every fifth point is struck in every run, home and migrant in turn; the others in the long one."""


class Killing(TinyWeb):
    """Calls `strike` when the n-th request arrives."""

    def __init__(self, strike_at: int = 0) -> None:
        super().__init__(site(PAGES, 6, seed=11, duplicates=10, redirects=6, missing=4), port=0)
        self.strike_at = strike_at
        self.strike: Callable[[], None] = lambda: None

    def _record(self, request: Request) -> int:
        number = super()._record(request)
        if len(self.log) == self.strike_at:
            self.strike()
        return number


@pytest.fixture(scope="module")
def web() -> Iterator[Killing]:
    with Killing() as serving:
        yield serving


@pytest.fixture(scope="module")
def clean(web: Killing, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[object, ...]]:
    folder = tmp_path_factory.mktemp("clean")
    finish(folder, web.url("/"))
    return everything(folder)


def migrant_of(home: int) -> int:
    children = Path(f"/proc/{home}/task/{home}/children").read_text().split()
    return int(children[0]) if children else home


def kept(folder: Path) -> dict[object, object]:
    if not (folder / "crawl.sqlite").exists() or not rows(folder, "SELECT 1 FROM sqlite_master WHERE name = 'version'"):
        return {}
    return dict(rows(folder, "SELECT url, max(id) FROM version GROUP BY url"))


@pytest.mark.parametrize(
    "point", [pytest.param(point, marks=[pytest.mark.long] if point % QUICK else []) for point in range(POINTS)]
)
def test_kill_nine_at_any_moment(web: Killing, clean: list[tuple[object, ...]], tmp_path: Path, point: int) -> None:
    """Even points kill home, odd ones the migrant; the points spread over all requests of the run."""
    web.log.clear()
    web.strike_at = 2 + point * (PAGES + 16) // POINTS
    struck = threading.Event()
    running: list[subprocess.Popen[str]] = []

    def strike() -> None:
        victim = running[0].pid if point % 2 == 0 else migrant_of(running[0].pid)
        os.kill(victim, signal.SIGKILL)
        struck.set()

    web.strike = strike
    running.append(start(tmp_path, web.url("/")))
    running[0].communicate(timeout=300)
    assert struck.is_set()
    before = kept(tmp_path)
    asked = len(web.log)
    web.strike_at = 0
    finish(tmp_path, web.url("/"))
    assert everything(tmp_path) == clean
    after = kept(tmp_path)
    assert before.items() <= after.items()
    again = {web.url(request.path) for request in web.log[asked:]}
    assert again.isdisjoint(before)
    consistent(tmp_path)
    check_archives(tmp_path)


def test_the_limit_is_exact_after_a_kill(web: Killing, tmp_path: Path) -> None:
    for number, limit in enumerate((1, 10, 33, 60, 100)):
        folder = tmp_path / str(limit)
        web.log.clear()
        web.strike_at = 1 + limit // 2 + number
        running: list[subprocess.Popen[str]] = []
        web.strike = lambda running=running: os.kill(running[0].pid, signal.SIGKILL)  # type: ignore[misc]
        running.append(start(folder, web.url("/"), "--limit", str(limit)))
        running[0].communicate(timeout=300)
        web.strike_at = 0
        finish(folder, web.url("/"), "--limit", str(limit))
        ((count,),) = rows(folder, "SELECT count(*) FROM url WHERE outcome = 'fetched'")
        assert count == limit
        consistent(folder)


def test_a_migrant_killed_is_replaced_within_the_run(
    web: Killing, clean: list[tuple[object, ...]], tmp_path: Path
) -> None:
    web.log.clear()
    web.strike_at = 40
    running: list[subprocess.Popen[str]] = []
    web.strike = lambda: os.kill(migrant_of(running[0].pid), signal.SIGKILL)
    running.append(start(tmp_path, web.url("/")))
    output, errors = running[0].communicate(timeout=300)
    assert running[0].returncode == 0, errors
    assert '"finished"' in output
    assert everything(tmp_path) == clean


def test_one_ctrl_c_ends_cleanly_and_the_same_command_goes_on(
    web: Killing, clean: list[tuple[object, ...]], tmp_path: Path
) -> None:
    web.log.clear()
    web.strike_at = 50
    running: list[subprocess.Popen[str]] = []
    web.strike = lambda: os.kill(running[0].pid, signal.SIGINT)
    running.append(start(tmp_path, web.url("/")))
    output, errors = running[0].communicate(timeout=300)
    assert running[0].returncode == 0, errors
    assert '"stopped"' in output
    web.strike_at = 0
    finish(tmp_path, web.url("/"))
    assert everything(tmp_path) == clean


# Faults of the disk, injected by strace into home's own system calls.

needs_strace = pytest.mark.skipif(
    shutil.which("strace") is None, reason="strace is missing; faults of the disk cannot be injected without it"
)


def traced(folder: Path, fault: str, calls: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    inject = f"inject={calls}:{fault}"
    strace = ["strace", "-f", "-y", "-qq", "-o", str(folder) + ".trace", "-e", f"trace={calls}", "-e", inject]
    return subprocess.run(
        [*strace, *COMMAND, *arguments, "--repo", str(folder)], capture_output=True, text=True, timeout=120
    )


def calls_that_matter(folder: Path, name: str) -> list[int]:
    """The numbers of the calls that touch the folder or speak to the other process; strace counts for each thread by
    itself. What an interpreter opens and reads on its way up is the same everywhere."""
    made: Counter[str] = Counter()
    matter: set[int] = set()
    trace = Path(str(folder) + ".trace").read_text()
    for thread, what in re.findall(rf"^(\d+) +{name}\((.*)", trace, re.MULTILINE):
        made[thread] += 1
        if f"{folder}/" in what or "socket:[" in what:
            matter.add(made[thread])
    return sorted(matter)


@needs_strace
@pytest.mark.parametrize(
    ("calls", "error", "when"),
    [("fdatasync", "EIO", 1), ("fdatasync", "EIO", 4), ("fdatasync", "ENOSPC", 7), ("pwrite64", "ENOSPC", 3),
     ("pwrite64", "ENOSPC", 30), ("pwrite64", "EIO", 60)],
)  # fmt: skip
def test_a_failing_disk_stops_the_crawl_aloud_and_harms_nothing(
    web: Killing, clean: list[tuple[object, ...]], tmp_path: Path, calls: str, error: str, when: int
) -> None:
    web.strike_at = 0
    folder = tmp_path / "data"
    done = traced(folder, f"error={error}:when={when}", calls, web.url("/"))
    assert "INJECTED" in Path(str(folder) + ".trace").read_text()
    assert done.returncode == 5, done.stdout + done.stderr
    assert "run the same command again" in done.stderr
    assert "Traceback" not in done.stderr
    before = kept(folder)
    finish(folder, web.url("/"))
    assert everything(folder) == clean
    assert before.items() <= kept(folder).items()
    consistent(folder)
    check_archives(folder)


@needs_strace
@pytest.mark.long
@pytest.mark.parametrize("calls", ["pwrite64", "fdatasync", "write", "ftruncate", "unlink", "openat"])
def test_kill_nine_at_every_write(web: Killing, clean: list[tuple[object, ...]], tmp_path: Path, calls: str) -> None:
    """Every single system call of its kind that touches the folder or the other process is the last one once."""
    web.strike_at = 0
    counted = tmp_path / "counted"
    traced(counted, "delay_enter=0:when=1", calls, web.url("/"))
    moments = calls_that_matter(counted, calls)
    assert moments
    for when in moments:
        folder = tmp_path / str(when)
        traced(folder, f"signal=KILL:when={when}", calls, web.url("/"))
        before = kept(folder)
        finish(folder, web.url("/"))
        assert everything(folder) == clean, f"{calls} number {when}"
        assert before.items() <= kept(folder).items()
        consistent(folder)
        shutil.rmtree(folder)
