"""What is kept of one reader: told, given out as a file, and deleted."""

import sqlite3
from typing import Any

from msgspec import Struct

from whimbrel.readers.log import ReaderLog, sweep
from whimbrel.readers.opening import DAMAGED
from whimbrel.readers.tables import OWNED
from whimbrel.records.deed import Action

_SHOWN, _OPENED = Action.SHOWN.value, Action.OPENED.value


class ActionDone(Struct, frozen=True):
    """How often an action was done, and how much of it: seconds of times, stars of stars."""

    action: Action
    count: int
    amount: float


class Mine:
    def __init__(self, log: ReaderLog, reader: int) -> None:
        self._log = log
        self._reader = reader

    def done(self) -> list[ActionDone]:
        """Every action that was ever done, with what became sums."""
        with self._log.reading() as database:
            rows = database.execute(
                "SELECT action, sum(count), sum(amount) FROM ("
                "SELECT action, count(*) AS count, sum(amount) AS amount FROM deed WHERE reader = ?1 GROUP BY action"
                " UNION ALL SELECT action, count, amount FROM summed WHERE reader = ?1) GROUP BY action",
                (self._reader,),
            ).fetchall()
        return [ActionDone(Action(action), count, amount) for action, count, amount in rows]

    def rows(self, most: int) -> list[tuple[float, str, int, Action, float, str, int]]:
        """At, page, version, action, amount, query, rank; the latest first."""
        with self._log.reading() as database:
            rows = database.execute(
                "SELECT at, url, version, action, amount, coalesce(text, ''), rank FROM deed"
                " JOIN page ON page.number = deed.page LEFT JOIN query ON query.number = deed.query"
                " WHERE reader = ? ORDER BY deed.number DESC LIMIT ?",
                (self._reader, most),
            ).fetchall()
        return [(*row[:3], Action(row[3]), *row[4:]) for row in rows]

    def export(self) -> dict[str, Any]:
        """Everything, under plain names."""
        columns = ["at", "url", "version", "action", "amount", "query", "rank"]
        with self._log.reading() as database:
            since = database.execute("SELECT since, recorded FROM reader WHERE number = ?", (self._reader,)).fetchone()
            sums = database.execute(
                "SELECT url, coalesce(text, ''), action, count, amount FROM summed"
                " JOIN page ON page.number = summed.page LEFT JOIN query ON query.number = summed.query"
                " WHERE reader = ?",
                (self._reader,),
            ).fetchall()
            places = self._table(
                database,
                "SELECT url, version, at, place, coalesce(text, '') AS query FROM place"
                " JOIN page ON page.number = place.page LEFT JOIN query ON query.number = place.query WHERE reader = ?",
            )
            favourites = self._table(database, "SELECT url, title, at FROM favourite WHERE reader = ?")
            stars = self._table(database, "SELECT url, title, stars, at FROM star WHERE reader = ?")
            saved = self._table(database, "SELECT query, at, token FROM saved WHERE reader = ?")
            wishes = self._table(
                database, "SELECT query, at, best, sites, state, words, visited FROM wish WHERE reader = ?"
            )
            fetched = self._table(database, "SELECT url, at FROM wished WHERE reader = ?")
            interests = self._table(database, "SELECT sort, value, title, at FROM interest WHERE reader = ?")
        rows = self.rows(-1)
        return {
            "reader": self._reader,
            "since": since[0] if since else None,
            "recorded": bool(since and since[1]),
            "done": [dict(zip(columns, (*row[:3], row[3].word, *row[4:]), strict=True)) for row in rows],
            "sums": [
                {"url": url, "query": query, "action": Action(action).word, "count": count, "amount": amount}
                for url, query, action, count, amount in sums
            ],
            "places": places,
            "favourites": favourites,
            "stars": stars,
            "saved_searches": saved,
            "wishes": wishes,
            "fetched_for_them": fetched,
            "interests": interests,
        }

    def _table(self, database: sqlite3.Connection, statement: str) -> list[dict[str, Any]]:
        found = database.execute(statement, (self._reader,))
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def delete(self) -> None:
        """Rows, sums, what the reader counted for in the tallies, their words, and themselves; then the file is
        written anew, so that no page of it and no journal holds any of it."""
        with self._log.writing() as database:
            self._uncount(database)
            for table in OWNED:
                database.execute(f"DELETE FROM {table} WHERE reader = ?", (self._reader,))
            database.execute("DELETE FROM reader WHERE number = ?", (self._reader,))
            sweep(database)
            self._log.forget_numbers()
        self._log.dismiss(self._reader)
        with self._log.reading() as database:
            database.execute("VACUUM")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for suffix in ("", "-wal", "-shm"):
            (self._log.folder / f"{DAMAGED}{suffix}").unlink(missing_ok=True)

    def _uncount(self, database: sqlite3.Connection) -> None:
        for column, action in (("shown", _SHOWN), ("opened", _OPENED)):
            counted = database.execute(
                "SELECT key, sum(count) FROM (SELECT page, count(*) AS count FROM deed"
                " WHERE reader = ?1 AND action = ?2 GROUP BY page"
                " UNION ALL SELECT page, count FROM summed WHERE reader = ?1 AND action = ?2)"
                " JOIN page ON page.number = page GROUP BY key",
                (self._reader, action),
            ).fetchall()
            database.executemany(
                f"UPDATE tally SET {column} = max(0, {column} - ?) WHERE key = ?",
                [(count, key) for key, count in counted],
            )
        database.execute("DELETE FROM tally WHERE shown = 0 AND opened = 0")
