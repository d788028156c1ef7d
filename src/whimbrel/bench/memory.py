"""`bench memory`: what home and its migrants hold while they crawl a site that is larger than they could remember."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean, linear_regression

from msgspec import Struct

from whimbrel.bench import generated, machine, peers
from whimbrel.bench.crawling import MeasuredCrawl, crawling
from whimbrel.bench.goals import Goal, at_most, below
from whimbrel.bench.machine import Machine, MissingTool, Say
from whimbrel.migrants.home.control import ask
from whimbrel.repository.engines import open_reader

GOAL_BYTES = 500_000_000
GOAL_GROWTH = 0.05
PAGE_DISK_BYTES = 4_500
"""What a generated page takes in a folder, archive, text and database together, measured with 20,000 of them."""

PAGES_A_SECOND = 900
"""What to expect of two cores that also serve; only for the words that are said before."""

SAMPLES = 300
"""Of a whole run, about: a curve with more points shows no more."""

FIRST_PAUSE_SECONDS = 0.01
TELL_EVERY = 20


class MemoryTrial(Struct, frozen=True):
    """`sample_seconds` of 0 follows from the size: every few seconds where a crawl takes many minutes."""

    pages: int
    migrants: int
    work: Path
    sample_seconds: float = 0.0

    @property
    def disk_bytes(self) -> int:
        return self.pages * PAGE_DISK_BYTES

    @property
    def seconds(self) -> float:
        return self.pages / PAGES_A_SECOND


class MemorySample(Struct, frozen=True):
    """`pages` are those that are durable at that moment."""

    seconds: float
    pages: int
    bytes: int


class MemoryReport(Struct, frozen=True):
    """`growth` is how much a straight line through the second half of the pages rises, as a part of its middle."""

    pages: int
    fetched: int
    migrants: int
    machine: Machine
    seconds: float
    cpu_seconds: float
    disk_bytes: int
    most_bytes: int
    growth: float
    curve: list[MemorySample]
    faults: tuple[str, ...]


def forecast(plan: MemoryTrial) -> tuple[int, int]:
    """Bytes of disk wanted and free; raises `MissingTool` where it cannot fit."""
    free = shutil.disk_usage(plan.work).free
    if free < plan.disk_bytes:
        raise MissingTool(
            f"{plan.pages} pages take about {plan.disk_bytes / 1e9:.1f} GB, and {plan.work} has {free / 1e9:.1f} GB "
            "left. Name a larger disk with --work, or fewer --pages."
        )
    return plan.disk_bytes, free


def goals(report: MemoryReport) -> list[Goal]:
    return [
        below("MB of all processes together, at most", report.most_bytes / 1e6, GOAL_BYTES / 1e6),
        at_most("growth over the second half of the pages", report.growth, GOAL_GROWTH),
    ]


def run(plan: MemoryTrial, say: Say) -> MemoryReport:
    needed, free = forecast(plan)
    say(
        f"{plan.pages} pages, {plan.migrants} migrants: about {plan.seconds / 60:.0f} min and "
        f"{needed / 1e9:.1f} GB of disk ({free / 1e9:.0f} GB are free)"
    )
    began = machine.describe(plan.work)
    with _serving(plan.pages) as origin:
        options = ("--migrants", str(plan.migrants))
        with crawling([f"{origin}/"], plan.work, os.sched_getaffinity(0), *options) as crawl:
            curve = []
            for sample in _watch(crawl, plan.sample_seconds or max(0.5, plan.seconds / SAMPLES)):
                curve.append(sample)
                if len(curve) % TELL_EVERY == 0:
                    say(f"{sample.pages} pages, {sample.bytes / 1e6:.0f} MB, {sample.seconds / 60:.1f} min")
            ended = crawl.wait()
    with open_reader(crawl.folder) as reader:
        fetched = reader.counts().pages
    faults = list(ended.faults)
    if fetched != plan.pages:
        faults.append(f"{fetched} pages fetched where there are {plan.pages}")
    return MemoryReport(
        pages=plan.pages,
        fetched=fetched,
        migrants=plan.migrants,
        machine=began,
        seconds=ended.seconds,
        cpu_seconds=ended.cpu_seconds,
        disk_bytes=sum(file.stat().st_size for file in crawl.folder.rglob("*") if file.is_file()),
        most_bytes=max((sample.bytes for sample in curve), default=0),
        growth=growth(curve, fetched),
        curve=curve,
        faults=tuple(faults),
    )


def growth(curve: Sequence[MemorySample], pages: int) -> float:
    """By how much memory grows from half of the pages to all of them, on the line that fits best."""
    half = [sample for sample in curve if sample.pages >= pages / 2]
    if len({sample.pages for sample in half}) < 2:
        return 0.0
    line = linear_regression([sample.pages for sample in half], [sample.bytes for sample in half])
    return line.slope * (pages / 2) / fmean(sample.bytes for sample in half)


def _watch(crawl: MeasuredCrawl, every_seconds: float) -> Iterator[MemorySample]:
    """Often at first, so that a crawl of a moment is seen too; a crawl that does not answer yet has no pages."""
    began, pause, pages = time.monotonic(), FIRST_PAUSE_SECONDS, 0
    while crawl.running:
        progress = ask(crawl.folder, {"ask": "progress"}) if crawl.folder.exists() else None
        pages = pages if progress is None else int(str(progress["pages"]))
        if taken := crawl.proportional_bytes():
            yield MemorySample(round(time.monotonic() - began, 1), pages, taken)
        _pause(crawl, pause)
        pause = min(every_seconds, 1.5 * pause)


def _pause(crawl: MeasuredCrawl, seconds: float) -> None:
    until = time.monotonic() + seconds
    while crawl.running and time.monotonic() < until:
        time.sleep(min(0.1, seconds))


@contextmanager
def _serving(pages: int) -> Iterator[str]:
    server = subprocess.Popen(
        [sys.executable, "-P", "-m", generated.__name__, str(pages)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=peers.settings(),
    )  # fmt: skip
    assert server.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(server.stdout.readline())}"
    finally:
        server.communicate()
