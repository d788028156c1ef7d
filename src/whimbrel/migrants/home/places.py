"""Where migrants can be. On one machine a place is a folder to work in and the cores to run on; its name is what a
migrant is dispatched to."""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from whimbrel.repository.location import SHELF

HERE = "here"


class MigrantPlace(Struct, frozen=True):
    """`folder` is the working directory, whose free disk the migrant reports; empty means home's own. No cores named
    means all that home may use."""

    name: str = HERE
    folder: str = ""
    cores: tuple[int, ...] = ()

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

    def __init__(self, places: tuple[MigrantPlace, ...] = ()) -> None:
        self._places: Mapping[str, MigrantPlace] = {HERE: MigrantPlace()} | {place.name: place for place in places}

    def find(self, name: str) -> MigrantPlace | None:
        return self._places.get(name)

    @property
    def names(self) -> list[str]:
        return list(self._places)
