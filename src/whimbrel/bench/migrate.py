"""What crosses the link when the crawler goes to the data, beside a crawler that stays at home.

One site on loopback, served by nginx with gzip. The central crawler and wget2 reach it through a meter: that is their
link. The migrant is beside the server, which it asks without a meter; its link is the connection home, through a meter
of its own. Both directions count, heads and greetings too; TCP's own headers count for nobody.
"""

import asyncio
import subprocess
import time
from collections.abc import Coroutine, Sequence
from pathlib import Path

from msgspec import Struct

from whimbrel import api
from whimbrel.bench.at_source import AcrossLink
from whimbrel.bench.goals import Goal, at_least, at_most
from whimbrel.bench.lies import PAGES, RUNS, LieRow, table
from whimbrel.bench.machine import Say, need_package
from whimbrel.bench.meter import Meter, metered
from whimbrel.bench.peers import PEERS, PeerTask, settings
from whimbrel.bench.refresh_site import ServedSite, unpack
from whimbrel.bench.server import NGINX, nginx
from whimbrel.config import load
from whimbrel.flows.refresh.course import RefreshWish
from whimbrel.repository.engines import open_reader

GZIP_LEVEL = 6
_SERVER = f"access_log off; gzip on; gzip_comp_level {GZIP_LEVEL}; gzip_types text/css text/javascript;"
SHARE = 0.20
SEED = 4
MOST = {"openjdk-17-doc": 0.35, "postgresql-doc-15": 0.58}
ALTERED, LEAST_FOUND = 0.1, 95
MOST_CHANGED, MOST_UNCHANGED, MOST_ALIKE = 0.12, 0.02, 0.10


class MigrateSite(Struct, frozen=True):
    """A site by its Debian package, its folder, where it begins, and a page of the kind that a narrow crawl wants."""

    package: str
    folder: Path
    start: str
    like: str = ""


MANUALS = (
    MigrateSite(
        "openjdk-17-doc", Path("/usr/share/doc/openjdk-17-jre-headless/api"), "index.html",
        "java.base/java/util/package-summary.html",
    ),
    MigrateSite("postgresql-doc-15", Path("/usr/share/doc/postgresql-doc-15/html"), "index.html"),
)  # fmt: skip


class LinkRow(Struct, frozen=True):
    """One scenario, in bytes over the link. `kept` are the pages in the folder afterwards, alike for both."""

    name: str
    kept: int
    central: int
    to_place: int
    from_place: int
    wget2: int
    most: float
    cpu_seconds: float

    @property
    def ratio(self) -> float:
        return (self.to_place + self.from_place) / max(1, self.central)


class MigrateReport(Struct, frozen=True):
    gzip_level: int
    rows: tuple[LinkRow, ...]
    lies: tuple[LieRow, ...] = ()


def goals(report: MigrateReport) -> list[Goal]:
    found = [
        at_least(
            f"places that alter {row.false:.0%} of the pages found within {PAGES}, of {RUNS}", row.found, LEAST_FOUND
        )
        for row in report.lies
        if row.false == ALTERED
    ]
    crossed = [
        at_most(f"bytes over the link, {row.name}: of a central crawl", row.ratio, row.most) for row in report.rows
    ]
    return crossed + found


def run(
    manuals: Sequence[MigrateSite], data: Path | None, folder: Path, say: Say, *, peers: bool = True, liars: bool = True
) -> MigrateReport:
    need_package(NGINX, "nginx-light", say)
    rows: list[LinkRow] = []
    for manual in manuals:
        if not manual.folder.is_dir():
            need_package(manual.folder, manual.package, say)
        rows += _first_crawls(manual, folder / manual.package, say, peers)
    if data is not None:
        rows += _refreshes(data, folder / "changing", say)
    say("places that lie, simulated")
    return MigrateReport(GZIP_LEVEL, tuple(rows), table() if liars else ())


class Sides:
    """A site on its server, and both ways to crawl it."""

    def __init__(self, port: int, meter: Meter, folder: Path) -> None:
        self._port, self.meter, self._folder = port, meter, folder
        self.link = AcrossLink(folder / "held")

    def central(self, start: str, folder: str = "central", **options: object) -> int:
        """Bytes over the link; the crawl goes through the meter."""
        _crawl(f"http://127.0.0.1:{self.meter.port}/{start}", self._folder / folder, None, options)
        return self.meter.take()

    def migrant(self, start: str, folder: str = "migrant", **options: object) -> tuple[int, int]:
        options |= {"like": [f"http://127.0.0.1:{self._port}/{options['like']}"]} if "like" in options else {}
        _crawl(f"http://127.0.0.1:{self._port}/{start}", self._folder / folder, self.link, options)
        return self.link.take()

    def kept(self, folder: str) -> int:
        with open_reader(self._folder / folder) as reader:
            return reader.overview().counts.pages

    def central_again(self) -> int:
        _refresh(self._folder / "central", None)
        return self.meter.take()

    def migrant_again(self) -> tuple[int, int]:
        self.link = AcrossLink(self._folder / "held")  # a later day: nothing is left but what was written down
        _refresh(self._folder / "migrant", self.link)
        return self.link.take()


def _crawl(seed: str, folder: Path, carrier: AcrossLink | None, options: dict[str, object]) -> None:
    chosen = load(Path("/dev/null"), {}, api.flags_of({"migrants": "1", **options}))
    opened = api.open_crawl(chosen, api.read_seeds([seed]), folder, carrier=carrier)
    try:
        asyncio.run(_ran(opened.manager.run(), carrier))
    finally:
        opened.store.close()


def _refresh(folder: Path, carrier: AcrossLink | None) -> None:
    chosen = load(Path("/dev/null"), {}, {"crawl.migrants": 1})
    refreshing = api.open_refresh(chosen, folder, RefreshWish(everything=True), carrier=carrier)
    try:
        asyncio.run(_ran(api.run_refresh(refreshing), carrier))
    finally:
        refreshing.opened.store.close()


async def _ran(run: Coroutine[None, None, object], link: AcrossLink | None) -> None:
    try:
        await run
    finally:
        if link is not None:
            await link.close()


def _first_crawls(manual: MigrateSite, folder: Path, say: Say, peers: bool) -> list[LinkRow]:
    folder.mkdir(parents=True)
    # Files change between runs, and nginx would remember them for a minute.
    root = f"{manual.folder.resolve()}; open_file_cache off"
    with nginx(root, folder, ["127.0.0.1"], log=_SERVER) as port, metered(port) as meter:
        sides = Sides(port, meter, folder)
        say(f"{manual.package}: a central crawl")
        central = sides.central(manual.start)
        say(f"{manual.package}: a migrant at the source")
        began = time.process_time()
        out, back = sides.migrant(manual.start)
        took = time.process_time() - began
        wget2 = _wget2(meter, manual.start, folder, say) if peers else 0
        most = MOST.get(manual.package, MOST["postgresql-doc-15"])
        name = f"first crawl of {manual.package}"
        rows = [LinkRow(name, _same_pages(sides), central, out, back, wget2, most, took)]
        if manual.like:
            say(f"{manual.package}: a migrant that wants pages like {manual.like}")
            began = time.process_time()
            sides.link = AcrossLink(folder / "held-alike")
            out, back = sides.migrant(manual.start, "alike", like=manual.like)
            took, kept = time.process_time() - began, sides.kept("alike")
            name = f"{manual.package}, pages like one ({kept / max(1, rows[0].kept):.1%} kept)"
            rows.append(LinkRow(name, kept, central, out, back, 0, MOST_ALIKE, took))
        return rows


def _same_pages(sides: Sides) -> int:
    """Both crawls must have kept as many; -1 where they did not."""
    central, migrant = sides.kept("central"), sides.kept("migrant")
    return central if central == migrant else -1


def _wget2(meter: Meter, start: str, folder: Path, say: Say) -> int:
    peer = PEERS["wget2"]
    peer.prepare(say)
    say("wget2")
    task = PeerTask(f"http://127.0.0.1:{meter.port}/{start}", 0, 0)
    subprocess.run([*peer.command(task, folder), "--compression=gzip"], env=settings(), check=False)
    return meter.take()


def _refreshes(data: Path, folder: Path, say: Say) -> list[LinkRow]:
    folder.mkdir(parents=True)
    site = ServedSite(unpack(data, folder / "releases"), folder / "site", time.time())
    root = f"{site.folder.resolve()}; open_file_cache off"
    with nginx(root, folder, ["127.0.0.1"], log=_SERVER) as port, metered(port) as meter:
        sides = Sides(port, meter, folder)
        say("a site in two releases: both crawl the older")
        sides.central("index.html")
        sides.migrant("index.html")
        rows = []
        for name, share, most in (("nothing changed", 0.0, MOST_UNCHANGED), ("20 % changed", SHARE, MOST_CHANGED)):
            say(f"a refresh: {name}")
            site.advance(share, SEED)
            central = sides.central_again()
            began = time.process_time()
            out, back = sides.migrant_again()
            took = time.process_time() - began
            rows.append(LinkRow(f"refresh, {name}", _same_pages(sides), central, out, back, 0, most, took))
        return rows
