"""What each place said: a row for every visit that came from one, so that a kept version is known as a place's word,
and can be asked for from home where the place is believed no more."""

import sqlite3
import threading
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from whimbrel.places.home.book import FOLDER
from whimbrel.records.url import Url

FILE = "said.sqlite"
_TABLE = """
CREATE TABLE IF NOT EXISTS said (
  key INTEGER NOT NULL, at REAL NOT NULL, url TEXT NOT NULL, place TEXT NOT NULL, own INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (key, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS said_open ON said (place, key) WHERE own = 0;
"""


class SaidBook:
    """Written by the thread that commits, read by the loop: one at a time. `own` is set once home saw the page itself
    after that."""

    def __init__(self, beside: Path) -> None:
        folder = beside / FOLDER
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = threading.Lock()
        self._base = sqlite3.connect(folder / FILE, check_same_thread=False, isolation_level=None)
        self._base.execute("PRAGMA journal_mode = WAL")
        self._base.execute("PRAGMA synchronous = NORMAL")
        self._base.executescript(_TABLE)

    def close(self) -> None:
        with self._lock:
            self._base.close()

    def note(self, place: str, visits: Iterable[tuple[int, Url, float]]) -> None:
        rows = [(key, at, url, place) for key, url, at in visits]
        with self._lock:
            self._base.execute("BEGIN")
            self._base.executemany("INSERT OR IGNORE INTO said (key, at, url, place) VALUES (?, ?, ?, ?)", rows)
            self._base.execute("COMMIT")

    def seen_by_home(self, keys: Iterable[int]) -> None:
        with self._lock:
            self._base.execute("BEGIN")
            self._base.executemany("UPDATE said SET own = 1 WHERE key = ? AND own = 0", [(key,) for key in keys])
            self._base.execute("COMMIT")

    def only_said(self, place: str) -> list[Url]:
        """Pages of which home has nothing but this place's word."""
        with self._lock:
            rows = self._base.execute(
                "SELECT DISTINCT url FROM said WHERE place = ? AND own = 0 ORDER BY key", (place,)
            ).fetchall()
        return [Url(url) for (url,) in rows]


def whose_word(beside: Path, key: int, at: float) -> str:
    """The place that said what was kept of a page at this moment; "" where home or a migrant here saw it."""
    path = beside / FOLDER / FILE
    if not path.is_file():
        return ""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as base:
        try:
            row = base.execute("SELECT place FROM said WHERE key = ? AND abs(at - ?) < 0.001", (key, at)).fetchone()
        except sqlite3.OperationalError:
            return ""
    return str(row[0]) if row else ""
