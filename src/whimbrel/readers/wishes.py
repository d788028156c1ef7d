"""Wishes: what readers asked for that was not here. They wait in the log's file until a crawl takes them up.

Whoever asks writes a wish, and a run writes how it goes; the folder's repository knows nothing of readers.
"""

import sqlite3
from collections.abc import Iterable, Sequence, Set
from typing import Any

import msgspec

from whimbrel.readers.contract import SECONDS_A_DAY, ReaderSettings
from whimbrel.readers.log import ReaderLog
from whimbrel.records.url import Url
from whimbrel.records.wish import NewWish, SoughtKind, Wish, WishState
from whimbrel.repository.among import marks
from whimbrel.urls.normal import key as key_of

MOST_WAITING = 20
"""Wishes that may wait at a time, of all readers."""
_COLUMNS = (
    "number, reader, at, query, best, kinds, sites, visits, pages, state, began_at, ended_at, words, visited,"
    " (SELECT count(*) FROM wished WHERE wish = wish.number)"
)
_SPENT = (
    "SELECT coalesce(sum(CASE state WHEN 'ended' THEN visited ELSE visits END), 0) FROM wish"
    " WHERE at > ?1 AND (?2 IS NULL OR reader = ?2)"
)
"""What has begun or waits counts whole, until it is known what it took."""


class WishRefused(msgspec.Struct, frozen=True):
    """Why a wish is not taken, in words for whoever made it."""

    words: str


class Wishes:
    def __init__(self, log: ReaderLog) -> None:
        self._log = log

    # Asking.

    def allowance(self, reader: int, settings: ReaderSettings, now: float) -> int | WishRefused:
        """How many pages a wish of this reader may ask for now."""
        if not settings.more_visits:
            return WishRefused("This server fetches nothing on wish: `more_visits` in its settings is 0.")
        with self._log.reading() as database:
            return _allowance(database, reader, settings, now)

    def add(self, wish: NewWish, settings: ReaderSettings, now: float) -> int | WishRefused:
        """Its number, on the disk when this returns. The same wish of the same reader is there once while it waits or
        runs: a form that is sent twice asks once."""
        with self._log.writing() as database:
            same = database.execute(
                "SELECT number FROM wish WHERE reader = ? AND query = ? AND state <> 'ended'", (wish.reader, wish.query)
            ).fetchone()
            if same is not None:
                return int(same[0])
            left = _allowance(database, wish.reader, settings, now)
            if isinstance(left, WishRefused):
                return left
            row = (
                wish.reader, now, wish.query, wish.best, msgspec.json.encode(wish.kinds).decode(),
                msgspec.json.encode(wish.sites).decode(), min(wish.visits, left), wish.pages, WishState.WAITING,
            )  # fmt: skip
            database.execute(
                "INSERT INTO wish (reader, at, query, best, kinds, sites, visits, pages, state, words, visited)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', 0)",
                row,
            )
            return int(database.execute("SELECT last_insert_rowid()").fetchone()[0])

    # Looking.

    def one(self, number: int) -> Wish | None:
        return next(iter(self._some("number = ?", number)), None)

    def open(self) -> list[Wish]:
        """Those that wait or run, in the order in which they were made."""
        return self._some("state <> 'ended'")

    def every(self) -> list[Wish]:
        return self._some("true")

    def of(self, reader: int, query: str) -> list[Wish]:
        """Those of one search: the reader's, and nobody's, which are the folder's."""
        return self._some("reader IN (?, 0) AND query = ?", reader, query)

    def pages(self, numbers: Iterable[int]) -> dict[Url, float]:
        """What was fetched for these, and when, the latest first."""
        wanted = list(numbers)
        with self._log.reading() as database:
            rows = database.execute(
                f"SELECT url, at FROM wished WHERE wish IN {marks(wanted)} ORDER BY at DESC, url", wanted
            )
            return {Url(url): at for url, at in rows.fetchall()}

    def _some(self, condition: str, *values: object) -> list[Wish]:
        with self._log.reading() as database:
            rows = database.execute(f"SELECT {_COLUMNS} FROM wish WHERE {condition} ORDER BY number", values).fetchall()
        return [_wish(row) for row in rows]

    # What a run tells.

    def begin(self, number: int, now: float) -> None:
        with self._log.writing() as database:
            database.execute(
                "UPDATE wish SET state = ?, began_at = coalesce(began_at, ?), words = '' WHERE number = ?",
                (WishState.RUNNING, now, number),
            )

    def wait(self, number: int, words: str) -> None:
        """It cannot be begun, or gone on with, just now."""
        with self._log.writing() as database:
            database.execute(
                "UPDATE wish SET state = ?, words = ? WHERE number = ? AND state <> 'ended'",
                (WishState.WAITING, words, number),
            )

    def note(self, number: int, visited: int, found: Sequence[Url], now: float) -> bool:
        """So many more were asked for, and these were kept; whether the wish is still there."""
        with self._log.writing() as database:
            database.execute("UPDATE wish SET visited = visited + ? WHERE number = ?", (visited, number))
            database.executemany(
                "INSERT OR IGNORE INTO wished SELECT number, ?, reader, ?, ? FROM wish WHERE number = ?",
                [(key_of(url), url, now, number) for url in found],
            )
            row = database.execute("SELECT state FROM wish WHERE number = ?", (number,)).fetchone()
        return row is not None and row[0] != WishState.ENDED

    def end(self, number: int, words: str, now: float) -> None:
        with self._log.writing() as database:
            database.execute(
                "UPDATE wish SET state = ?, words = ?, ended_at = ? WHERE number = ? AND state <> 'ended'",
                (WishState.ENDED, words, now, number),
            )

    def forget(self, keys: Set[int]) -> None:
        """Pages that are forgotten: wishes that name one of them, and what was fetched for any."""
        named = [
            (wish.number,)
            for wish in self.every()
            if not keys.isdisjoint(map(key_of, (wish.best, *(url for kind in wish.kinds for url in kind.examples))))
        ]
        with self._log.writing() as database:
            database.executemany("DELETE FROM wished WHERE key = ?", [(key,) for key in keys])
            database.executemany("DELETE FROM wished WHERE wish = ?", named)
            database.executemany("DELETE FROM wish WHERE number = ?", named)


def _allowance(database: sqlite3.Connection, reader: int, settings: ReaderSettings, now: float) -> int | WishRefused:
    day = now - SECONDS_A_DAY
    waiting = database.execute("SELECT count(*) FROM wish WHERE state <> 'ended'").fetchone()[0]
    if waiting >= MOST_WAITING:
        return WishRefused(f"{waiting} wishes wait already. Ask again when some of them are done.")
    of_all = settings.more_visits_day - int(database.execute(_SPENT, (day, None)).fetchone()[0])
    of_reader = settings.more_visits_reader - int(database.execute(_SPENT, (day, reader)).fetchone()[0])
    if min(of_all, of_reader) <= 0:
        whose = "you" if of_reader <= 0 else "all readers together"
        return WishRefused(f"Today's share of pages is spent for {whose}. Ask again tomorrow.")
    return min(settings.more_visits, of_all, of_reader)


def _wish(row: Sequence[Any]) -> Wish:
    number, reader, at, query, best, kinds, sites, visits, pages, state, began_at, ended_at, words, visited, found = row
    return Wish(
        reader, query, Url(best), msgspec.json.decode(kinds, type=tuple[SoughtKind, ...]),
        msgspec.json.decode(sites, type=tuple[str, ...]), visits, pages, number=number, at=at, state=WishState(state),
        began_at=began_at, ended_at=ended_at, words=words, visited=visited, found=found,
    )  # fmt: skip
