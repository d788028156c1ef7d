"""A crawl of ours as a process of its own that can be watched while it runs, and what it left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec import Struct

from whimbrel.bench import peers
from whimbrel.bench.machine import family, proportional_bytes
from whimbrel.migrants.home.control import ask
from whimbrel.repository.engines import open_reader

FAREWELL_SECONDS = 30.0


class CrawlCost(Struct, frozen=True):
    """What a crawl took, home and migrants together, and what it said at its end."""

    seconds: float
    cpu_seconds: float
    exit_code: int
    answer: dict[str, Any]

    @property
    def home_cpu_seconds(self) -> float:
        return float(self.answer.get("cpu_seconds", {}).get("home", 0.0))

    @property
    def faults(self) -> tuple[str, ...]:
        return () if self.exit_code == 0 else (f"the crawl ended with {self.exit_code}: {self.answer.get('words')}",)


class MeasuredCrawl:
    """A crawl under way."""

    def __init__(self, process: "subprocess.Popen[bytes]", folder: Path, said: Path, began: float) -> None:
        self._process = process
        self._said = said
        self._began = began
        self.folder = folder

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def migrants(self) -> list[dict[str, Any]]:
        """Those that have said hello; none where home does not listen yet, or no more."""
        answer = ask(self.folder, {"ask": "migrants"}) or {}
        told: list[dict[str, Any]] = answer.get("migrants", [])  # type: ignore[assignment]
        return [one for one in told if one["state"] == "active"]

    def kill_one(self) -> str:
        """Ends the migrant that holds most hosts, without a word; says whom, "" where there is none."""
        alive = self.migrants()
        if not alive:
            return ""
        victim = max(alive, key=lambda one: one["host_count"])
        os.kill(victim["pid"], signal.SIGKILL)
        return f"{victim['name']}, which held {victim['host_count']} hosts"

    def proportional_bytes(self) -> int:
        """The memory of all its processes; pages that several share count once."""
        return sum(proportional_bytes(pid) for pid in family(self.pid))

    def wait(self) -> CrawlCost:
        # wait4 counts what the process used and what the children used that it waited for.
        _, status, usage = os.wait4(self.pid, 0)
        seconds = time.perf_counter() - self._began
        self._process.returncode = os.waitstatus_to_exitcode(status)
        lines = self._said.read_text("utf-8").splitlines()
        answer = json.loads(lines[-1]) if lines and lines[-1].startswith("{") else {"words": "nothing said"}
        return CrawlCost(seconds, usage.ru_utime + usage.ru_stime, self._process.returncode, answer)


@contextmanager
def crawling(seeds: Sequence[str], folder: Path, cores: Collection[int], *options: str) -> Iterator[MeasuredCrawl]:
    """Begins `whimbrel crawl` into `folder/data`; whoever leaves the block early ends it."""
    listed, said = folder / "seeds.txt", folder / "said.json"
    listed.write_text("".join(f"{seed}\n" for seed in seeds))
    data = folder / "data"
    crawl = [sys.executable, "-P", "-m", "whimbrel", "crawl", "--seeds", str(listed), "--repo", str(data)]
    ours = os.sched_getaffinity(0)
    with said.open("wb") as out, (folder / "errors.txt").open("wb") as errors:
        began = time.perf_counter()
        # A new process inherits the affinity of the thread that starts it, and passes it on.
        os.sched_setaffinity(0, set(cores))
        try:
            process = subprocess.Popen(
                [*crawl, "--json", *options],
                cwd=folder, env=peers.settings(), stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
            )  # fmt: skip
        finally:
            os.sched_setaffinity(0, ours)
    try:
        yield MeasuredCrawl(process, data, said, began)
    finally:
        if process.returncode is None and process.poll() is None:
            process.terminate()
            try:
                process.wait(FAREWELL_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class Contents(Struct, frozen=True):
    """Which URLs a folder knows and what became of each, in one digest: two folders that agree hold the same."""

    urls: int
    pages: int
    digest: str


def contents(folder: Path, origin: str = "") -> Contents:
    """URLs, outcomes and the digests of the kept bodies; `origin` is left out, as ports differ from run to run."""
    with open_reader(folder) as reader:
        bodies = {page.url: page.digest.hex() for page in reader.pages()}
        rows = sorted(
            f"{one.url.removeprefix(origin)} {one.outcome} {bodies.get(one.url, '')}" for one in reader.urls()
        )
    return Contents(len(rows), len(bodies), sha256("\n".join(rows).encode()).hexdigest()[:16])
