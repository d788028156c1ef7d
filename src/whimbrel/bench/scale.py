"""`bench scale`: everything on one core with one migrant against everything on two cores with two."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from whimbrel.bench import crawl, figures, floor, machine, peers
from whimbrel.bench.crawling import Contents, contents, crawling
from whimbrel.bench.figures import PeerRun, Ratio, Spread, Summary
from whimbrel.bench.goals import Goal, at_least, at_most, holds
from whimbrel.bench.machine import Machine, MissingTool, Say
from whimbrel.bench.server import serving
from whimbrel.bench.site import reachable
from whimbrel.migrants.wire.local import ALLOCATOR

ONE = "one core, one migrant"
TWO = "two cores, two migrants"
GOAL_TIMES = 1.6
GOAL_CPU = 1.15


class ScaleTrial(Struct, frozen=True):
    site: Path
    runs: int
    work: Path


class Floor(Struct, frozen=True):
    pages_per_second: float
    cpu_ms_a_page: float


class Ceiling(Struct, frozen=True):
    """Fetching and parsing, nothing else, by one process on one core and by two that share nothing on two: a better
    ratio the machine does not give."""

    one: Floor
    two: Floor

    @property
    def times(self) -> float:
        return self.two.pages_per_second / self.one.pages_per_second

    @property
    def cpu_times(self) -> float:
        return self.two.cpu_ms_a_page / self.one.cpu_ms_a_page


class ScaleReport(Struct, frozen=True):
    """`cpu_times` is the CPU of home and migrants a page with two by that with one. `same` says whether every run
    holds the same URLs, outcomes and digests."""

    site: str
    expected_pages: int
    machine: Machine
    load_after: float
    runs: list[PeerRun]
    ways: list[Summary]
    ratio: Ratio | None
    cpu_times: Spread | None
    contents: list[Contents]
    ceiling: Ceiling
    faults: list[str]

    @property
    def same(self) -> bool:
        return len({one.digest for one in self.contents}) == 1


def goals(report: ScaleReport) -> list[Goal]:
    said = []
    if report.ratio is not None:
        said.append(at_least("pages/s, two cores / one, median", report.ratio.times.median, GOAL_TIMES))
    if report.cpu_times is not None:
        said.append(at_most("CPU a page, two cores / one, median", report.cpu_times.median, GOAL_CPU))
    different = len({one.digest for one in report.contents}) - 1
    return [*said, holds("runs that hold other URLs, outcomes or digests", max(0, different))]


def run(plan: ScaleTrial, say: Say) -> ScaleReport:
    crawl.prepare(crawl.CrawlTrial(plan.site, (), plan.runs, plan.work), say)
    both = sorted(os.sched_getaffinity(0))[:2]
    if len(both) < 2:
        raise MissingTool("two cores are needed, and this process may use one. Look at: taskset -p $$")
    began = machine.describe(plan.work)
    paths = reachable(plan.site, crawl.START)
    pages = len(paths)
    say(f"{pages} pages can be reached in {plan.site}")
    runs: list[PeerRun] = []
    held: list[Contents] = []
    for number in range(plan.runs):
        for name in figures.turns((ONE, TWO), number):
            cores = both[:1] if name == ONE else both
            done, found = _run(plan, name, number, cores, pages)
            say(f"run {number + 1}: {name:24} {done.pages:6} pages in {done.seconds:6.2f} s")
            runs.append(done)
            held.append(found)
    faults = [f"{one.peer}, run {one.round + 1}: {fault}" for one in runs for fault in one.faults]
    return ScaleReport(
        site=str(plan.site),
        expected_pages=pages,
        machine=began,
        load_after=os.getloadavg()[0],
        runs=runs,
        ways=[figures.summarise(name, runs) for name in (ONE, TWO)],
        ratio=figures.ratio(runs, TWO, figures.PeerGoal(ONE, GOAL_TIMES)),
        cpu_times=cpu_times(runs),
        contents=held,
        ceiling=Ceiling(_floor(plan, paths, both[:1]), _floor(plan, paths, both)),
        faults=faults,
    )


def _fresh(plan: ScaleTrial) -> Path:
    """An empty folder, and a disk that owes nothing to the run before."""
    folder = plan.work / "run"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "server").mkdir(parents=True)
    os.sync()
    return folder


def _run(plan: ScaleTrial, name: str, number: int, cores: Sequence[int], expected: int) -> tuple[PeerRun, Contents]:
    folder = _fresh(plan)
    with serving(plan.site, folder / "server", *cores) as origin:
        options = ("--migrants", str(len(cores)))
        with crawling([f"{origin}/{crawl.START}"], folder, cores, *options) as under_way:
            ended = under_way.wait()
        found = contents(under_way.folder, origin)
    fault = figures.miscounted(found.pages, expected)
    shutil.rmtree(folder)
    faults = (*ended.faults, *((fault,) if fault else ()))
    note = f"CPU {ended.home_cpu_seconds:.2f} s at home, {ended.cpu_seconds - ended.home_cpu_seconds:.2f} s away"
    return PeerRun(name, number, found.pages, ended.seconds, ended.cpu_seconds, 0, faults, (note,)), found


def _floor(plan: ScaleTrial, paths: Sequence[str], cores: Sequence[int]) -> Floor:
    folder = _fresh(plan)
    with serving(plan.site, folder / "server", *cores) as origin:
        working = []
        for number, core in enumerate(cores):
            urls = folder / f"urls-{number}.txt"
            urls.write_text("".join(f"{origin}/{path}\n" for path in paths[number :: len(cores)]))
            command = [sys.executable, "-P", "-m", floor.__name__, "read", str(urls)]
            process = subprocess.Popen(command, env=peers.settings() | ALLOCATOR, stdout=subprocess.PIPE, text=True)
            os.sched_setaffinity(process.pid, {core})
            working.append(process)
        told = [process.communicate()[0].split() for process in working]
    shutil.rmtree(folder)
    count = sum(int(pages) for pages, _, _ in told)
    slowest, cpu_seconds = max(float(seconds) for _, seconds, _ in told), sum(float(cpu) for _, _, cpu in told)
    return Floor(count / slowest, 1000 * cpu_seconds / count)


def cpu_times(runs: Sequence[PeerRun]) -> Spread | None:
    """CPU a page with two migrants by that with one, of the runs that followed each other."""
    ones = {run.round: run for run in runs if run.peer == ONE and run.pages}
    pairs = [(run, ones[run.round]) for run in runs if run.peer == TWO and run.pages and run.round in ones]
    return figures.spread(two.cpu_ms_a_page / one.cpu_ms_a_page for two, one in pairs) if pairs else None
