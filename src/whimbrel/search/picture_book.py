"""What the index knows of kept pictures: a row for each, what pages say of it, and the words that find it.

`pictures.sqlite` in the index folder, apart from the word index: what is asked of pages is answered as if there were no
pictures. One writer, who holds the index's lock; readers see whole transactions.
"""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Self

import msgspec
from msgspec import Struct

from whimbrel.records.url import Url
from whimbrel.repository.among import among

FILE = "pictures.sqlite"
FORMAT = 2
MOST_SHOWINGS = 8
"""Pages of which it is known what they say of one picture: a logo is on all of them, and says the same on each."""

FIELDS = {"alt": 3.0, "caption": 3.0, "name": 2.0, "around": 1.0, "page": 0.5}
"""Where words of a picture stand, and how much they weigh."""

TABLES = f"""
BEGIN;
CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE picture (
  key INTEGER PRIMARY KEY, url TEXT NOT NULL, site TEXT NOT NULL, language TEXT NOT NULL, title TEXT NOT NULL,
  says TEXT NOT NULL, shown_on TEXT, versions INTEGER NOT NULL, fetched_at REAL NOT NULL, modified_at REAL NOT NULL,
  changed_at REAL, twins BLOB NOT NULL, mime TEXT NOT NULL, shaped TEXT NOT NULL, label TEXT NOT NULL
) STRICT;
CREATE TABLE shape (picture INTEGER PRIMARY KEY, version INTEGER NOT NULL, numbers BLOB NOT NULL) STRICT;
CREATE INDEX picture_shaped ON picture (shaped) WHERE shaped <> '';
CREATE TABLE shows (
  picture INTEGER NOT NULL, page INTEGER NOT NULL, instead_of INTEGER, url TEXT NOT NULL, page_title TEXT NOT NULL,
  language TEXT NOT NULL, alt TEXT NOT NULL, title TEXT NOT NULL, caption TEXT NOT NULL, around TEXT NOT NULL,
  PRIMARY KEY (picture, page)
) STRICT, WITHOUT ROWID;
CREATE INDEX shows_page ON shows (page);
CREATE INDEX shows_instead ON shows (instead_of) WHERE instead_of IS NOT NULL;
CREATE VIRTUAL TABLE words USING fts5 ({", ".join(FIELDS)}, tokenize = 'ascii');
PRAGMA user_version = {FORMAT};
COMMIT;
"""


class PictureRow(Struct, frozen=True):
    """A kept picture. `says` is what pages say of it, for a reader; `shown_on` the page that says most. `shaped` is the
    class whose shape it has, and `label` whether what pages call it matches that, contradicts it or says nothing; ""
    where no classes are known."""

    key: int
    url: Url
    site: str
    language: str
    title: str
    says: str
    shown_on: Url | None
    versions: int
    fetched_at: float
    modified_at: float
    changed_at: float | None
    twins: bytes
    mime: str
    shaped: str = ""
    label: str = ""


class PictureShowing(Struct, frozen=True):
    """What a page says of a picture that it shows. `instead_of` is the picture for which this one stands in."""

    picture: int
    page: int
    instead_of: int | None
    url: Url
    page_title: str
    language: str
    alt: str
    title: str
    caption: str
    around: str


COLUMNS = ", ".join(PictureRow.__struct_fields__)
_SHOWN = ", ".join(PictureShowing.__struct_fields__)


class PictureBook:
    """For its one writer. A file of another form, or a damaged one, is begun anew."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        try:
            self._database = self._opened()
        except sqlite3.DatabaseError:
            remove(folder)
            self._database = self._opened()

    def _opened(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, timeout=30)
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute("PRAGMA secure_delete = ON")
            found = int(database.execute("PRAGMA user_version").fetchone()[0])
            if found == 0:
                database.executescript(TABLES)
            elif found != FORMAT:
                raise sqlite3.DatabaseError(f"{FILE} has format {found}, not {FORMAT}")
        except sqlite3.DatabaseError:
            database.close()
            raise
        return database

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:  # one transaction
        self._database.execute("BEGIN IMMEDIATE")
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._database.execute("COMMIT" if kind is None else "ROLLBACK")

    def number(self, name: str) -> int:
        row = self._database.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row else 0

    def note(self, name: str, value: int) -> None:
        self._database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    # What pages show.

    def leave(self, pages: Iterable[int]) -> set[int]:
        """What these pages showed is not known any more; returns the pictures."""
        keys = list(pages)
        shown = {row[0] for row in among(self._database, "SELECT picture FROM shows WHERE page IN", keys)}
        self._database.executemany("DELETE FROM shows WHERE page = ?", [(key,) for key in keys])
        return shown

    def show(self, showing: PictureShowing) -> None:
        """The first time that a page shows it counts, and the first pages."""
        count = self._database.execute("SELECT count(*) FROM shows WHERE picture = ?", (showing.picture,)).fetchone()
        if count[0] < MOST_SHOWINGS:
            self._database.execute(
                f"INSERT OR IGNORE INTO shows ({_SHOWN}) VALUES ({_marks(_SHOWN)})", msgspec.structs.astuple(showing)
            )

    def showings(self, picture: int) -> list[PictureShowing]:
        query = f"SELECT {_SHOWN} FROM shows WHERE picture = ? ORDER BY page"
        return [PictureShowing(*row) for row in self._database.execute(query, (picture,))]

    def stand_ins(self, pictures: Iterable[int]) -> set[int]:
        query = "SELECT picture FROM shows WHERE instead_of IN"
        return {row[0] for row in among(self._database, query, pictures)}

    # Pictures.

    def put(self, row: PictureRow) -> None:
        self._database.execute(
            f"INSERT OR REPLACE INTO picture ({COLUMNS}) VALUES ({_marks(COLUMNS)})", msgspec.structs.astuple(row)
        )

    def rows(self, keys: Iterable[int]) -> dict[int, PictureRow]:
        found = among(self._database, f"SELECT {COLUMNS} FROM picture WHERE key IN", keys)
        return {row[0]: PictureRow(*row) for row in found}

    def drop(self, keys: Iterable[int]) -> None:
        gone = [(key,) for key in keys]
        self._database.executemany("DELETE FROM picture WHERE key = ?", gone)
        self._database.executemany("DELETE FROM shape WHERE picture = ?", gone)

    def unsay(self, keys: Iterable[int]) -> None:
        self._database.executemany("DELETE FROM words WHERE rowid = ?", [(key,) for key in keys])

    def say(self, key: int, words: Iterable[str]) -> None:
        """The tokens of each of `FIELDS`."""
        self._database.execute(
            f"INSERT INTO words (rowid, {', '.join(FIELDS)}) VALUES (?, {_marks(FIELDS)})", (key, *words)
        )

    # Shapes.

    def shape(self, key: int, version: int) -> bytes | None:
        """What was seen of this version of a picture: b"" where nothing was, None where nobody looked yet."""
        query = "SELECT numbers FROM shape WHERE picture = ? AND version = ?"
        row = self._database.execute(query, (key, version)).fetchone()
        return row[0] if row else None

    def keep_shape(self, key: int, version: int, numbers: bytes) -> None:
        self._database.execute("INSERT OR REPLACE INTO shape VALUES (?, ?, ?)", (key, version, numbers))

    def purge(self) -> None:
        """Words that were taken out leave the file: the lists of words are written anew, and what they were is
        overwritten."""
        self._database.execute("INSERT INTO words (words) VALUES ('optimize')")
        self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@cache
def possible() -> bool:
    """Whether this Python's SQLite has full-text tables."""
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.execute("CREATE VIRTUAL TABLE tried USING fts5 (word)")
        except sqlite3.OperationalError:
            return False
    return True


def opened_to_read(folder: Path) -> sqlite3.Connection | None:
    """None where there is none, or one of another form: the next catch-up makes one."""
    path = folder / FILE
    if not path.exists():
        return None
    database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=30, check_same_thread=False)
    if int(database.execute("PRAGMA user_version").fetchone()[0]) != FORMAT:
        database.close()
        return None
    return database


def languages(database: sqlite3.Connection) -> list[str]:
    """Those of the pages that show pictures, most first."""
    with closing(database.execute("SELECT language FROM picture GROUP BY 1 ORDER BY count(*) DESC")) as rows:
        return [language for (language,) in rows if language]


def remove(folder: Path) -> None:
    for path in folder.glob(f"{FILE}*"):
        path.unlink()


def _marks(columns: Iterable[str] | str) -> str:
    count = len(columns.split(",")) if isinstance(columns, str) else len(list(columns))
    return ", ".join("?" * count)
