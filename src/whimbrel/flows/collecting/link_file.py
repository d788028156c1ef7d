"""`collection.sqlite`: where the pages that were visited lead, kept or not. Ranks are worked out of it.

What was turned down has no version, so its links would be lost; they are what tells which pages matter. A page's links
are written before the commit that says what became of it: at worst they are written twice.
"""

import sqlite3
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path

from whimbrel.repository.contract import RepositoryError

NAME = "collection.sqlite"
FORMAT = 1
_TABLES = f"""
BEGIN;
CREATE TABLE led (source INTEGER PRIMARY KEY, targets BLOB NOT NULL) STRICT;
PRAGMA user_version = {FORMAT};
COMMIT;
"""


class LinkFile:
    """Keys of URLs by the key of the page that leads to them. One writer: whoever holds the folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / NAME
        try:
            self._database = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._prepare()
        except sqlite3.Error as error:
            raise RepositoryError(
                f"{self._path} cannot be used: {error}. It holds no page; remove it, and ranks are worked out from"
                " the pages that are kept."
            ) from error

    def _prepare(self) -> None:
        (format_number,) = self._database.execute("PRAGMA user_version").fetchone()
        if format_number == 0:
            self._database.executescript(_TABLES)
        elif format_number != FORMAT:
            raise sqlite3.DatabaseError(f"it is of format {format_number}, and {FORMAT} is known here")

    def close(self) -> None:
        self._database.close()

    def note(self, led: Iterable[tuple[int, Iterable[int]]]) -> None:
        rows = [(source, packed(source, targets)) for source, targets in led]
        if not rows:
            return
        self._database.execute("BEGIN IMMEDIATE")
        self._database.executemany("INSERT OR REPLACE INTO led VALUES (?, ?)", rows)
        self._database.execute("COMMIT")

    def drop(self, keys: Iterable[int]) -> None:
        self._database.execute("BEGIN IMMEDIATE")
        self._database.executemany("DELETE FROM led WHERE source = ?", [(key,) for key in keys])
        self._database.execute("COMMIT")

    def led_to(self, key: int) -> list[int]:
        row = self._database.execute("SELECT targets FROM led WHERE source = ?", (key,)).fetchone()
        return list(array("q", row[0])) if row else []

    def count(self) -> int:
        return int(self._database.execute("SELECT count(*) FROM led").fetchone()[0])

    def sources(self) -> Iterator[int]:
        for (source,) in self._database.execute("SELECT source FROM led ORDER BY source"):
            yield source

    def rows(self) -> Iterator[tuple[int, bytes]]:
        """In the order of the sources' keys, targets as eight bytes each."""
        yield from self._database.execute("SELECT source, targets FROM led ORDER BY source")


def packed(source: int, targets: Iterable[int]) -> bytes:
    """Each target once, the page itself not among them."""
    return array("q", sorted(set(targets) - {source})).tobytes()
