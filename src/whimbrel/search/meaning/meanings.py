"""The vectors of each page as they were worked out, by the version of the page that they are of.

`meaning.sqlite` in the index folder. To work them out takes a hundred times as long as to index a page's words, so they
outlive a rebuild of the index, as what documents said does.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from whimbrel.repository.among import marks, parts
from whimbrel.search.meaning.encoder import Vectors as Rows

FILE = "meaning.sqlite"
MODEL = 2
"""The number of the weights, and of the way in which passages are cut: vectors of another are worked out anew. 1 were
means of words."""
_TABLE = f"""
CREATE TABLE IF NOT EXISTS meaning (
  key INTEGER PRIMARY KEY, version INTEGER NOT NULL, pieces INTEGER NOT NULL, vectors BLOB NOT NULL
) STRICT;
PRAGMA user_version = {MODEL};
"""
_LARGEST = 127.0


class Meanings:
    """One writer; what cannot be read is made anew."""

    def __init__(self, place: Path) -> None:
        path = place / FILE
        try:
            self._database = _opened(path)
        except sqlite3.DatabaseError:
            remove(place)
            self._database = _opened(path)

    def close(self) -> None:
        self._database.close()

    def versions(self) -> dict[int, int]:
        """Which version of each page is here, by key."""
        return dict(self._database.execute("SELECT key, version FROM meaning"))

    def put(self, pages: Iterable[tuple[int, int, Rows]]) -> None:
        """Key and version of each page with its rows, none where there is nothing to read."""
        rows = [(key, version, len(vectors), packed(vectors)) for key, version, vectors in pages]
        with self._database:
            self._database.executemany("INSERT OR REPLACE INTO meaning VALUES (?, ?, ?, ?)", rows)

    def drop(self, keys: Iterable[int]) -> None:
        with self._database:
            for part in parts(keys):
                self._database.execute(f"DELETE FROM meaning WHERE key IN {marks(part)}", part)

    def rows(self) -> Iterator[tuple[int, NDArray[np.int8]]]:
        """The vectors by key, those of a page in their order."""
        for key, pieces, vectors in self._database.execute(
            "SELECT key, pieces, vectors FROM meaning WHERE pieces > 0 ORDER BY key"
        ):
            for row in np.frombuffer(vectors, np.int8).reshape(pieces, -1):
                yield key, row


def packed(vectors: Rows) -> bytes:
    """A byte for each number, by the largest of its row: no angle moves by more than half a degree."""
    largest = np.abs(vectors).max(axis=1, initial=0.0, keepdims=True)
    return np.rint(vectors * (_LARGEST / np.where(largest > 0, largest, 1.0))).astype(np.int8).tobytes()


def remove(place: Path) -> None:
    for path in place.glob(f"{FILE}*"):
        path.unlink()


def _opened(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=30, check_same_thread=False)
    try:
        # What is forgotten is overwritten, and no write-ahead log holds it a while longer.
        database.execute("PRAGMA secure_delete = ON")
        found = int(database.execute("PRAGMA user_version").fetchone()[0])
        if found != MODEL:
            database.execute("DROP TABLE IF EXISTS meaning")
            database.executescript(_TABLE)
        database.execute("SELECT count(*) FROM meaning").fetchone()
    except BaseException:
        database.close()
        raise
    return database
