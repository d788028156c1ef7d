"""Runs of the crawler as a user starts it, and what the server and this machine counted meanwhile."""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

from msgspec import Struct

from whimbrel.bench import peers
from whimbrel.bench.machine import MissingTool
from whimbrel.bench.refresh_site import CountingServer, ServedCount
from whimbrel.repository.engines import open_reader

Answer = dict[str, object]


class Took(Struct, frozen=True):
    """One run: what the server counted, what the folder grew by, and what it cost."""

    counted: ServedCount
    seconds: float
    cpu_seconds: float
    urls: int
    pages: int
    archived_bytes: int
    """By how much the archive grew: what a migrant carries home of the bodies, compressed."""


class Runs:
    """Crawls and refreshes of one server, one after another, in folders below `work`."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self.count = 0

    def crawl(self, server: CountingServer, folder: Path) -> Took:
        return self._run(server, folder, "crawl", f"{server.origin}/index.html")[0]

    def refresh(self, server: CountingServer, folder: Path, *options: str) -> tuple[Took, Answer]:
        return self._run(server, folder, "refresh", *options)

    def _run(self, server: CountingServer, folder: Path, *arguments: str) -> tuple[Took, Answer]:
        server.take_count()
        self.count += 1
        command = [sys.executable, "-P", "-m", "whimbrel", *arguments, "--repo", str(folder), "--json"]
        settings = peers.settings() | {"WHIMBREL_REFRESH_GONE_AFTER_SECONDS": "0", "WHIMBREL_CRAWL_MIGRANTS": "1"}
        archived = _archived(folder)
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(command, cwd=self.work, env=settings, capture_output=True, text=True)
        seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            raise MissingTool(f"{' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        with open_reader(folder) as reader:
            counts = reader.counts()
        took = Took(server.take_count(), seconds, cpu, counts.known, counts.pages, _archived(folder) - archived)
        return took, json.loads(done.stdout.splitlines()[-1])


def _archived(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.warc.gz")) if folder.is_dir() else 0
