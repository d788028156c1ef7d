"""How far a URL got beyond crawled: indexed, shown, clicked.

`states.sqlite` in the index folder. It outlives a rebuild. Any process may write: a count is one short transaction.
"""

import sqlite3
import threading
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
    """The counts of one folder. Threads may share it: they take turns, since a transaction belongs to the connection
    and not to whoever began it. `wait_seconds` is how long another process is waited for that writes."""

    def __init__(self, folder: Path, *, wait_seconds: float = 10.0) -> None:
        self._place = folder / FOLDER
        self._place.mkdir(parents=True, exist_ok=True)
        self._turn = threading.Lock()
        self._database = sqlite3.connect(
            self._place / FILE, isolation_level=None, check_same_thread=False, timeout=wait_seconds
        )
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
        with self._turn:
            self._database.close()

    def record_shown(self, keys: Iterable[int]) -> None:
        self._write("INSERT INTO state VALUES (?, 1, 0) ON CONFLICT DO UPDATE SET shown = shown + 1", keys)

    def record_clicked(self, key: int) -> None:
        self._write("INSERT INTO state VALUES (?, 0, 1) ON CONFLICT DO UPDATE SET clicked = clicked + 1", (key,))

    def forget(self, keys: Iterable[int]) -> None:
        self._write("DELETE FROM state WHERE key = ?", keys)

    def of(self, key: int) -> tuple[int, int]:
        """How often it was shown and clicked."""
        with self._turn:
            row = self._database.execute("SELECT shown, clicked FROM state WHERE key = ?", (key,)).fetchone()
        return (int(row[0]), int(row[1])) if row else (0, 0)

    def counts(self) -> States:
        with self._turn:
            shown, clicked, times_shown, times_clicked = self._database.execute(
                "SELECT coalesce(sum(shown > 0), 0), coalesce(sum(clicked > 0), 0), coalesce(sum(shown), 0),"
                " coalesce(sum(clicked), 0) FROM state"
            ).fetchone()
        return States(self._indexed(), shown, clicked, times_shown, times_clicked)

    def _write(self, statement: str, keys: Iterable[int]) -> None:
        """All of them, or, where that fails, none."""
        rows = [(key,) for key in keys]
        if not rows:
            return
        with self._turn:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                self._database.executemany(statement, rows)
                self._database.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction already.
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    def _indexed(self) -> int:
        try:
            book = Book(self._place)
        except Unreadable:
            return 0
        try:
            return book.count("role = 'page' AND stale = 0")
        finally:
            book.close()
