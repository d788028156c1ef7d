"""Bytes over a link between two machines, a NAT between them: whole programs, a real broker with TLS, packets counted.

The central crawler and wget2 ask the site's server over the link. The migrant is at the place, on the server's own
machine; over the link go its words with home, and what home asks for itself, to check the place.
"""

import subprocess
import time
from pathlib import Path

from whimbrel.bench.far import FarHome, FarPlace, place_at, served_far
from whimbrel.bench.machine import Say
from whimbrel.bench.migrate_rows import (
    GZIP,
    MOST,
    MOST_ALIKE,
    MOST_CHANGED,
    MOST_UNCHANGED,
    SEED,
    SHARE,
    LinkRow,
    MigrateSite,
)
from whimbrel.bench.namespaces import Crossed, FarSite, FarWorld, far_world
from whimbrel.bench.peers import PEERS, PeerTask, settings
from whimbrel.bench.refresh_site import ServedSite, unpack


def far_first_crawls(manual: MigrateSite, folder: Path, say: Say, peers: bool) -> list[LinkRow]:
    folder.mkdir(parents=True)
    with far_world() as world, served_far(world.sites[0], manual.folder, folder / "nginx", GZIP):
        sides = FarSides(world, folder)
        say(f"{manual.package}: a central crawl over the link")
        central = sides.central("central", manual.start)
        say(f"{manual.package}: a migrant at the place")
        there = sides.migrant("migrant", manual.start)
        wget2 = sides.wget2(manual.start, say) if peers else 0
        name = f"first crawl of {manual.package}"
        rows = [sides.row(name, central, there, MOST.get(manual.package, MOST["postgresql-doc-15"]), wget2)]
        whole = max(1, sides.home.kept("central"))
        for flag, value in (("--like", manual.like), ("--topic", manual.topic)):
            if value:
                say(f"{manual.package}: both again, with {flag} {value}")
                central = sides.central(f"central{flag}", manual.start, flag, value)
                there = sides.migrant(f"migrant{flag}", manual.start, flag, value)
                kept = sides.home.kept(f"migrant{flag}")
                name = f"{manual.package}, {flag} ({kept / whole:.1%} kept)"
                rows.append(sides.row(name, central, there, MOST_ALIKE, folders=f"{{}}{flag}"))
        return rows


def far_refreshes(data: Path, folder: Path, say: Say) -> list[LinkRow]:
    folder.mkdir(parents=True)
    site = ServedSite(unpack(data, folder / "releases"), folder / "site", time.time())
    with far_world() as world, served_far(world.sites[0], site.folder, folder / "nginx", GZIP):
        sides = FarSides(world, folder)
        say("a site in two releases: both crawl the older")
        sides.central("central", "index.html")
        sides.migrant("migrant", "index.html")
        rows = []
        for name, share, most in (("nothing changed", 0.0, MOST_UNCHANGED), ("20 % changed", SHARE, MOST_CHANGED)):
            say(f"a refresh over the link: {name}")
            site.advance(share, SEED)
            central = sides.central_again("central")
            there = sides.migrant_again("migrant")
            rows.append(sides.row(f"refresh, {name}", central, there, most))
        return rows


class FarSides:
    """Both ways to crawl a site that is served far away."""

    def __init__(self, world: FarWorld, folder: Path) -> None:
        self._world, self._folder = world, folder
        self.home = FarHome(world, folder / "home")
        self.cpu_seconds = 0.0

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
        with place_at(self._site, self._folder / f"place-{name}") as place:
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
        self, name: str, central: Crossed, there: Crossed, most: float, wget2: int = 0, folders: str = "{}"
    ) -> LinkRow:
        """Both crawls must have kept as many pages; -1 where they did not."""
        kept = [self.home.kept(folders.format(side)) for side in ("central", "migrant")]
        return LinkRow(
            name, kept[0] if kept[0] == kept[1] else -1, central.both, there.out, there.back, wget2, most,
            self.cpu_seconds, there.web,
        )  # fmt: skip
