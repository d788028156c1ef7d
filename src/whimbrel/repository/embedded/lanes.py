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
            self._database.execute("INSERT INTO lane VALUES (?, ?)", (self._last, host))
            number = self._remember(host, self._last)
        return number

    def _remember(self, host: str, number: int) -> int:
        if len(self._lately) >= self._most_remembered:
            self._lately.clear()
        self._lately[host] = number
        return number
