"""How far a URL got beyond crawled: indexed, shown, clicked.

`states.sqlite` in the index folder. It outlives a rebuild. Any process may write: a count is one short transaction.
"""

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from whimbrel.search.book import Book, Unreadable
from whimbrel.search.contract import States
from whimbrel.search.places import FOLDER

FILE = "states.sqlite"
_TABLE = """
CREATE TABLE IF NOT EXISTS state (key INTEGER PRIMARY KEY, shown INTEGER NOT NULL, clicked INTEGER NOT NULL) STRICT
"""


class StateBook:
    """The counts of one folder."""

    def __init__(self, folder: Path) -> None:
        self._place = folder / FOLDER
        self._place.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(self._place / FILE, isolation_level=None, check_same_thread=False, timeout=10)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        self._database.execute(_TABLE)

    def __enter__(self) -> "StateBook":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._database.close()

    def record_shown(self, keys: Iterable[int]) -> None:
        rows = [(key,) for key in keys]
        if not rows:
            return
        self._database.execute("BEGIN IMMEDIATE")
        self._database.executemany(
            "INSERT INTO state VALUES (?, 1, 0) ON CONFLICT DO UPDATE SET shown = shown + 1", rows
        )
        self._database.execute("COMMIT")

    def record_clicked(self, key: int) -> None:
        self._database.execute(
            "INSERT INTO state VALUES (?, 0, 1) ON CONFLICT DO UPDATE SET clicked = clicked + 1", (key,)
        )

    def of(self, key: int) -> tuple[int, int]:
        """How often it was shown and clicked."""
        row = self._database.execute("SELECT shown, clicked FROM state WHERE key = ?", (key,)).fetchone()
        return (int(row[0]), int(row[1])) if row else (0, 0)

    def forget(self, keys: Iterable[int]) -> None:
        self._database.executemany("DELETE FROM state WHERE key = ?", [(key,) for key in keys])

    def counts(self) -> States:
        shown, clicked, times_shown, times_clicked = self._database.execute(
            "SELECT coalesce(sum(shown > 0), 0), coalesce(sum(clicked > 0), 0), coalesce(sum(shown), 0),"
            " coalesce(sum(clicked), 0) FROM state"
        ).fetchone()
        return States(self._indexed(), shown, clicked, times_shown, times_clicked)

    def _indexed(self) -> int:
        try:
            book = Book(self._place)
        except Unreadable:
            return 0
        try:
            return book.count("role = 'page' AND stale = 0")
        finally:
            book.close()
