"""What readers put aside: the web server's own small database beside the crawl's.

One process writes it, one thread at a time. What was shown and opened is counted by `search.states`.
"""

import sqlite3
import threading
from pathlib import Path

from msgspec import Struct

from whimbrel.records.url import Url

FILE = "readers.sqlite"
_TABLES = """
CREATE TABLE IF NOT EXISTS favourite (
  url TEXT PRIMARY KEY, title TEXT NOT NULL, at REAL NOT NULL
) STRICT, WITHOUT ROWID;
"""


class Favourite(Struct, frozen=True):
    url: Url
    title: str
    at: float


class Readers:
    def __init__(self, folder: Path) -> None:
        self._lock = threading.Lock()
        self._database = sqlite3.connect(folder / FILE, check_same_thread=False, isolation_level=None, timeout=10)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.executescript(_TABLES)

    def close(self) -> None:
        with self._lock:
            self._database.close()

    def favourites(self) -> list[Favourite]:
        """The latest first."""
        with self._lock:
            rows = self._database.execute("SELECT url, title, at FROM favourite ORDER BY at DESC, url").fetchall()
        return [Favourite(*row) for row in rows]

    def is_favourite(self, url: Url) -> bool:
        with self._lock:
            return self._database.execute("SELECT 1 FROM favourite WHERE url = ?", (url,)).fetchone() is not None

    def add(self, url: Url, title: str, now: float) -> None:
        with self._lock:
            self._database.execute("INSERT OR IGNORE INTO favourite VALUES (?, ?, ?)", (url, title, now))

    def remove(self, url: Url) -> None:
        with self._lock:
            self._database.execute("DELETE FROM favourite WHERE url = ?", (url,))
