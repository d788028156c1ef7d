"""The log of what readers did: one row for each thing done, written before it is acknowledged."""

import sqlite3
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from whimbrel.behaviour.actions import ACTIVE_SECONDS
from whimbrel.readers.contract import (
    LATEST_DAYS,
    MOST_A_DAY,
    NEW_A_DAY,
    NOBODY,
    SECONDS_A_DAY,
    Bundle,
    TooMuch,
)
from whimbrel.readers.opening import WAIT_SECONDS, opened
from whimbrel.records.deed import Action, Deed
from whimbrel.records.url import Url
from whimbrel.repository.location import Where, located
from whimbrel.urls.normal import key as key_of

TWICE_SECONDS = 1800.0
"""Shown at the same place, or opened, for the same query again within this time, a page was so once: a double click, a
reload, a way back to the results."""
_LED = "reader = ? AND query = ? AND page = ? AND action IN (20, 21) AND action = ?"
"""As the index has it (SQLite, partial indexes §3.1: the condition has to be there word for word)."""
_KNOWN = 50_000
"""Pages and queries whose numbers are held."""
_INSERT = "INSERT INTO deed (reader, at, page, version, action, amount, query, rank) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"


class ReaderLog:
    """Threads may share it: they take turns. `wait_seconds` is how long another process is waited for that writes."""

    def __init__(self, where: Where, *, wait_seconds: float = WAIT_SECONDS) -> None:
        self.folder = located(where).beside
        self._turn = threading.RLock()
        self._database = opened(self.folder, wait_seconds)
        self._pages: dict[int, int] = {}
        self._queries: dict[str, int] = {"": 0}
        self._days: dict[int, tuple[int, int]] = {}
        # Asked for every page, and never for long: one process alone lets readers in.
        known = self._database.execute("SELECT id, number, recorded FROM reader")
        self._known: dict[str, tuple[int, bool]] = {id: (number, bool(on)) for id, number, on in known}

    def close(self) -> None:
        with self._turn:
            self._database.close()

    def __enter__(self) -> "ReaderLog":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: on the disk when it ends, or, where something is raised, not at all."""
        with self._turn:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
                self._database.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction already. Numbers given in it are given no more.
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                self.forget_numbers()
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with self._turn:
            yield self._database

    def forget_numbers(self) -> None:
        self._pages.clear()
        self._queries = {"": 0}
        self._days.clear()

    # Who.

    def join(self, id: str, origin: str, now: float) -> int:
        """A new reader. Raises TooMuch where too many began from one place."""
        with self.writing() as database:
            day = (now - SECONDS_A_DAY, origin)
            begun = database.execute("SELECT count(*) FROM reader WHERE since > ? AND origin = ?", day).fetchone()[0]
            if begun >= NEW_A_DAY:
                raise TooMuch(f"{NEW_A_DAY} readers began from your address today. Say yes again tomorrow.")
            given = (id, now, origin)
            database.execute("INSERT INTO reader (id, since, origin, recorded) VALUES (?, ?, ?, 1)", given)
            number = int(database.execute("SELECT last_insert_rowid()").fetchone()[0])
        self._known[id] = (number, True)
        return number

    def reader_of(self, id: str) -> tuple[int, bool] | None:
        """The reader's number, and whether what they do is recorded; None for an id that is not known (any more)."""
        return self._known.get(id)

    def origins(self) -> dict[int, str]:
        """Where each reader began, sealed: equal where it was the same address."""
        with self._turn:
            return dict(self._database.execute("SELECT number, origin FROM reader").fetchall())

    def switch(self, reader: int, recorded: bool) -> None:
        with self.writing() as database:
            database.execute("UPDATE reader SET recorded = ? WHERE number = ?", (recorded, reader))
        self._known = {id: (one, recorded if one == reader else on) for id, (one, on) in self._known.items()}

    def dismiss(self, reader: int) -> None:
        """Their cookie is nobody's from now on."""
        self._known = {id: (one, on) for id, (one, on) in self._known.items() if one != reader}

    # What.

    def take(self, bundles: Sequence[Bundle], now: float) -> list[bool | TooMuch]:
        """One commit for all of them. Of each, whether it was new: one that came before is acknowledged again."""
        with self.writing() as database:
            return [self._take(database, bundle, now) for bundle in bundles]

    def _take(self, database: sqlite3.Connection, bundle: Bundle, now: float) -> bool | TooMuch:
        named = (bundle.reader, bundle.name, now)
        if not database.execute("INSERT OR IGNORE INTO batch VALUES (?, ?, ?)", named).rowcount:
            return False
        if self._beyond(bundle.reader, len(bundle.did), now):
            database.execute("DELETE FROM batch WHERE reader = ? AND name = ?", named[:2])
            return TooMuch(f"More than {MOST_A_DAY} deeds in a day are no reader's. Nothing of this is kept.")
        page, query = self._page(database, bundle.key, bundle.url), self._query(database, bundle.query)
        rank = self._rank(database, bundle.reader, page, query)
        version, reader = bundle.version, bundle.reader
        rows = [(reader, one.at, page, version, one.action.value, one.amount, query, rank) for one in bundle.did]
        database.executemany(_INSERT, rows)
        if bundle.place >= 0:
            last = max(one.at for one in bundle.did)
            placed = (reader, page, version, last, bundle.place, query)
            # Batches may come late; the last place counts by when it was left.
            database.execute(
                "INSERT INTO place VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET version = excluded.version,"
                " at = excluded.at, place = excluded.place, query = excluded.query WHERE excluded.at >= at",
                placed,
            )
        return True

    def note(self, deeds: Iterable[Deed]) -> None:
        """What the server itself saw. All of them, or, where that fails, none."""
        with self.writing() as database:
            for deed in deeds:
                self._note(database, deed)

    def _note(self, database: sqlite3.Connection, deed: Deed) -> None:
        key = key_of(deed.page)
        page, query = self._page(database, key, deed.page), self._query(database, deed.query)
        rank = deed.rank or self._rank(database, deed.reader, page, query)
        if deed.action in (Action.SHOWN, Action.OPENED) and self._twice(database, deed, page, query, rank):
            return
        values = (deed.reader, deed.at, page, deed.version, deed.action.value, deed.amount, query, rank)
        database.execute(_INSERT, values)
        if deed.action in (Action.SHOWN, Action.OPENED):
            tally(database, [key], opened=deed.action is Action.OPENED)

    def _twice(self, database: sqlite3.Connection, deed: Deed, page: int, query: int, rank: int) -> bool:
        of = (deed.reader, query, page, deed.action.value, rank, deed.at - TWICE_SECONDS, deed.at)
        found = database.execute(f"SELECT 1 FROM deed WHERE {_LED} AND rank = ? AND at BETWEEN ? AND ?", of)
        return found.fetchone() is not None

    def _beyond(self, reader: int, more: int, now: float) -> bool:
        """Counted since the server began or the day did; what a restart forgets is little."""
        day = int(now // SECONDS_A_DAY)
        known, count = self._days.get(reader, (day, 0))
        count = more + (count if known == day else 0)
        if count > MOST_A_DAY:
            return True
        self._days[reader] = (day, count)
        return False

    def _rank(self, database: sqlite3.Connection, reader: int, page: int, query: int) -> int:
        """Where it stood when this reader was last shown it for this query."""
        if not query:
            return 0
        row = database.execute(
            f"SELECT rank FROM deed WHERE {_LED} ORDER BY number DESC LIMIT 1",
            (reader, query, page, Action.SHOWN.value),
        ).fetchone()
        return int(row[0]) if row is not None else 0

    def _page(self, database: sqlite3.Connection, key: int, url: Url) -> int:
        number = self._pages.get(key)
        if number is None:
            database.execute("INSERT OR IGNORE INTO page (key, url) VALUES (?, ?)", (key, url))
            number = int(database.execute("SELECT number FROM page WHERE key = ?", (key,)).fetchone()[0])
            if len(self._pages) >= _KNOWN:
                self._pages.clear()
            self._pages[key] = number
        return number

    def _query(self, database: sqlite3.Connection, text: str) -> int:
        number = self._queries.get(text)
        if number is None:
            database.execute("INSERT OR IGNORE INTO query (text) VALUES (?)", (text,))
            number = int(database.execute("SELECT number FROM query WHERE text = ?", (text,)).fetchone()[0])
            if len(self._queries) >= _KNOWN:
                self._queries = {"": 0}
            self._queries[text] = number
        return number

    # What mining reads.

    def deeds(self, since: float = 0.0) -> Iterator[Deed]:
        """In the order in which they came. A copy of the moment it is asked: what comes meanwhile is not in it."""
        with self._turn:
            last = self._database.execute("SELECT coalesce(max(number), 0) FROM deed").fetchone()[0]
        after = 0
        while True:
            with self._turn:
                rows = self._database.execute(
                    "SELECT deed.number, reader, at, url, version, action, amount, coalesce(text, ''), rank FROM deed"
                    " JOIN page ON page.number = deed.page LEFT JOIN query ON query.number = deed.query"
                    " WHERE deed.number > ? AND deed.number <= ? AND at >= ? ORDER BY deed.number LIMIT 10000",
                    (after, last, since),
                ).fetchall()
            if not rows:
                return
            after = rows[-1][0]
            for row in rows:
                yield Deed(row[1], row[2], row[3], row[4], Action(row[5]), *row[6:])

    def size(self) -> int:
        """How many rows there are."""
        with self._turn:
            return int(self._database.execute("SELECT count(*) FROM deed").fetchone()[0])

    def readers_by_page(self) -> dict[int, set[int]]:
        """By key, who read a page: was there for half a minute, or did what only somebody does who reads."""
        with self._turn:
            rows = self._database.execute(
                "SELECT key, reader FROM (SELECT page, reader, action, sum(amount) AS amount FROM"
                " (SELECT page, reader, action, amount FROM deed UNION ALL"
                " SELECT page, reader, action, amount FROM summed) GROUP BY page, reader, action)"
                " JOIN page ON page.number = page WHERE (action = 15 AND amount >= ?) OR action IN (2, 8, 9, 10)",
                (ACTIVE_SECONDS,),
            ).fetchall()
        readers: defaultdict[int, set[int]] = defaultdict(set)
        for key, reader in rows:
            readers[key].add(reader)
        return dict(readers)

    # Keeping it small.

    def fold(self, keep_days: int, now: float) -> int:
        """Rows older than that become sums; how many did. What was on the way for too long is forgotten by name."""
        oldest = now - keep_days * SECONDS_A_DAY
        with self.writing() as database:
            database.execute("DELETE FROM batch WHERE at < ?", (now - (LATEST_DAYS + 1) * SECONDS_A_DAY,))
            database.execute(
                "INSERT INTO summed SELECT reader, page, query, action, count(*), sum(amount) FROM deed WHERE at < ?"
                " GROUP BY reader, page, query, action"
                " ON CONFLICT DO UPDATE SET count = count + excluded.count, amount = amount + excluded.amount",
                (oldest,),
            )
            return database.execute("DELETE FROM deed WHERE at < ?", (oldest,)).rowcount

    def forget_pages(self, keys: Iterable[int]) -> None:
        """What was done with pages that are forgotten; what was put aside on purpose stays."""
        with self.writing() as database:
            for key in keys:
                for table in ("deed", "summed", "place"):
                    database.execute(
                        f"DELETE FROM {table} WHERE page = (SELECT number FROM page WHERE key = ?)", (key,)
                    )
                database.execute("DELETE FROM page WHERE key = ?", (key,))
                database.execute("DELETE FROM tally WHERE key = ?", (key,))
            sweep(database)
            self.forget_numbers()


def tally(database: sqlite3.Connection, keys: Iterable[int], *, opened: bool) -> None:
    shown, clicked = (0, 1) if opened else (1, 0)
    database.executemany(
        "INSERT INTO tally VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET shown = shown + excluded.shown,"
        " opened = opened + excluded.opened",
        [(key, shown, clicked) for key in keys],
    )


def sweep(database: sqlite3.Connection) -> None:
    """Words of queries and addresses of pages that nothing refers to any more."""
    for table in ("page", "query"):
        used = " UNION ".join(f"SELECT {table} FROM {each}" for each in ("deed", "summed", "place"))
        database.execute(f"DELETE FROM {table} WHERE number NOT IN ({used})")


__all__ = ["NOBODY", "ReaderLog", "sweep", "tally"]
