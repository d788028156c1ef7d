"""What a place has sent and home has heard, as each side keeps it on its own disk (`held.sqlite`).

Both sides number pages alike. The place counts a page as held by both once home has acknowledged the parcel it came
in; home writes it down when it hears it, before it acknowledges. So what the place believes to be held is held, or the
file was lost, which is noticed when a channel begins: both then start from nothing.
"""

import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path

import zstandard
from msgspec import Struct

from whimbrel.records.task import Validators
from whimbrel.records.url import Url

FILE = "held.sqlite"
MOST_BODY_BYTES = 512 << 20
LARGEST_BODY = 4 << 20
_KEPT = 0.9
_VERSIONS = 2
"""Of a page, in case the later one was heard by home and never acknowledged."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS page(
  number INTEGER PRIMARY KEY AUTOINCREMENT, key INTEGER NOT NULL, url TEXT NOT NULL, etag TEXT NOT NULL,
  last_modified TEXT NOT NULL, digest BLOB NOT NULL, held INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS page_by_key ON page(key, number);
CREATE INDEX IF NOT EXISTS page_by_digest ON page(digest);
CREATE TABLE IF NOT EXISTS body(
  id INTEGER PRIMARY KEY AUTOINCREMENT, digest BLOB NOT NULL UNIQUE, packed BLOB NOT NULL);
"""


class HeldPage(Struct, frozen=True):
    """A page as both sides know it."""

    number: int
    key: int
    url: Url
    validators: Validators
    digest: bytes


class Holdings:
    """One side's file. Bodies leave when they take too much room, the oldest first; what is known of their pages
    stays."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BODY_BYTES) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(folder / FILE, isolation_level=None, timeout=30.0)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.executescript(_SCHEMA)
        self._most_bytes = most_bytes
        row = self._database.execute("SELECT coalesce(sum(length(packed)), 0) FROM body").fetchone()
        self._bytes = int(row[0])
        self._packer = zstandard.ZstdCompressor(level=3)
        self._unpacker = zstandard.ZstdDecompressor()

    def close(self) -> None:
        self._database.close()

    # Which holdings these are.

    @property
    def epoch(self) -> str:
        """The place's name for what it numbers; made anew with the file, "" at a home that knows none."""
        row = self._database.execute("SELECT value FROM meta WHERE name = 'epoch'").fetchone()
        return str(row[0]) if row else ""

    def begin(self) -> str:
        """At the place: the epoch, made where there is none."""
        if not self.epoch:
            self.adopt(os.urandom(8).hex())
        return self.epoch

    def adopt(self, epoch: str) -> None:
        self._database.execute("INSERT OR REPLACE INTO meta VALUES('epoch', ?)", (epoch,))

    def highest(self) -> int:
        """The number of the last page that counts as held; 0 if none does."""
        row = self._database.execute("SELECT coalesce(max(number), 0) FROM page WHERE held").fetchone()
        return int(row[0])

    def clear(self) -> None:
        """Forgets all pages; numbers go on where they were, so that none means two things."""
        self._database.executescript("DELETE FROM page; DELETE FROM body;")
        self._bytes = 0

    # Pages.

    def put(self, pages: Iterable[tuple[HeldPage, bytes]], *, held: bool) -> list[int]:
        """Takes pages in, all or none; gives their numbers, new ones where they are 0. `held` at home; at the place it
        is said later."""
        database = self._database
        database.execute("BEGIN IMMEDIATE")
        try:
            numbers = [self._put(page, body, held) for page, body in pages]
            database.execute("COMMIT")
        except BaseException:
            database.execute("ROLLBACK")
            raise
        self._make_room()
        return numbers

    def _put(self, page: HeldPage, body: bytes, held: bool) -> int:
        cursor = self._database.execute(
            "INSERT OR REPLACE INTO page VALUES(?, ?, ?, ?, ?, ?, ?)",
            (
                page.number or None, page.key, page.url, page.validators.etag, page.validators.last_modified,
                page.digest, held,
            ),
        )  # fmt: skip
        number = cursor.lastrowid
        assert number is not None
        if not self._has_body(page.digest):
            packed = self._packer.compress(body)
            self._database.execute("INSERT INTO body(digest, packed) VALUES(?, ?)", (page.digest, packed))
            self._bytes += len(packed)
        self._forget_older(page.key)
        return number

    def _has_body(self, digest: bytes) -> bool:
        return self._database.execute("SELECT 1 FROM body WHERE digest = ?", (digest,)).fetchone() is not None

    def _forget_older(self, key: int) -> None:
        """All but the last versions and the last one that is held, with bodies that no page has any more."""
        query = "SELECT number, held, digest FROM page WHERE key = ? ORDER BY number DESC"
        rows = self._database.execute(query, (key,)).fetchall()
        last_held = next((number for number, held, _ in rows if held), 0)
        for number, _, digest in rows[_VERSIONS:]:
            if number != last_held:
                self._database.execute("DELETE FROM page WHERE number = ?", (number,))
                self._forget_body(digest)

    def _forget_body(self, digest: bytes) -> None:
        if self._database.execute("SELECT 1 FROM page WHERE digest = ?", (digest,)).fetchone() is None:
            sizes = self._database.execute("DELETE FROM body WHERE digest = ? RETURNING length(packed)", (digest,))
            self._bytes -= sum(size for (size,) in sizes.fetchall())

    def hold(self, numbers: Iterable[int]) -> None:
        """Home has acknowledged these."""
        self._database.executemany("UPDATE page SET held = 1 WHERE number = ?", [(number,) for number in numbers])

    def latest(self, key: int) -> HeldPage | None:
        """The last version of a page that both sides hold."""
        return self._one("key = ? AND held ORDER BY number DESC LIMIT 1", key)

    def numbered(self, number: int) -> HeldPage | None:
        return self._one("number = ?", number)

    def same(self, digest: bytes) -> HeldPage | None:
        """A page with these bytes that both sides hold, with its body."""
        found = self._one("digest = ? AND held ORDER BY number DESC LIMIT 1", digest)
        return found if found is not None and self._has_body(digest) else None

    def body(self, page: HeldPage) -> bytes | None:
        row = self._database.execute("SELECT packed FROM body WHERE digest = ?", (page.digest,)).fetchone()
        return self._unpacker.decompress(row[0]) if row else None

    def _one(self, where: str, value: object) -> HeldPage | None:
        columns = "number, key, url, etag, last_modified, digest"
        row = self._database.execute(f"SELECT {columns} FROM page WHERE {where}", (value,)).fetchone()
        return HeldPage(row[0], row[1], Url(row[2]), Validators(row[3], row[4]), row[5]) if row else None

    def _make_room(self) -> None:
        if self._bytes <= self._most_bytes:
            return
        for number, size in self._database.execute("SELECT id, length(packed) FROM body ORDER BY id").fetchall():
            if self._bytes <= self._most_bytes * _KEPT:
                break
            self._database.execute("DELETE FROM body WHERE id = ?", (number,))
            self._bytes -= size
