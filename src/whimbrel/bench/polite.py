"""`bench polite`: many hosts that each want to be left alone for a while, and what their server's log says of it."""

import os
import shutil
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct

from whimbrel.bench import machine
from whimbrel.bench.crawling import MeasuredCrawl, crawling
from whimbrel.bench.goals import Goal, at_least, holds
from whimbrel.bench.logged import Arrival, LoggedServer, witnessed
from whimbrel.bench.machine import Machine, Say
from whimbrel.bench.server import NGINX
from whimbrel.testing.reply import Reply
from whimbrel.testing.site import site

GOAL_SHARE = 0.95
TOLERANCE_SECONDS = 0.005
WARM_UP_SECONDS = 8.0
SPARE_SECONDS = 2.0
LINKS = 5
POLL_SECONDS = 0.1
PATIENCE_SECONDS = 10.0


class PoliteTrial(Struct, frozen=True):
    """`seconds` of steady state are counted, after `warm_up_seconds`. There is a run for each of `kills`; where that is
    true, a migrant is killed in the middle."""

    hosts: int
    delay_seconds: float
    seconds: float
    migrants: int
    work: Path
    kills: tuple[bool, ...] = (False, True)
    warm_up_seconds: float = WARM_UP_SECONDS


class Breach(Struct, frozen=True):
    """Two requests that came too close: by how much, when (since the first of all), and what they asked for."""

    short_seconds: float
    address: str
    at: float
    first: str
    second: str


class PoliteRun(Struct, frozen=True):
    """One crawl as the server saw it: requests in all and in the steady state, how many politeness allowed in that, and
    who was asked too soon in the whole run, the worst first."""

    name: str
    requests: int
    counted: int
    allowed: float
    smallest_gap_seconds: float
    breaches: list[Breach]
    killed: str
    faults: tuple[str, ...]

    @property
    def share(self) -> float:
        return self.counted / self.allowed if self.allowed else 0.0


class PoliteReport(Struct, frozen=True):
    hosts: int
    delay_seconds: float
    seconds: float
    migrants: int
    machine: Machine
    load_after: float
    runs: list[PoliteRun]


def goals(report: PoliteReport) -> list[Goal]:
    said = []
    for one in report.runs:
        said.append(at_least(f"share of the requests that politeness allows, {one.name}", one.share, GOAL_SHARE))
        figure = f"requests more than {1000 * TOLERANCE_SECONDS:.0f} ms too soon, {one.name}"
        said.append(holds(figure, len(one.breaches)))
    return said


def run(plan: PoliteTrial, say: Say) -> PoliteReport:
    if shutil.which("nginx") is None:
        machine.need_package(NGINX, "nginx-light", say)
    began = machine.describe(plan.work)
    addresses = [f"127.0.{1 + number // 250}.{1 + number % 250}" for number in range(plan.hosts)]
    pages = round(_whole_seconds(plan) / plan.delay_seconds) + LINKS
    say(f"writing {plan.hosts} sites of {pages} pages")
    sites = plan.work / "sites"
    for number, address in enumerate(addresses):
        _write(sites / address, pages, number)
    server_folder = plan.work / "server"
    server_folder.mkdir()
    runs = []
    with witnessed(f"{sites}/$server_addr", server_folder, addresses) as server:
        for kill in plan.kills:
            runs.append(_run(plan, server, kill, say))
            server.forget()
    return PoliteReport(plan.hosts, plan.delay_seconds, plan.seconds, plan.migrants, began, os.getloadavg()[0], runs)


def _whole_seconds(plan: PoliteTrial) -> float:
    return plan.warm_up_seconds + plan.seconds + SPARE_SECONDS


def _write(folder: Path, pages: int, seed: int) -> None:
    (folder / "page").mkdir(parents=True)
    for path, page in site(pages, LINKS, seed).items():
        assert isinstance(page, Reply)
        (folder / ("index.html" if path == "/" else path.removeprefix("/"))).write_bytes(page.body)


def _run(plan: PoliteTrial, server: LoggedServer, kill: bool, say: Say) -> PoliteRun:
    name = "one migrant killed, another made" if kill else "undisturbed"
    say(f"{name}: {plan.migrants} migrants, {plan.hosts} hosts, {_whole_seconds(plan):.0f} s")
    folder = plan.work / ("killed" if kill else "calm")
    folder.mkdir()
    seeds = [f"{server.origin(address)}/" for address in server.addresses]
    options = ("--migrants", str(plan.migrants), "--delay", f"{plan.delay_seconds:g}")
    killed = ""
    with crawling(seeds, folder, os.sched_getaffinity(0), *options) as crawl:
        _wait_for_first(server, crawl)
        first_at = time.monotonic()
        if kill:
            _sleep_until(first_at + plan.warm_up_seconds + plan.seconds / 2, crawl)
            killed = crawl.kill_one()
            say(f"killed {killed or 'nobody: home did not answer'}")
        _sleep_until(first_at + _whole_seconds(plan), crawl)
        ended_early = not crawl.running
        alive = _crew_size(plan, crawl)
    shutil.rmtree(folder)
    faults = _faults(plan, kill, killed, alive, ended_early)
    return judge(name, server.arrivals(), plan, killed, faults)


def _faults(plan: PoliteTrial, kill: bool, killed: str, alive: int, ended_early: bool) -> tuple[str, ...]:
    faults = []
    if ended_early:
        faults.append("the crawl ended before the time was over")
    elif alive != plan.migrants:
        faults.append(f"{alive} migrants at the end where {plan.migrants} were asked for")
    if kill and not killed:
        faults.append("no migrant could be killed")
    return tuple(faults)


def _crew_size(plan: PoliteTrial, crawl: MeasuredCrawl) -> int:
    """Whoever was made in the place of another may still be on its way."""
    patience = time.monotonic() + PATIENCE_SECONDS
    while (alive := len(crawl.migrants())) != plan.migrants and crawl.running and time.monotonic() < patience:
        time.sleep(POLL_SECONDS)
    return alive


def _wait_for_first(server: LoggedServer, crawl: MeasuredCrawl) -> None:
    while crawl.running and not server.log.stat().st_size:
        time.sleep(POLL_SECONDS)


def _sleep_until(moment: float, crawl: MeasuredCrawl) -> None:
    while crawl.running and (left := moment - time.monotonic()) > 0:
        time.sleep(min(left, POLL_SECONDS))


def judge(
    name: str, arrivals: Sequence[Arrival], plan: PoliteTrial, killed: str = "", faults: Iterable[str] = ()
) -> PoliteRun:
    """What a log says: how much of what was allowed was asked for, and who was asked too soon."""
    first = arrivals[0].at if arrivals else 0.0
    begin = first + plan.warm_up_seconds
    counted = sum(1 for arrival in arrivals if begin <= arrival.at < begin + plan.seconds)
    gaps = list(_gaps(arrivals))
    least = plan.delay_seconds - TOLERANCE_SECONDS
    breaches = [
        Breach(round(plan.delay_seconds - gap, 3), after.address, round(after.at - first, 3), before.path, after.path)
        for gap, before, after in gaps
        if gap < least - 1e-9
    ]
    return PoliteRun(
        name=name,
        requests=len(arrivals),
        counted=counted,
        allowed=plan.hosts * plan.seconds / plan.delay_seconds,
        smallest_gap_seconds=round(min((gap for gap, _, _ in gaps), default=0.0), 3),
        breaches=sorted(breaches, key=lambda breach: -breach.short_seconds),
        killed=killed,
        faults=tuple(faults),
    )


def _gaps(arrivals: Sequence[Arrival]) -> Iterable[tuple[float, Arrival, Arrival]]:
    """Start to start, host by host; robots.txt is a request like any other."""
    last: dict[str, Arrival] = {}
    for arrival in arrivals:
        if (before := last.get(arrival.address)) is not None:
            yield round(arrival.at - before.at, 3), before, arrival
        last[arrival.address] = arrival
