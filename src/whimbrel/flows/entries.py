"""`entries.sqlite`: index entries of pages whose bodies stayed where they were read, beside the repository, which knows
such a page as refused by the rule `entry`. An entry goes when its page comes, or is not there any more."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from whimbrel.records.entry import ENTRY_RULE, MOST_CHARACTERS, MOST_WORDS, PageEntry
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome, Visit
from whimbrel.repository.among import among, marks
from whimbrel.urls.normal import authority

if TYPE_CHECKING:
    from whimbrel.parse.words import Analysers

FILE = "entries.sqlite"
_LONGEST_WORD = 60
_STAYS = (Outcome.UNREACHABLE, Outcome.DISCOVERED)
"""Visits by these outcomes say nothing of a page."""
_TABLES = """
CREATE TABLE IF NOT EXISTS entry (
  key INTEGER PRIMARY KEY, url TEXT NOT NULL, site TEXT NOT NULL, place TEXT NOT NULL, at REAL NOT NULL,
  title TEXT NOT NULL, about TEXT NOT NULL, language TEXT NOT NULL, digest BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS word (
  stem TEXT NOT NULL, key INTEGER NOT NULL, weight INTEGER NOT NULL, said TEXT NOT NULL, PRIMARY KEY (stem, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS word_key ON word (key);
"""


class KnownEntry(Struct, frozen=True):
    """A page that is not here, as its entry tells of it. `at` is when it was read, `place` whose word it is."""

    key: int
    url: Url
    site: str
    place: str
    at: float
    title: str
    about: str
    language: str


class EntryBook:
    """`analysers` make of words what a question is asked by. Without a file there are no entries, and none is made to
    look."""

    def __init__(self, beside: Path) -> None:
        self._file = beside / FILE

    @property
    def exists(self) -> bool:
        return self._file.exists()

    def _opened(self) -> sqlite3.Connection:
        base = sqlite3.connect(self._file, isolation_level=None, timeout=30.0)
        base.execute("PRAGMA journal_mode = WAL")
        base.executescript(_TABLES)
        return base

    def settle(self, told: Sequence[tuple[str, Visit]], entries: Iterable[PageEntry]) -> None:
        """Takes in what came with these visits, each told by a place; of other pages the entries go."""
        by_key = {entry.key: entry for entry in entries}
        new = [(place, visit, by_key[visit.key]) for place, visit in told if _is_entry(visit) and visit.key in by_key]
        gone = [visit.key for _, visit in told if not _is_entry(visit) and visit.outcome not in _STAYS]
        if not new and not (gone and self.exists):
            return
        with closing(self._opened()) as base:
            base.execute("BEGIN IMMEDIATE")
            _drop(base, [*gone, *(visit.key for _, visit, _ in new)])
            if new:
                _put_all(base, new)
            base.execute("COMMIT")

    def forget(self, covers: Callable[[str], bool]) -> None:
        if not self.exists:
            return
        with closing(self._opened()) as base:
            rows = base.execute("SELECT key, url FROM entry").fetchall()
            base.execute("PRAGMA secure_delete = ON")
            base.execute("BEGIN IMMEDIATE")
            _drop(base, [key for key, url in rows if covers(url)])
            base.execute("COMMIT")
            base.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def count(self) -> int:
        if not self.exists:
            return 0
        with closing(self._opened()) as base:
            return int(base.execute("SELECT count(*) FROM entry").fetchone()[0])

    def languages(self) -> list[str]:
        if not self.exists:
            return []
        with closing(self._opened()) as base:
            return [row[0] for row in base.execute("SELECT DISTINCT language FROM entry ORDER BY language")]

    def holding(self, stems: Sequence[str]) -> dict[int, dict[str, int]]:
        """The pages that stand out by any of these words: by key, the weight of each."""
        found: dict[int, dict[str, int]] = {}
        if not self.exists or not stems:
            return found
        with closing(self._opened()) as base:
            query = f"SELECT key, stem, weight FROM word WHERE stem IN {marks(tuple(stems))}"
            for key, stem, weight in base.execute(query, tuple(stems)):
                found.setdefault(key, {})[stem] = weight
        return found

    def entries(self, keys: Iterable[int]) -> dict[int, KnownEntry]:
        columns = "key, url, site, place, at, title, about, language"
        with closing(self._opened()) as base:
            rows = list(among(base, f"SELECT {columns} FROM entry WHERE key IN", keys))
        return {row[0]: KnownEntry(row[0], Url(row[1]), *row[2:]) for row in rows}


def _is_entry(visit: Visit) -> bool:
    return visit.outcome is Outcome.REFUSED and visit.rule == ENTRY_RULE


def _drop(base: sqlite3.Connection, keys: Iterable[int]) -> None:
    rows = [(key,) for key in keys]
    base.executemany("DELETE FROM entry WHERE key = ?", rows)
    base.executemany("DELETE FROM word WHERE key = ?", rows)


def _put_all(base: sqlite3.Connection, new: Iterable[tuple[str, Visit, PageEntry]]) -> None:
    from whimbrel.parse.words import Analysers  # needs the extra `search`, and a crawl without entries needs neither

    analysers = Analysers()
    for place, visit, entry in new:
        _put(base, place, visit, entry, analysers)


def _put(base: sqlite3.Connection, place: str, visit: Visit, entry: PageEntry, analysers: "Analysers") -> None:
    """As much as a page may say, whatever a place sent."""
    base.execute(
        "INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            visit.key, visit.url, authority(visit.url), place, visit.at, entry.title[:MOST_CHARACTERS],
            entry.about[:MOST_CHARACTERS], entry.language[:20], entry.digest[:64],
        ),
    )  # fmt: skip
    analyser = analysers.of(entry.language)
    for word, weight in entry.words[:MOST_WORDS]:
        for stem in analyser.tokens(word[:_LONGEST_WORD]).split():
            base.execute(
                "INSERT INTO word VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET weight = max(weight, excluded.weight)",
                (stem, visit.key, max(1, min(255, weight)), word[:_LONGEST_WORD]),
            )
