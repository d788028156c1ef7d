"""What breaks costs time only: in the middle of a crawl by a place, home, the broker, the place or its migrant is
killed, or the link is cut. Afterwards the folder must hold what a crawl from home holds, and nothing twice.

The place is behind a NAT, and its clock goes an hour ahead. The broker keeps nothing on disk: after a kill it is empty.
"""

import os
import shutil
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

from msgspec import Struct

from whimbrel.bench import made_up
from whimbrel.bench.far import FarHome, FarPlace, WebServer, clock_ahead, served_far
from whimbrel.bench.goals import Goal, holds
from whimbrel.bench.machine import Say
from whimbrel.bench.namespaces import FarSite, far_world
from whimbrel.repository.engines import open_reader

WHOM = ("home", "broker", "place", "migrant", "link")
POINTS = 60
CUT_SECONDS = 60.0
PAGES = 150
RATE = 100
AHEAD_SECONDS = 3600.0

Held = list[tuple[object, ...]]


class FaultRow(Struct, frozen=True):
    """Who was hit after how many requests, whether in time, and what is not as in a crawl from home: URLs that are
    missing, that are others (in outcome or digest), and pages that are kept twice."""

    whom: str
    requests: int
    hit: bool
    seconds: float
    missing: int
    other: int
    twice: int

    @property
    def faults(self) -> int:
        return self.missing + self.other + self.twice


def fault_goals(rows: "tuple[FaultRow, ...]") -> list[Goal]:
    if not rows:
        return []
    return [holds(f"URLs lost, other or kept twice after {len(rows)} faults", sum(row.faults for row in rows))]


def far_faults(folder: Path, say: Say, points: int = POINTS, cut_seconds: float = CUT_SECONDS) -> list[FaultRow]:
    folder.mkdir(parents=True)
    site_folder = made_up.releases(folder / "made", PAGES).old
    with far_world() as world, served_far(world.sites[0], site_folder, folder / "nginx") as server:
        site, home = world.sites[0], FarHome(world, folder / "home")
        seed = f"http://{site.near}/index.html"
        say("a crawl from home")
        home.crawl("local", seed)
        wanted = held(home.path("local"))
        joined = FarPlace(site, folder / "joined")
        joined.join(home, "joined", [site.near])
        joined.allow(requests_per_second=str(RATE))
        sweep = _Sweep(home, site, server, joined, clock_ahead(folder / "clock", AHEAD_SECONDS), cut_seconds)
        chance, rows = Random(7), []
        for number in range(points):
            whom, after = WHOM[number % len(WHOM)], chance.randrange(1, PAGES)
            rows.append(sweep.at(number, seed, whom, after, wanted))
            say(f"{number + 1} of {points}: {whom} after {after} requests, {rows[-1].faults} faults")
        return rows


def held(folder: Path) -> Held:
    """URLs, depths, outcomes and the digests of all versions."""
    with open_reader(folder) as reader:
        return sorted(
            (one.url, one.depth, one.outcome, one.rule, *(version.digest for version in reader.versions(one.url)))
            for one in reader.urls()
        )


def compared(wanted: Held, found: Held) -> tuple[int, int, int]:
    """Missing, other, kept twice."""
    ours = {row[0]: row for row in found}
    missing = [row for row in wanted if row[0] not in ours]
    other = [row for row in wanted if row[0] in ours and ours[row[0]] != row]
    twice = [row for row in found if len(row) > 5]
    more = len({row[0] for row in found} - {row[0] for row in wanted})
    return len(missing), len(other) + more, len(twice)


class _Sweep:
    def __init__(
        self,
        home: FarHome,
        site: FarSite,
        server: WebServer,
        joined: FarPlace,
        clock: Mapping[str, str],
        cut_seconds: float,
    ) -> None:
        self._home, self._site, self._server, self._joined = home, site, server, joined
        self._environment = clock
        self._cut_seconds = cut_seconds

    def at(self, number: int, seed: str, whom: str, after: int, wanted: Held) -> FaultRow:
        name = f"far{number}"
        shutil.copytree(self._home.path("joined"), self._home.path(name))
        shutil.copytree(self._joined.folder, folder := self._joined.folder.with_name(f"place{number}"))
        place = FarPlace(self._site, folder, self._environment)
        command = ("crawl", seed, "--repo", str(self._home.path(name)), "--twins-time", "0", "--json")
        place.run()
        began = time.monotonic()
        self._server.load()
        crawl = self._home.start(*command)
        try:
            hit = self._asked(after, lambda: crawl.poll() is None)
            if hit:
                self._hit(whom, place, crawl.pid, name)
            crawl.wait()
            self._home.run(*command)  # whoever was killed goes on; otherwise nothing is left to do
        finally:
            crawl.kill()
            crawl.wait()
            place.kill()
        seconds = time.monotonic() - began
        row = FaultRow(whom, after, hit, seconds, *compared(wanted, held(self._home.path(name))))
        if not row.faults:
            shutil.rmtree(self._home.path(name))
            shutil.rmtree(folder)
        return row

    def _asked(self, requests: int, goes_on: Callable[[], bool]) -> bool:
        """Whether the server was asked so often before the crawl ended."""
        count = 0
        while goes_on():
            count += self._server.load().near_requests
            if count >= requests:
                return True
            time.sleep(0.01)
        return False

    def _hit(self, whom: str, place: FarPlace, home: int, name: str) -> None:
        match whom:
            case "home":
                os.kill(home, signal.SIGKILL)
            case "broker":
                os.kill(int((self._home.path(name) / "places/server.pid").read_text()), signal.SIGKILL)
            case "place":
                place.kill()
                place.run()
            case "migrant":
                children = Path(f"/proc/{place.pid}/task/{place.pid}/children").read_text().split()
                for child in children:
                    os.kill(int(child), signal.SIGKILL)
            case _:
                self._site.link.cut(True)
                time.sleep(self._cut_seconds)
                self._site.link.cut(False)
