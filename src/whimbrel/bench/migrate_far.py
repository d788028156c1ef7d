"""Bytes over a link between two machines, a NAT between them: whole programs, a real broker with TLS, packets counted.

The central crawler and wget2 ask the site's server over the link. The migrant is at the place, on the server's own
machine; over the link go its words with home, and what home asks for itself, to check the place.
"""

import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from whimbrel.bench.far import FarHome, FarPlace, clock_ahead, place_at, served_far
from whimbrel.bench.machine import Say
from whimbrel.bench.migrate_rows import (
    GZIP,
    LATER,
    MOST,
    MOST_ALIKE,
    ROUNDS,
    SEED,
    WEEK_SECONDS,
    LinkRow,
    MigrateSite,
)
from whimbrel.bench.namespaces import Crossed, FarSite, FarWorld, far_world
from whimbrel.bench.peers import PEERS, PeerTask, settings
from whimbrel.bench.refresh_site import ServedSite, unpack


def far_first_crawls(manual: MigrateSite, folder: Path, say: Say, peers: bool, draws: int = 1) -> list[LinkRow]:
    """The migrant's crawl `draws` times: which pages home checks is drawn anew in each."""
    folder.mkdir(parents=True)
    with far_world() as world, served_far(world.sites[0], manual.folder, folder / "nginx", GZIP):
        sides = FarSides(world, folder)
        say(f"{manual.package}: a central crawl over the link")
        central = sides.central("central", manual.start)
        wget2 = sides.wget2(manual.start, say) if peers else 0
        rows = []
        for draw in range(1, draws + 1):
            say(f"{manual.package}: a migrant at the place")
            migrant = f"migrant{draw}"
            there = sides.migrant(migrant, manual.start)
            name = f"first crawl of {manual.package}{_nth(draw)}"
            most = MOST.get(manual.package, MOST["postgresql-doc-15"])
            rows.append(sides.row(name, central, there, most, wget2, ("central", migrant)))
        whole = max(1, sides.home.kept("central"))
        for flag, value in (("--like", manual.like), ("--topic", manual.topic)):
            if value:
                say(f"{manual.package}: both again, with {flag} {value}")
                folders = f"central{flag}", f"migrant{flag}"
                central = sides.central(folders[0], manual.start, flag, value)
                there = sides.migrant(folders[1], manual.start, flag, value)
                name = f"{manual.package}, {flag} ({sides.home.kept(folders[1]) / whole:.1%} kept)"
                rows.append(sides.row(name, central, there, MOST_ALIKE, folders=folders))
        return rows


def far_refreshes(data: Path, folder: Path, say: Say, draws: int = 1) -> list[LinkRow]:
    """The same rounds `draws` times, one after the other; at the end one a week later, by the clocks of home and
    place."""
    folder.mkdir(parents=True)
    site = ServedSite(unpack(data, folder / "releases"), folder / "site", time.time())
    with far_world() as world, served_far(world.sites[0], site.folder, folder / "nginx", GZIP):
        sides = FarSides(world, folder)
        say("a site in two releases: both crawl the older")
        sides.central("central", "index.html")
        sides.migrant("migrant", "index.html")
        rounds = [(words + _nth(draw), share, most) for draw in range(1, draws + 1) for words, share, most in ROUNDS]
        rows = []
        for number, (name, share, most) in enumerate([*rounds, LATER]):
            say(f"a refresh over the link: {name}")
            site.advance(share, SEED + number)
            if name == LATER[0]:
                sides.later(WEEK_SECONDS)
            central = sides.central_again("central")
            there = sides.migrant_again("migrant")
            rows.append(sides.row(f"refresh, {name}", central, there, most))
        return rows


def _nth(draw: int) -> str:
    return f", draw {draw}" if draw > 1 else ""


class FarSides:
    """Both ways to crawl a site that is served far away."""

    def __init__(self, world: FarWorld, folder: Path) -> None:
        self._world, self._folder = world, folder
        self.home = FarHome(world, folder / "home")
        self.cpu_seconds = 0.0
        self._environment: Mapping[str, str] = {}

    def later(self, seconds: float) -> None:
        """For home and place so much time goes by."""
        self._environment = self.home.later = clock_ahead(self._folder / "clock", seconds)

    @property
    def _site(self) -> FarSite:
        return self._world.sites[0]

    def _seed(self, start: str) -> str:
        """An address at which crawlers do not wait between requests: there are thousands."""
        return f"http://{self._site.near}/{start}"

    def _options(self, options: tuple[str, ...]) -> tuple[str, ...]:
        flag, *value = options or ("",)
        return (flag, self._seed(value[0])) if flag == "--like" else options

    def central(self, name: str, start: str, *options: str) -> Crossed:
        self._site.link.take()
        self.home.crawl(name, self._seed(start), "--migrants", "1", *self._options(options))
        return self._site.link.take()

    def migrant(self, name: str, start: str, *options: str) -> Crossed:
        with place_at(self._site, self._folder / f"place-{name}") as place:
            place.join(self.home, name, [self._site.near])
            place.allow(requests_per_second="10000", cpu="2")
            return self._counted(place, lambda: self.home.crawl(name, self._seed(start), *self._options(options)))

    def central_again(self, name: str) -> Crossed:
        self._site.link.take()
        self.home.refresh(name, "--migrants", "1")
        return self._site.link.take()

    def migrant_again(self, name: str) -> Crossed:
        with place_at(self._site, self._folder / f"place-{name}", self._environment) as place:
            return self._counted(place, lambda: self.home.refresh(name))

    def _counted(self, place: FarPlace, work: "object") -> Crossed:
        place.run()
        self._site.link.take()
        work()  # type: ignore[operator]
        crossed = self._site.link.take()
        self.cpu_seconds = place.cpu_seconds()
        return crossed

    def wget2(self, start: str, say: Say) -> int:
        peer = PEERS["wget2"]
        peer.prepare(say)
        say("wget2")
        command = [*peer.command(PeerTask(self._seed(start), 0, 0), self._folder), "--compression=gzip"]
        self._site.link.take()
        subprocess.run(self._world.home.inside(command), env=settings(), cwd=self._folder, check=False)
        return self._site.link.take().both

    def row(
        self, name: str, central: Crossed, there: Crossed, most: float | None, wget2: int = 0,
        folders: tuple[str, str] = ("central", "migrant"),
    ) -> LinkRow:  # fmt: skip
        """Both crawls must have kept as many pages; -1 where they did not."""
        kept = [self.home.kept(folder) for folder in folders]
        return LinkRow(
            name, kept[0] if kept[0] == kept[1] else -1, central.both, there.out, there.back, wget2, most,
            self.cpu_seconds, there.web,
        )  # fmt: skip
