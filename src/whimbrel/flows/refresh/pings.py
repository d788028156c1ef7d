"""`pings.sqlite`: pages of which sites told us that they changed (IndexNow), until a visit has looked.

It stands beside the repository: it is written by the server while a crawl holds the repository's lock. Any number of
processes read and write it. What was told long ago and never looked at is forgotten.
"""

import sqlite3
from collections.abc import Iterable
from contextlib import closing

from msgspec import Struct

from whimbrel.records.url import Url
from whimbrel.repository.location import Where, located
from whimbrel.urls.normal import host
from whimbrel.urls.normal import key as key_of

NAME = "pings.sqlite"
WAIT_SECONDS = 30.0
REMEMBERED_SECONDS = 30 * 86_400.0
MOST_OF_A_HOST = 20_000
_TABLE = "CREATE TABLE IF NOT EXISTS ping (url TEXT PRIMARY KEY, host TEXT NOT NULL, at REAL NOT NULL) WITHOUT ROWID"


class Ping(Struct, frozen=True):
    url: Url
    at: float


class PingBook:
    """Makes no file before something was told."""

    def __init__(self, where: Where) -> None:
        self._path = located(where).beside / NAME
        self._read: tuple[float, dict[int, Ping]] = (-1.0, {})

    def add(self, urls: Iterable[Url], at: float) -> int:
        """How many of them were taken: of one host there is room for so many."""
        told = list(urls)
        try:
            return self._added(told, at)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:  # damaged: hints that are gone cost a visit that comes a little later
            self._path.unlink(missing_ok=True)
            return self._added(told, at)

    def _added(self, urls: list[Url], at: float) -> int:
        if not self._path.exists():
            self._path.touch(0o600)
        with closing(sqlite3.connect(self._path, timeout=WAIT_SECONDS)) as database, database:
            database.execute(_TABLE)
            database.execute("DELETE FROM ping WHERE at < ?", (at - REMEMBERED_SECONDS,))
            counts: dict[str, int] = dict(database.execute("SELECT host, count(*) FROM ping GROUP BY host").fetchall())
            taken = 0
            for url in urls:
                name = host(url)
                known = database.execute("UPDATE ping SET at = ? WHERE url = ?", (at, url)).rowcount
                if not known and counts.get(name, 0) >= MOST_OF_A_HOST:
                    continue
                if not known:
                    database.execute("INSERT INTO ping VALUES (?, ?, ?)", (url, name, at))
                    counts[name] = counts.get(name, 0) + 1
                taken += 1
        return taken

    def every(self) -> dict[int, Ping]:
        """By the keys of their URLs; none where the file is damaged, for a refresh can do without."""
        try:
            changed = self._path.stat().st_mtime
        except FileNotFoundError:
            return {}
        if self._read[0] != changed:
            try:
                rows = self._rows()
            except sqlite3.DatabaseError:
                rows = []
            self._read = (changed, {key_of(Url(url)): Ping(Url(url), at) for url, at in rows})
        return self._read[1]

    def _rows(self) -> list[tuple[str, float]]:
        with closing(sqlite3.connect(self._path, timeout=WAIT_SECONDS)) as database:
            database.execute(_TABLE)
            return database.execute("SELECT url, at FROM ping").fetchall()

    def at(self, key: int) -> float | None:
        ping = self.every().get(key)
        return None if ping is None else ping.at
