"""`bench crawl`: the same site by every peer in turn, on one core, from one server."""

import compileall
import os
import shutil
import sys
from pathlib import Path

import msgspec
from msgspec import Struct

import whimbrel
from whimbrel.bench import figures, machine, peers
from whimbrel.bench.figures import PeerRun, Ratio, Summary
from whimbrel.bench.floor import FLOORS
from whimbrel.bench.goals import Goal, at_least
from whimbrel.bench.machine import CommandCost, Cores, Machine, MissingTool, Say
from whimbrel.bench.peers import PEERS, Peer, PeerTask, RunSeen
from whimbrel.bench.server import NGINX, serving
from whimbrel.bench.site import reachable
from whimbrel.bench.stages import StageCosts
from whimbrel.migrants.wire.local import ALLOCATOR
from whimbrel.repository.contract import RepositoryError

OURS = "whimbrel"
SITE = Path("/usr/share/doc/openjdk-17-jre-headless/api")
SITE_PACKAGE = "openjdk-17-doc"
START = "index.html"
SCRAPY_PAGES = 800
STAGE_PAGES = 4_000


class CrawlTrial(Struct, frozen=True):
    """What to measure. `work` is where the peers write: a real disk, the same for all."""

    site: Path
    peers: tuple[str, ...]
    runs: int
    work: Path
    scrapy_pages: int = SCRAPY_PAGES
    stages: bool = True


class Start(Struct, frozen=True):
    """What a crawl costs before its first page and after its last."""

    seconds: float
    cpu_seconds: float


class CrawlReport(Struct, frozen=True):
    """Everything that was measured; `faults` says what forbids to trust it."""

    site: str
    expected_pages: int
    machine: Machine
    load_after: float
    cores: Cores
    runs: list[PeerRun]
    peers: list[Summary]
    ratios: list[Ratio]
    floor: list[PeerRun]
    start: Start | None
    stages: StageCosts | None
    faults: list[str]


def prepare(plan: CrawlTrial, say: Say) -> None:
    """Sees to it that everything is there, or raises `MissingTool`."""
    if plan.site == SITE:
        machine.need_package(SITE / START, SITE_PACKAGE, say)
    if not (plan.site / START).is_file():
        raise MissingTool(f"{plan.site} holds no {START}. Name a folder of HTML pages with --site.")
    if shutil.which("nginx") is None:
        machine.need_package(NGINX, "nginx-light", say)
    for name in plan.peers:
        PEERS[name].prepare(say)
    # Those of the peers' packages were compiled when they were installed; an edited checkout may not be.
    compileall.compile_dir(Path(whimbrel.__file__).parent, quiet=2)


def goals(report: CrawlReport) -> list[Goal]:
    said = []
    for ratio in report.ratios:
        figure = f"pages/s, whimbrel / {ratio.peer}, median"
        said.append(at_least(figure, ratio.times.median, ratio.goal.least))
        if ratio.goal.aim is not None:
            said.append(at_least(f"{figure}: the aim", ratio.times.median, ratio.goal.aim))
    return said


def run(plan: CrawlTrial, say: Say) -> CrawlReport:
    prepare(plan, say)
    began = machine.describe(plan.work)
    cores = machine.cores()
    pages = reachable(plan.site, START)
    say(f"{len(pages)} pages can be reached in {plan.site}")
    ours = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cores.beside})
    try:
        server_folder = _fresh(plan.work / "server")
        with serving(plan.site, server_folder, cores.beside) as origin:
            task = PeerTask(f"{origin}/{START}", len(pages), plan.scrapy_pages)
            runs = _rounds(plan, task, cores.measured, say)
            floor = [] if not plan.stages else _floors(plan, task, origin, pages, cores.measured, say)
            start = None if not plan.stages else _start(plan, task, cores.measured)
            costs = None if not plan.stages else _stages(plan, task, cores.measured, say)
    finally:
        os.sched_setaffinity(0, ours)
    ratios = [figures.ratio(runs, OURS, goal) for goal in figures.GOALS]
    return CrawlReport(
        site=str(plan.site),
        expected_pages=len(pages),
        machine=began,
        load_after=os.getloadavg()[0],
        cores=cores,
        runs=runs,
        peers=[figures.summarise(name, runs) for name in plan.peers],
        ratios=[ratio for ratio in ratios if ratio is not None],
        floor=floor,
        start=start,
        stages=costs,
        faults=[f"{run.peer}, run {run.round + 1}: {fault}" for run in [*runs, *floor] for fault in run.faults],
    )


def _rounds(plan: CrawlTrial, task: PeerTask, core: int, say: Say) -> list[PeerRun]:
    runs = []
    for number in range(plan.runs):
        for name in figures.turns(plan.peers, number):
            peer = PEERS[name]
            if peer.most_runs is None or number < peer.most_runs:
                done = _run(peer, number, plan, task, core)
                say(f"run {number + 1}: {name:8} {done.pages:6} pages in {done.seconds:7.2f} s")
                runs.append(done)
    return runs


def _run(peer: Peer, number: int, plan: CrawlTrial, task: PeerTask, core: int) -> PeerRun:
    folder = _fresh(plan.work / peer.name)
    cost = machine.measure(peer.command(task, folder), core, folder, peers.settings())
    faults = [] if cost.exit_code in peer.exit_codes else [f"ended with {cost.exit_code}: {cost.said}"]
    try:
        seen = peer.look(task, folder)
    except (OSError, ValueError, RepositoryError) as error:
        seen = RunSeen(0, (f"left nothing to look at ({error})",))
    shutil.rmtree(folder)
    faults += seen.faults
    return PeerRun(
        peer.name, number, seen.pages, cost.seconds, cost.cpu_seconds, cost.peak_bytes, tuple(faults), seen.notes
    )


def _fresh(folder: Path) -> Path:
    """An empty folder, and a disk that owes nothing to the run before."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.sync()
    return folder


def _floors(plan: CrawlTrial, task: PeerTask, origin: str, pages: list[str], core: int, say: Say) -> list[PeerRun]:
    folder = _fresh(plan.work / "floor")
    urls = folder / "urls.txt"
    urls.write_text("".join(f"{origin}/{page}\n" for page in pages))
    runs = []
    for number in range(min(plan.runs, 3)):
        for name, words in FLOORS.items():
            command = [sys.executable, "-P", "-m", "whimbrel.bench.floor", name, str(urls)]
            cost = machine.measure(command, core, folder, peers.settings() | ALLOCATOR)
            done = _read_floor(words, number, cost, task)
            say(f"run {number + 1}: {words}, {done.pages} pages in {done.seconds:.2f} s")
            runs.append(done)
    return runs


def _read_floor(words: str, number: int, cost: CommandCost, task: PeerTask) -> PeerRun:
    if cost.exit_code:
        return PeerRun(words, number, 0, cost.seconds, cost.cpu_seconds, cost.peak_bytes, (cost.said,))
    count, seconds, cpu_seconds = cost.said.split()[-3:]
    fault = figures.miscounted(int(count), task.expected)
    faults = (fault,) if fault else ()
    return PeerRun(words, number, int(count), float(seconds), float(cpu_seconds), cost.peak_bytes, faults)


def _start(plan: CrawlTrial, task: PeerTask, core: int) -> Start:
    """A crawl of one page is nothing but start and end."""
    costs = []
    for _ in range(min(plan.runs, 3)):
        folder = _fresh(plan.work / "start")
        costs.append(
            machine.measure([*PEERS[OURS].command(task, folder), "--limit", "1"], core, folder, peers.settings())
        )
    middle = sorted(costs, key=lambda cost: cost.cpu_seconds)[len(costs) // 2]
    return Start(middle.seconds, middle.cpu_seconds)


def _stages(plan: CrawlTrial, task: PeerTask, core: int, say: Say) -> StageCosts:
    say("taking the stages apart")
    folder = _fresh(plan.work / "stages")
    most = str(min(STAGE_PAGES, task.expected))
    command = [sys.executable, "-P", "-m", "whimbrel.bench.stages", task.seed, str(folder / "data"), most]
    cost = machine.measure(command, core, folder, peers.settings() | ALLOCATOR)
    if cost.exit_code:
        raise RuntimeError(f"the stages could not be measured: {cost.said}")
    return msgspec.json.decode(cost.said.splitlines()[-1], type=StageCosts)
