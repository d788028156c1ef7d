"""Where a repository is, whatever engine keeps it, and where others put their own files for it."""

from pathlib import Path

from msgspec import Struct

EMBEDDED = "embedded"
MEMORY = "memory"
SHELF = "shelf.sqlite"
"""Pages that nobody asked for yet; the migrants of this machine write it, and it may go at any time."""


class Location(Struct, frozen=True):
    """`engine` keeps the repository, `name` is what it is called there. `beside` is a folder of this machine for what
    belongs to the repository and is not in it: the socket and the key of home, the index, twins, shelves, readers."""

    engine: str
    name: str
    beside: Path

    def __str__(self) -> str:
        return self.name

    def file(self, name: str) -> Path:
        """The place of a file that its owner calls so."""
        return self.beside / name


Where = Path | Location
"""A folder is a location too: that of the embedded engine."""


def located(where: Where) -> Location:
    return where if isinstance(where, Location) else Location(EMBEDDED, str(where), where)
