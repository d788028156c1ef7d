"""Pages that were fetched but not of a kind asked for, kept at the migrant's place for the next request.

The shelf is one file for all migrants of a crawl at a place. It is a cache: bounded by count and by bytes, never
synced, and thrown away where it is damaged. Pages go there as they were received, some together; one that is looked for
is found before (docs/decisions/0525). What goes first is what was asked for since and sent home, then the oldest
page of the structure that has the most: a later request for a rare structure is the one that a crawl would serve worst.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import xxhash
from isal import igzip_lib
from msgspec import Struct

from whimbrel.records.visit import Visit
from whimbrel.repository.among import marks, parts

PAGES = 2_000
BYTES = 64 << 20
FRESH_SECONDS = 7 * 86_400.0
"""So long a page on the shelf is as good as one fetched anew."""

TOGETHER = 32
TOGETHER_BYTES = 4 << 20
"""Pages that go into the file together, at most; before home hears of them they do in any case."""

FORMAT = 3
_PATIENCE_SECONDS = 5.0

_TABLES = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS page (
  key INTEGER PRIMARY KEY, at REAL NOT NULL, structure INTEGER NOT NULL, served INTEGER NOT NULL, size INTEGER NOT NULL,
  digest INTEGER NOT NULL, packed BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS page_structure ON page (structure, at);
CREATE INDEX IF NOT EXISTS page_served ON page (at) WHERE served;
CREATE TABLE IF NOT EXISTS kind (structure INTEGER PRIMARY KEY, pages INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS kind_pages ON kind (pages);
CREATE TRIGGER IF NOT EXISTS put AFTER INSERT ON page BEGIN
  INSERT INTO kind VALUES (new.structure, 1, new.size)
    ON CONFLICT DO UPDATE SET pages = pages + 1, bytes = bytes + new.size;
END;
CREATE TRIGGER IF NOT EXISTS dropped AFTER DELETE ON page BEGIN
  UPDATE kind SET pages = pages - 1, bytes = bytes - old.size WHERE structure = old.structure;
  DELETE FROM kind WHERE structure = old.structure AND pages = 0;
END;
PRAGMA user_version = {FORMAT};
COMMIT;
"""

_OF_THE_COMMONEST = """
SELECT key, size FROM page WHERE structure = (SELECT structure FROM kind ORDER BY pages DESC LIMIT 1)
ORDER BY at LIMIT 1
"""


class Shelved(Struct, frozen=True, array_like=True):
    """A page on the shelf: what each judge packed, by its rule, to judge it again; and the visit as received."""

    packed: dict[str, bytes]
    visit: Visit


_encoder = msgspec.msgpack.Encoder()
_shelved = msgspec.msgpack.Decoder(Shelved)
_Row = tuple[int, float, int, int, int, int, bytes]


class Shelf:
    """Without a path it lasts as long as its process. What goes wrong with the file is told once, in `notes`, and costs
    no more than fetching pages again."""

    def __init__(self, path: Path | None = None, most_pages: int = PAGES, most_bytes: int = BYTES) -> None:
        self._path = path
        self._most_pages, self._most_bytes = most_pages, most_bytes
        self.notes: list[str] = []
        self._waiting: dict[int, _Row] = {}
        self._waiting_bytes = 0
        self._database = self._opened()

    def close(self) -> None:
        self.write()
        self._database.close()

    def __len__(self) -> int:
        return self._held()[0]

    @property
    def size(self) -> int:
        return self._held()[1]

    def put(self, sort: int, judged_by: dict[str, bytes], visit: Visit) -> bool:
        """Whether it is on the shelf now, in place of an older copy: a page larger than the shelf is not. `sort` is the
        same for pages that are alike to whoever judged them."""
        packed = bytes(igzip_lib.compress(_encoder.encode(Shelved(judged_by, visit)), 0))
        if len(packed) > self._most_bytes or not self._most_pages:
            return False
        self._waiting[visit.key] = (visit.key, visit.at, sort >> 1, 0, len(packed), _digest(packed), packed)
        self._waiting_bytes += len(packed)
        return not (len(self._waiting) >= TOGETHER or self._waiting_bytes >= TOGETHER_BYTES) or self.write()

    def write(self) -> bool:
        """What was put here goes into the file; whether it did."""
        rows, self._waiting, self._waiting_bytes = list(self._waiting.values()), {}, 0
        if not rows:
            return True
        try:
            self._database.execute("BEGIN IMMEDIATE")
            self._database.executemany("DELETE FROM page WHERE key = ?", [(row[0],) for row in rows])
            self._database.executemany("INSERT INTO page VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            self._make_room()
            self._database.execute("COMMIT")
        except sqlite3.Error as error:
            self._failed(error)
            return False
        return True

    def find(self, key: int, now: float) -> Shelved | None:
        """The page, where it is here and not too old."""
        return next(self.among([key], now), None)

    def among(self, keys: Iterable[int], now: float) -> Iterator[Shelved]:
        """Those of these pages that are here; rare structures first."""
        for part in parts(keys):
            for key, digest, packed in self._rows(part, now - FRESH_SECONDS):
                if _digest(packed) == digest:
                    yield _shelved.decode(igzip_lib.decompress(packed))
                else:
                    self._drop(key)

    def serve(self, key: int) -> None:
        """Home has been sent this page; it may go when there is need of room."""
        self.write()
        try:
            self._database.execute("UPDATE page SET served = 1 WHERE key = ?", (key,))
        except sqlite3.Error as error:
            self._failed(error)

    def _rows(self, keys: list[int], since: float) -> list[tuple[int, int, bytes]]:
        if not self._waiting.keys().isdisjoint(keys):
            self.write()
        query = (
            "SELECT page.key, digest, packed FROM page JOIN kind USING (structure)"
            f" WHERE key IN {marks(keys)} AND at >= ? ORDER BY pages, at"
        )
        try:
            return self._database.execute(query, (*keys, since)).fetchall()
        except sqlite3.Error as error:
            self._failed(error)
            return []

    def _drop(self, key: int) -> None:
        try:
            self._database.execute("DELETE FROM page WHERE key = ?", (key,))
        except sqlite3.Error as error:
            self._failed(error)

    def _held(self) -> tuple[int, int]:
        self.write()
        return self._totals()

    def _totals(self) -> tuple[int, int]:
        pages, size = self._database.execute("SELECT total(pages), total(bytes) FROM kind").fetchone()
        return int(pages), int(size)

    def _make_room(self) -> None:
        pages, size = self._totals()
        while pages > self._most_pages or size > self._most_bytes:
            one = self._database.execute("SELECT key, size FROM page WHERE served ORDER BY at LIMIT 1").fetchone()
            key, freed = one or self._database.execute(_OF_THE_COMMONEST).fetchone()
            self._database.execute("DELETE FROM page WHERE key = ?", (key,))
            pages, size = pages - 1, size - freed

    # The file.

    def _opened(self) -> sqlite3.Connection:
        if self._path is None:
            return _open(":memory:")
        try:
            return _open(str(self._path))
        except sqlite3.Error as error:
            return self._without(error)

    def _without(self, error: sqlite3.Error) -> sqlite3.Connection:
        """A shelf that cannot be used is thrown away and begun anew; where even that fails, there is none on disk."""
        assert self._path is not None, "memory does not fail so"
        self.notes.append(
            f"the shelf {self._path} cannot be used ({error}) and is begun anew; pages that lay there are fetched "
            "again when a request asks for their kind"
        )
        try:
            throw_away(self._path)
            return _open(str(self._path))
        except (sqlite3.Error, OSError):
            self._path = None
            return _open(":memory:")

    def _failed(self, error: sqlite3.Error) -> None:
        """Another migrant at work on it is no fault; anything else is the end of the file."""
        if getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            return
        self._database.close()
        self._database = self._without(error) if self._path is not None else _open(":memory:")


def throw_away(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _open(path: str) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE_SECONDS)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        # A process that is killed loses nothing so; a power cut may cost the shelf, and that is found out.
        database.execute("PRAGMA synchronous = OFF")
        found = int(database.execute("PRAGMA user_version").fetchone()[0])
        if found not in (0, FORMAT):
            raise sqlite3.DatabaseError(f"its format is {found}, not {FORMAT}")
        if (sound := database.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise sqlite3.DatabaseError(str(sound))
        database.executescript(_TABLES)
    except BaseException:
        database.close()
        raise
    return database


def _digest(packed: bytes) -> int:
    return xxhash.xxh3_64_intdigest(packed) >> 1
