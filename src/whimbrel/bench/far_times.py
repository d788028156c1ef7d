"""Time over links of several lengths and widths, and what a crawl asks of the site's web server.

Crawlers keep to what is polite towards an address that is not their own: as often as Whimbrel asks one at most. At the
place the same rate is kept first, and then the owner's. Times on a busy machine are to be compared within a row only.
"""

from pathlib import Path

from msgspec import Struct

from whimbrel.bench.far import FarHome, FarPlace, ServerLoad, WebServer, place_at, served_far
from whimbrel.bench.goals import Goal, at_most
from whimbrel.bench.machine import Say
from whimbrel.bench.migrate_rows import GZIP, MigrateSite
from whimbrel.bench.namespaces import FarSite, far_world

ROUND_TRIPS = (0.02, 0.1)
MEGABITS = (1, 10, 100)
PAGES = 60
RATE, OWNERS_RATE = 2, 50
"""Requests a second: as many as Whimbrel asks of one address at most, and as an owner may allow."""
FILE_CHECKS = 0.10
"""Of the pages, in a refresh from files: one answer in twenty is checked, by chance, and robots.txt is asked for."""


class TimeRow(Struct, frozen=True):
    """Seconds for `PAGES` pages: a central crawl, a place at the same rate, a place at the owner's."""

    round_trip_seconds: float
    megabits: float
    central: float
    same_rate: float
    owners_rate: float


class LoadRow(Struct, frozen=True):
    """What the web server was asked, in all and by home (checks); `pages` is how many were kept."""

    name: str
    pages: int
    load: ServerLoad


def time_goals(loads: "tuple[LoadRow, ...]") -> list[Goal]:
    return [
        at_most(f"requests to the server, {row.name}: a page", row.load.near_requests / row.pages, FILE_CHECKS)
        for row in loads
        if "files" in row.name and "again" in row.name
    ]


def far_times(manual: MigrateSite, folder: Path, say: Say) -> tuple[list[TimeRow], list[LoadRow]]:
    folder.mkdir(parents=True)
    with far_world() as world, served_far(world.sites[0], manual.folder, folder / "nginx", GZIP) as server:
        site, home = world.sites[0], FarHome(world, folder / "home")
        seed = f"http://{site.host}/{manual.start}"
        times = []
        for round_trip in ROUND_TRIPS:
            for megabits in MEGABITS:
                say(f"{PAGES} pages at {1000 * round_trip:.0f} ms and {megabits} Mbit/s")
                site.link.way(round_trip, megabits * 1e6)
                name = f"{1000 * round_trip:.0f}-{megabits}"
                limit = ("--limit", str(PAGES))
                central = home.crawl(f"central-{name}", seed, *limit, "--delay", str(1 / RATE))
                both = []
                for rate in (RATE, OWNERS_RATE):
                    with place_at(site, folder / f"place-{name}-{rate}") as place:
                        _joined(place, home, f"migrant-{name}-{rate}", site, rate)
                        both.append(home.crawl(f"migrant-{name}-{rate}", seed, *limit))
                times.append(TimeRow(round_trip, megabits, central, both[0], both[1]))
        site.link.way()
        return times, _loads(home, site, server, manual, folder, say)


def _joined(place: FarPlace, home: FarHome, name: str, site: FarSite, rate: int, **more: object) -> None:
    place.join(home, name, [site.host, site.near])
    place.allow(requests_per_second=str(rate), **more)  # type: ignore[arg-type]
    place.run()


def _loads(
    home: FarHome, site: FarSite, server: WebServer, manual: MigrateSite, folder: Path, say: Say
) -> list[LoadRow]:
    """The whole site, and again with nothing changed: centrally, by a place over HTTP, and from its files."""
    rows: list[LoadRow] = []
    seed = f"http://{site.near}/{manual.start}"
    for name in ("central", "place over HTTP", "place from files"):
        say(f"what the web server is asked: {name}")
        files = [(f"http://{site.near}/", manual.folder.resolve())] if "files" in name else []
        with place_at(site, folder / f"place-{name.replace(' ', '-')}") as place:
            if name != "central":
                _joined(place, home, name, site, 10_000, folders=files)
            server.load()
            home.crawl(name, seed)
            rows.append(LoadRow(f"{name}, first", home.kept(name), server.load()))
            home.refresh(name)
            rows.append(LoadRow(f"{name}, again", home.kept(name), server.load()))
    return rows
