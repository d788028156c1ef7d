"""A site moves from one real place to another as measurements change: two places that are at the same two sites, on
links and beside web servers that are unlike.

Each machine serves both sites, under their own addresses. One place has a long and narrow way home, its server takes
seconds for a page, and it is there first. The other comes later, with a site of its own, by which it is measured.
"""

import contextlib
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from whimbrel.bench import made_up
from whimbrel.bench.far import FarHome, WebServer, place_at, served_far
from whimbrel.bench.far_faults import compared, held
from whimbrel.bench.goals import Goal, at_least, holds
from whimbrel.bench.machine import Say
from whimbrel.bench.namespaces import FarSite, FarWorld, far_world
from whimbrel.migrants.home.choice import Choice
from whimbrel.repository.engines import open_reader

STRATEGIES = ("weighted_round_robin", "ahp")
PAGES = 120
RATE = 20
SLOW = "limit_rate 1k;"
ALONE = 5
"""Requests at the slow place before the other one comes."""
SLOW_WAY, QUICK_WAY = (0.3, 0.5e6), (0.02, 10e6)
"""Round trip in seconds, bits a second."""
LOOK_SECONDS = 0.1
HELD = "held it until then"
_PLAINLY = ("--twins-time", "0", "--json")


class MoveRow(Struct, frozen=True):
    """By which strategy, how often a site changed hands, what `status --why` says of the last time, and URLs that are
    not as in a crawl from home."""

    strategy: str
    seconds: float
    moves: int
    why: str
    faults: int


def move_goals(rows: "tuple[MoveRow, ...]") -> list[Goal]:
    return [
        goal
        for row in rows
        for goal in (
            at_least(f"sites that moved to the quicker place, by {row.strategy}", row.moves, 1),
            holds(f"URLs lost, other or kept twice by moving, by {row.strategy}", row.faults),
        )
    ]


def far_moves(folder: Path, say: Say) -> list[MoveRow]:
    folder.mkdir(parents=True)
    with far_world(2) as world:
        made = made_up.releases(folder / "made", PAGES)
        (folder / "sites").mkdir()
        for site, root in zip(world.sites, (made.old, made.new), strict=True):
            root.rename(folder / "sites" / site.host)
        for site in world.sites:
            _serves_all(site, world)
        home = FarHome(world, folder / "home")
        hosts = [site.host for site in world.sites]
        with _served(world, folder / "plain", ("", "")):
            say("both sites from home")
            home.run("crawl", *_seeds(hosts), "--repo", str(home.path("local")), "--delay", str(1 / RATE), *_PLAINLY)
        for site, way in zip(world.sites, (SLOW_WAY, QUICK_WAY), strict=True):
            site.link.way(*way)
        rows = []
        with _served(world, folder / "unlike", (SLOW, "")) as (slow, _):
            for strategy in STRATEGIES:
                say(f"two places at two sites, chosen among by {strategy}")
                rows.append(_crawled(home, world, slow, folder, strategy))
        return rows


@contextlib.contextmanager
def _served(world: FarWorld, folder: Path, more: tuple[str, str]) -> Iterator[list[WebServer]]:
    sites = folder.parent / "sites/$host"
    with contextlib.ExitStack() as stack:
        yield [
            stack.enter_context(served_far(site, sites, folder / site.host, one))
            for site, one in zip(world.sites, more, strict=True)
        ]


def _seeds(hosts: Sequence[str]) -> list[str]:
    return [f"http://{host}/index.html" for host in hosts]


def _serves_all(site: FarSite, world: FarWorld) -> None:
    """The other sites' addresses are this machine's own, too."""
    for other in world.sites:
        if other is not site:
            site.machine.run("ip", "address", "add", f"{other.host}/32", "dev", "lo")


def _crawled(home: FarHome, world: FarWorld, server: WebServer, folder: Path, strategy: str) -> MoveRow:
    hosts = [site.host for site in world.sites]
    (home.path(strategy).parent / "whimbrel.toml").write_text(f'[migrants]\nchoose = "{strategy}"\n')
    with contextlib.ExitStack() as stack:
        slow, quick = (stack.enter_context(place_at(site, folder / f"{strategy}-{site.host}")) for site in world.sites)
        for place, name, sites in ((slow, "slow", hosts[:1]), (quick, "quick", hosts)):
            place.join(home, strategy, sites, name)
            place.allow(requests_per_second=str(RATE))
        slow.run()
        server.load()
        began = time.monotonic()
        crawl = home.start("crawl", *_seeds(hosts), "--repo", str(home.path(strategy)), *_PLAINLY)
        try:
            _asked(server, ALONE, crawl)
            quick.run()
            crawl.wait()
        finally:
            crawl.kill()
            crawl.wait()
        seconds = time.monotonic() - began
    faults = compared(held(home.path("local")), held(home.path(strategy)))
    told = [why for host in hosts if HELD in (why := _why(home.path(strategy), host))]
    return MoveRow(strategy, seconds, len(told), told[0] if told else "", sum(faults))


def _asked(server: WebServer, requests: int, crawl: "subprocess.Popen[bytes]") -> None:
    count = 0
    while count < requests and crawl.poll() is None:
        time.sleep(LOOK_SECONDS)
        count += server.load().near_requests


def _why(folder: Path, host: str) -> str:
    """What `status --why` prints of it."""
    with open_reader(folder) as reader:
        record = reader.choice(host)
    if record is None:
        return ""
    choice = msgspec.json.decode(record, type=Choice)
    return "; ".join((f"{host} went to {choice.chosen}", *choice.notes))
