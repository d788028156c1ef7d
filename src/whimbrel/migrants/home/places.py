"""Where migrants can be. On one machine a place is a folder to work in and the cores to run on; its name is what a
migrant is dispatched to. A place elsewhere is at some sites: their hosts are visited from there while it can be
reached.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from whimbrel.repository.location import SHELF

HERE = "here"
SILENCE_SECONDS = 60.0
"""A migrant of which nothing was heard for so long is given up; a place elsewhere is borne with for longer."""


class PlaceMeasured(Struct, frozen=True):
    """The way between home and a place, and how much its machine has to do: processes that want to run for each core.
    None is not measured (yet)."""

    round_trip_seconds: float | None = None
    bytes_per_second: float | None = None
    load: float | None = None


Measures = Callable[[str], PlaceMeasured]
"""What is measured of a place, by its name."""

Reach = Callable[[str], bool | None]
"""Whether migrants may go to a place now; None while that is not known yet."""


class MigrantPlace(Struct, frozen=True):
    """`folder` is the working directory, whose free disk the migrant reports; empty means home's own. No cores named
    means all that home may use."""

    name: str = HERE
    folder: str = ""
    cores: tuple[int, ...] = ()
    sites: tuple[str, ...] = ()
    """Where named, the place is another's machine, and migrants there speak for these hosts alone."""
    patience_seconds: float = SILENCE_SECONDS

    def shelf(self, folder: Path, sender: str) -> Path:
        """Where the migrants of a crawl keep here what nobody asked for: at home in the crawl's own folder, elsewhere
        under the name of the home that sent them, since several may."""
        if not self.folder:
            return folder.absolute() / SHELF
        return Path(self.folder).absolute() / f"whimbrel-{sender}-{SHELF}"

    def fault(self) -> str:
        """Why no migrant can live here; empty where one can."""
        if self.folder and not Path(self.folder).is_dir():
            return f"the folder {self.folder} of place `{self.name}` does not exist"
        missing = sorted(set(self.cores) - os.sched_getaffinity(0))
        return f"place `{self.name}` names cores that are not ours to use: {missing}" if missing else ""


class Atlas:
    """The places by name; `here` is always one of them."""

    def __init__(self, places: tuple[MigrantPlace, ...] = (), reach: Reach = lambda _: True) -> None:
        self._places: Mapping[str, MigrantPlace] = {HERE: MigrantPlace()} | {place.name: place for place in places}
        self.reach = reach
        self.elsewhere = [place for place in self._places.values() if place.sites]
        self._hosts = {host for place in self.elsewhere for host in place.sites}

    def at(self, host: str) -> list[MigrantPlace]:
        """The places at this host that can be reached, or may be in a moment."""
        if host not in self._hosts:
            return []
        return [place for place in self.elsewhere if host in place.sites and self.reach(place.name) is not False]

    def fits(self, host: str, place: MigrantPlace) -> bool:
        """Whether work for a host is done at this place: at the host itself where somebody is there, else at home."""
        near = self.at(host)
        return place in near if near else not place.sites

    def find(self, name: str) -> MigrantPlace | None:
        return self._places.get(name)

    @property
    def names(self) -> list[str]:
        return list(self._places)
