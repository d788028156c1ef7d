"""`attention.sqlite`: what the owner of a folder has seen, and of what they do not want to be told.

It stands beside the repository, not in it: it is written while a crawl holds the repository's lock, it is a person's
and not the web's, and it can be copied or removed by itself. Any number of processes read and write it, each word in
a transaction of its own.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Literal

import msgspec
from msgspec import Struct

from whimbrel.change.habits import Spots
from whimbrel.records.url import Url
from whimbrel.repository.contract import NothingThere, RepositoryError
from whimbrel.repository.location import Where, located
from whimbrel.urls.normal import authority

NAME = "attention.sqlite"
FORMAT = 1
WAIT_SECONDS = 30.0

Reach = Literal["place", "everywhere", "page"]
"""A place on one page; the same place on all pages of its site; whatever happens to one page."""
REACHES: tuple[Reach, ...] = ("place", "everywhere", "page")

_TABLES = f"""
BEGIN;
CREATE TABLE silence (
  number INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL,
  reach TEXT NOT NULL, said TEXT NOT NULL, spots BLOB NOT NULL
) STRICT;
CREATE TABLE seen (change TEXT PRIMARY KEY, at REAL NOT NULL) STRICT, WITHOUT ROWID;
PRAGMA user_version = {FORMAT};
COMMIT;
"""
_spots = msgspec.msgpack.Decoder(Spots)


class Silence(Struct, frozen=True):
    """Somebody's word of a moment. `said` names what it is about, a line for each place; `spots` is by what these
    places are known again, empty where it is about a whole page."""

    number: int
    at: float
    url: Url
    title: str
    reach: Reach
    said: tuple[str, ...]
    spots: Spots

    def covers(self, url: Url) -> bool:
        return self.url == url or (self.reach == "everywhere" and authority(self.url) == authority(url))


class AttentionBook:
    """Reads nothing and makes no file where nobody has said anything yet."""

    def __init__(self, where: Where) -> None:
        self._path = located(where).beside / NAME
        self._database: sqlite3.Connection | None = None
        self._known: tuple[int, tuple[Silence, ...]] | None = None

    def __enter__(self) -> "AttentionBook":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    # Silences.

    def silences(self) -> tuple[Silence, ...]:
        """In the order in which they were said; what other processes said meanwhile is among them."""
        with self._reading() as database:
            if database is None:
                return ()
            # Changes when another connection has written; our own writes forget what is known.
            (now,) = database.execute("PRAGMA data_version").fetchone()
            if self._known is None or self._known[0] != now:
                rows = database.execute(
                    "SELECT number, at, url, title, reach, said, spots FROM silence ORDER BY number"
                )
                self._known = (now, tuple(map(_silence, rows)))
            return self._known[1]

    def over(self, url: Url) -> Spots:
        """What on this page is no news to them."""
        spots: Spots = {}
        for silence in self.silences():
            if silence.spots and silence.covers(url):
                for sort, found in silence.spots.items():
                    spots[sort] = spots.get(sort, {}) | found
        return spots

    def silence(self, url: Url, title: str, reach: Reach, said: Iterable[str], spots: Spots, now: float) -> int:
        """Said twice it holds once."""
        ordered = {sort: dict(sorted(found.items())) for sort, found in sorted(spots.items())}
        row = (url, title, reach, json.dumps(list(said)), msgspec.msgpack.encode(ordered))
        with self._writing() as database:
            known = database.execute(
                "SELECT number FROM silence WHERE url = ? AND reach = ? AND spots = ?", (row[0], row[2], row[4])
            ).fetchone()
            if known is not None:
                database.execute("UPDATE silence SET at = ? WHERE number = ?", (now, known[0]))
                return int(known[0])
            written = database.execute(
                "INSERT INTO silence (at, url, title, reach, said, spots) VALUES (?, ?, ?, ?, ?, ?)", (now, *row)
            )
            return int(written.lastrowid or 0)

    def undo(self, number: int) -> Silence | None:
        """The silence that was taken back; None where there was none of that number."""
        found = next((one for one in self.silences() if one.number == number), None)
        if found is not None:
            with self._writing() as database:
                database.execute("DELETE FROM silence WHERE number = ?", (number,))
        return found

    def forget(self, is_forgotten: Callable[[Url], bool]) -> None:
        """What names pages that were erased goes with them."""
        for silence in self.silences():
            if is_forgotten(silence.url):
                self.undo(silence.number)

    # What was seen.

    def see(self, changes: Iterable[str], now: float) -> None:
        with self._writing() as database:
            database.executemany("INSERT OR IGNORE INTO seen VALUES (?, ?)", [(one, now) for one in changes])

    def unsee(self, changes: Iterable[str]) -> None:
        with self._writing() as database:
            database.executemany("DELETE FROM seen WHERE change = ?", [(one,) for one in changes])

    def seen(self, changes: Iterable[str]) -> set[str]:
        """Those of them that were seen."""
        with self._reading() as database:
            if database is None:
                return set()
            wanted = json.dumps(list(changes))
            rows = database.execute(
                "SELECT change FROM seen WHERE change IN (SELECT value FROM json_each(?))", (wanted,)
            )
            return {change for (change,) in rows}

    # The file.

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        try:
            if self._database is None and self._path.exists():
                self._database = self._opened()
            yield self._database
        except sqlite3.DatabaseError as error:
            raise self._unreadable(error) from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        if not self._path.parent.is_dir():
            raise NothingThere(f"there is nothing in {self._path.parent} yet: crawl a site first.")
        if not self._path.exists():
            # It names pages, which may be private.
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        with self._reading() as database:
            assert database is not None
            self._known = None
            database.execute("BEGIN IMMEDIATE")
            with database:
                yield database

    def _opened(self) -> sqlite3.Connection:
        # A journal that a kill left behind can only be played back by one who may write; a disk may forbid it.
        try:
            return self._connected("rw")
        except sqlite3.OperationalError:
            return self._connected("ro")

    def _connected(self, mode: str) -> sqlite3.Connection:
        address = f"{self._path.resolve().as_uri()}?mode={mode}"
        database = sqlite3.connect(
            address, uri=True, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            database.execute("PRAGMA synchronous = FULL")
            (form,) = database.execute("PRAGMA user_version").fetchone()
            if form == 0 and mode == "rw":
                self._make(database)
            elif form > FORMAT:
                raise sqlite3.DatabaseError(f"it was written by a later release, in format {form}")
        except BaseException:
            database.close()
            raise
        return database

    def _make(self, database: sqlite3.Connection) -> None:
        """Two may come at once: the second finds it made."""
        try:
            database.executescript(_TABLES)
        except sqlite3.OperationalError:
            if database.in_transaction:
                database.rollback()
            if database.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
                raise

    def _unreadable(self, error: sqlite3.Error) -> RepositoryError:
        return RepositoryError(
            f"{self._path} cannot be used ({error}). It holds what was marked as seen and what was silenced, nothing "
            "else: restore it from a copy, or remove it to begin anew."
        )


class StandingSilences:
    """The silences over a page as they stand when it is judged: a run lasts long, and nobody has to close this."""

    def __init__(self, where: Where) -> None:
        self._where = where

    def over(self, url: Url) -> Spots:
        with AttentionBook(self._where) as book:
            return book.over(url)


def _silence(row: tuple[int, float, str, str, Reach, str, bytes]) -> Silence:
    number, at, url, title, reach, said, spots = row
    return Silence(number, at, Url(url), title, reach, tuple(json.loads(said)), _spots.decode(spots))
