"""The numbers that hosts have in a folder."""

import sqlite3

MOST_REMEMBERED = 50_000
"""A crawl meets hosts that it never visits by the hundred thousand; the database knows them all."""


class Lanes:
    """Rows of the `lane` table; written inside the commit that brings the host's first URL."""

    def __init__(self, database: sqlite3.Connection, most_remembered: int = MOST_REMEMBERED) -> None:
        self._database = database
        self._most_remembered = most_remembered
        self._last = int(database.execute("SELECT coalesce(max(id), 0) FROM lane").fetchone()[0])
        self._lately: dict[str, int] = {}

    def find(self, host: str) -> int | None:
        number = self._lately.get(host)
        if number is None:
            row = self._database.execute("SELECT id FROM lane WHERE host = ?", (host,)).fetchone()
            number = self._remember(host, int(row[0])) if row is not None else None
        return number

    def number(self, host: str) -> int:
        """The host's number; a new one where it has none."""
        number = self.find(host)
        if number is None:
            self._last += 1
            self._database.execute("INSERT INTO lane (id, host) VALUES (?, ?)", (self._last, host))
            number = self._remember(host, self._last)
        return number

    def survey(self, now: float, refreshing: bool) -> None:
        """Before a run begins: hosts whose first crawl is over. It is when nothing that was found in it waits to be
        visited; and a refresh ends it, since whoever asks for changes takes what is here for known."""
        waiting = (
            "SELECT d.lane FROM due d JOIN url u ON u.id = d.url"
            " WHERE u.visited_at IS NULL AND u.outcome = 'discovered' AND u.news = 0 AND u.asset = 0"
        )
        self._database.execute(
            "UPDATE lane SET surveyed_at = ? WHERE surveyed_at IS NULL"
            " AND id IN (SELECT lane FROM url WHERE asset = 0 AND version IS NOT NULL)"
            + ("" if refreshing else f" AND id NOT IN ({waiting})"),
            (now,),
        )

    def surveyed(self, host: str) -> bool:
        """Whether the host's first crawl was over when this run began."""
        row = self._database.execute("SELECT surveyed_at FROM lane WHERE host = ?", (host,)).fetchone()
        return row is not None and row[0] is not None

    def _remember(self, host: str, number: int) -> int:
        if len(self._lately) >= self._most_remembered:
            self._lately.clear()
        self._lately[host] = number
        return number
