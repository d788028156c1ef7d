"""What the index knows beside the words: a row a page, the links between pages, and every word met.

`pages.sqlite` in the index folder. One writer; readers see whole transactions. A page is `stale` from the moment an
event tells of it until a commit of the word index holds it as it is, so a kill at any moment leaves work, never a gap.
A link is kept as the number of its target and anchor text together: the page row holds four bytes a link, which both
the anchors of a page and the graph of links are made from.
"""

import sqlite3
from array import array
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from whimbrel.records.url import Url
from whimbrel.repository.among import among, marks, parts
from whimbrel.search.link_numbers import LinkNumbers
from whimbrel.search.links import Links
from whimbrel.search.tables import COLUMNS, FORMAT, TABLES, UPSERT

FILE = "pages.sqlite"
MOST_ANCHORS = 64


class BookRow(Struct, frozen=True, gc=False):
    """A page as the index sees it. `role` is "page", "twin" or "gone"."""

    key: int
    role: str
    stale: bool
    url: Url
    site: str
    type: str
    language: str
    title: str
    version: int
    versions: int
    fetched_at: float
    modified_at: float
    changed_at: float | None
    twins: bytes
    mime: str
    links: bytes


class IndexUnreadable(Exception):
    """The index cannot be read: build it anew."""


class OtherForm(IndexUnreadable):
    """Nothing is broken: another version of this program wrote it in another form."""


class Book:
    """`cache_bytes` is for the writer, whose transactions are large: pages that do not fit are written twice."""

    def __init__(self, folder: Path, *, create: bool = False, cache_bytes: int = 0) -> None:
        self._folder = folder
        path = folder / FILE
        if not create and not path.exists():
            raise IndexUnreadable(f"{FILE} is missing")
        with ExitStack() as on_failure:
            try:
                self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
                on_failure.enter_context(closing(self._database))
                self._database.execute("PRAGMA journal_mode = WAL")
                # A commit lost to a power cut is work to do again, so the order of writes is all that has to hold.
                self._database.execute("PRAGMA synchronous = NORMAL")
                self._database.execute("PRAGMA secure_delete = ON")
                if cache_bytes:
                    self._database.execute(f"PRAGMA cache_size = {-cache_bytes // 1024}")
                    self._database.execute(f"PRAGMA wal_autocheckpoint = {cache_bytes // 8192}")
                found = int(self._database.execute("PRAGMA user_version").fetchone()[0])
                if found == 0 and create:
                    self._database.executescript(TABLES)
                    found = FORMAT
            except sqlite3.DatabaseError as error:
                raise IndexUnreadable(f"{FILE}: {error}") from error
            if found != FORMAT:
                raise OtherForm(f"{FILE} has format {found}, not {FORMAT}")
            on_failure.pop_all()
        self._links: Links | None = None

    def close(self) -> None:
        self._database.close()

    def check(self) -> None:
        """Raises where the file is damaged; reads all of it."""
        try:
            said = self._database.execute("PRAGMA quick_check(1)").fetchone()[0]
        except sqlite3.DatabaseError as error:
            raise IndexUnreadable(f"{FILE}: {error}") from error
        if said != "ok":
            raise IndexUnreadable(f"{FILE}: {said}")

    # How far it came.

    def number(self, name: str) -> int:
        row = self._database.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row else 0

    def note(self, name: str, value: int) -> None:
        self._database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def __enter__(self) -> "Book":  # one transaction
        self._database.execute("BEGIN IMMEDIATE")
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._database.execute("COMMIT" if kind is None else "ROLLBACK")
        if kind is not None:
            self._links = None

    # Pages.

    def put(self, rows: Iterable[BookRow]) -> set[int]:
        """Returns what was not called before as links on these pages call it."""
        new, fresh = self._links.take_new() if self._links is not None else ([], set[int]())
        self._database.executemany("INSERT INTO anchor VALUES (?, ?, ?, ?)", sorted(new))
        # By key: rows that stand beside each other in the table are written together.
        self._database.executemany(UPSERT, sorted(map(msgspec.structs.astuple, rows)))
        return fresh

    def rows(self, keys: Iterable[int]) -> dict[int, BookRow]:
        return {row[0]: _row(row) for row in among(self._database, f"SELECT {COLUMNS} FROM page WHERE key IN", keys)}

    def stale(self, after: int, most: int) -> list[BookRow]:
        """Pages that the word index does not hold as they are, by key."""
        query = f"SELECT {COLUMNS} FROM page WHERE stale = 1 AND version > ? ORDER BY version LIMIT ?"
        return [_row(row) for row in self._database.execute(query, (after, most)).fetchall()]

    def count(self, condition: str = "role = 'page'") -> int:
        return int(self._database.execute(f"SELECT count(*) FROM page WHERE {condition}").fetchone()[0])

    def settle(self, rows: Iterable[BookRow]) -> None:
        """These are in the word index now, with the titles, languages and dates that they were found to have; what is
        gone leaves the book."""
        done = list(rows)
        self.note("settled", 1)
        gone = [(row.key,) for row in done if row.role == "gone"]
        self._database.executemany("DELETE FROM page WHERE key = ?", gone)
        self._database.executemany(
            "UPDATE page SET stale = 0, title = ?, language = ?, modified_at = ? WHERE key = ?",
            [(row.title, row.language, row.modified_at, row.key) for row in done],
        )

    def mark_gone(self, keys: Iterable[int]) -> None:
        self._database.executemany(
            "UPDATE page SET role = 'gone', stale = 1, links = x'', title = '' WHERE key = ?",
            [(key,) for key in keys],
        )

    def mark_targets(self, targets: Iterable[int]) -> None:
        """What pages are called has changed: they are to be indexed again, and so are those whose twins they are and
        those that they redirect to."""
        if not self.number("settled"):
            return
        for part in parts(targets):
            these = marks(part)
            self._database.execute(
                f"UPDATE page SET stale = 1 WHERE role = 'page' AND stale = 0 AND key IN {these}", part
            )
            self._database.execute(
                "UPDATE page SET stale = 1 WHERE role = 'page' AND stale = 0 AND twins IN"
                f" (SELECT twins FROM page WHERE role = 'twin' AND key IN {these})",
                part,
            )
            self._database.execute(
                "UPDATE page SET stale = 1 WHERE role = 'page' AND stale = 0 AND key IN"
                f" (SELECT target FROM moved WHERE key IN {these})",
                part,
            )

    def twins(self, rows: Iterable[BookRow]) -> dict[int, list[tuple[int, Url]]]:
        """Key and URL of the twins that pages stand for, by the page's key; pages without twins are left out."""
        stands = {row.twins: row.key for row in rows if row.twins}
        found: dict[int, list[tuple[int, Url]]] = {}
        for twins, key, url in among(
            self._database, "SELECT twins, key, url FROM page WHERE role = 'twin' AND twins IN", stands
        ):
            found.setdefault(stands[twins], []).append((key, url))
        return found

    def languages(self) -> list[str]:
        rows = self._database.execute(
            "SELECT language, count(*) FROM page WHERE role = 'page' GROUP BY 1 ORDER BY 2 DESC"
        )
        return [language for language, _ in rows.fetchall() if language]

    # Links.

    def links(self, urls: Iterable[Url], texts: Iterable[str]) -> bytes:
        """The numbers of these links with their anchor texts. New ones are written by `put`, with the pages that hold
        them."""
        if self._links is None:
            known = self._database.execute("SELECT hash, id FROM anchor")
            self._links = Links(LinkNumbers(self._folder, self.most_links()), known)
        return self._links.numbers(urls, texts)

    def rest(self) -> None:
        """No links are to come for a while."""
        if self._links is not None:
            self._links.clear()

    def anchors(self, targets: Iterable[int]) -> dict[int, list[str]]:
        """What links call these pages, or URLs that redirect to them."""
        found: dict[int, list[str]] = {}
        wanted = list(targets)
        straight = among(self._database, "SELECT target, text FROM anchor WHERE target IN", wanted)
        around = among(
            self._database,
            "SELECT m.target, a.text FROM moved m JOIN anchor a ON a.target = m.key WHERE m.target IN",
            wanted,
        )
        for target, text in chain(straight, around):
            texts = found.setdefault(target, [])
            if text and len(texts) < MOST_ANCHORS:
                texts.append(text)
        return found

    def moved(self) -> Iterator[tuple[int, int]]:
        """URLs that redirect, with the page that a reader arrives at, by key."""
        return self._database.execute("SELECT key, target FROM moved ORDER BY key")

    def note_moves(self, moves: dict[int, int]) -> None:
        """These are all there are; the pages that more or fewer lead to are to be indexed again."""
        changed = moves.items() ^ dict(self.moved()).items()
        if changed:
            self._database.execute("DELETE FROM moved")
            self._database.executemany("INSERT INTO moved VALUES (?, ?)", sorted(moves.items()))
            self.mark_targets({target for _, target in changed})

    def drop_unused_anchors(self) -> set[int]:
        """Anchor texts that no page holds any more go; returns what they pointed to."""
        used = bytearray(self.most_links() + 1)
        for (links,) in self._database.execute("SELECT links FROM page WHERE role <> 'gone'"):
            for number in array("I", links):
                used[number] = 1
        rows = self._database.execute("SELECT id, target FROM anchor WHERE text <> ''")
        unused = [(number, target) for number, target in rows if not used[number]]
        # The numbers stay taken: they count up, and another page may hold the same link tomorrow.
        self._database.executemany("UPDATE anchor SET text = '', hash = 0 WHERE id = ? AND target = ?", unused)
        if unused:
            self._links = None
        return {target for _, target in unused}

    def linked(self) -> Iterator[tuple[int, bytes]]:
        """Key and link numbers of every page, by key."""
        return self._database.execute("SELECT key, links FROM page WHERE role = 'page' ORDER BY key")

    def most_links(self) -> int:
        """The highest number of a link so far."""
        return int(self._database.execute("SELECT coalesce(max(id), 0) FROM anchor").fetchone()[0])

    def targets(self, most: int) -> Iterator[tuple[int, int]]:
        """Number and target of every link with a number up to `most`."""
        return self._database.execute("SELECT id, target FROM anchor WHERE id <= ?", (most,))

    def standing_for(self) -> Iterator[tuple[int, int]]:
        """Every twin with the page that stands for it, by key."""
        return self._database.execute(
            # CROSS keeps the order: pages are looked up by twins, of which there are fewer.
            "SELECT t.key, max(p.key) FROM page t CROSS JOIN page p ON p.twins = t.twins AND p.role = 'page'"
            " WHERE t.role = 'twin' AND t.twins <> x'' GROUP BY t.key ORDER BY t.key"
        )

    # Meanings.

    def versions(self) -> Iterator[tuple[int, int, str]]:
        """Key, version and language of every page that the word index holds as it is."""
        return self._database.execute("SELECT key, version, language FROM page WHERE role = 'page' AND stale = 0")

    def drop_old_vectors(self) -> bool:
        """Those that an older release kept here; whether there were any."""
        known = self._database.execute("SELECT 1 FROM sqlite_master WHERE name = 'meaning'").fetchone()
        if known:
            self._database.execute("DROP TABLE meaning")
        return known is not None

    # Words.

    def learn(self, words: Iterable[str]) -> None:
        self._database.executemany("INSERT OR IGNORE INTO word VALUES (?)", [(word,) for word in sorted(words)])

    def among(self, words: Iterable[str]) -> list[str]:
        """Those of the words that some page holds, or held."""
        return [word for (word,) in among(self._database, "SELECT word FROM word WHERE word IN", words)]

    def words(self) -> list[str]:
        return [word for (word,) in self._database.execute("SELECT word FROM word").fetchall()]

    def unlearn(self, words: Iterable[str]) -> None:
        self._database.executemany("DELETE FROM word WHERE word = ?", [(word,) for word in words])

    def shrink(self) -> bool:
        """Overwrites what deleted rows leave in the write-ahead log; False where a reader is in the way."""
        return not self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]

    def words_between(self, first: str, end: str, shortest: int, longest: int) -> list[str]:
        query = "SELECT word FROM word WHERE word >= ? AND word < ? AND length(word) BETWEEN ? AND ?"
        rows = self._database.execute(query, (first, end, shortest, longest))
        return [word for (word,) in rows.fetchall()]


def _row(row: Any) -> BookRow:
    key, role, stale, *rest = row
    return BookRow(key, role, bool(stale), *rest)
