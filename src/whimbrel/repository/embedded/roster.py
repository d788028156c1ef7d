"""The migrants that a folder has known: their names are never given twice."""

import sqlite3

from whimbrel.repository.contract import Roll

MOST_REMEMBERED = 1_000


class Roster:
    """Rows of the `migrant` table; written by home alone."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        numbers = (int(name[1:]) for (name,) in database.execute("SELECT name FROM migrant"))
        self._last = max(numbers, default=0)

    def name(self) -> str:
        """A name that no migrant of this folder has had."""
        self._last += 1
        return f"m{self._last}"

    def save(self, roll: Roll) -> None:
        self._database.execute(f"INSERT OR REPLACE INTO migrant VALUES ({', '.join('?' * len(roll))})", roll)

    def rolls(self) -> list[Roll]:
        rows = self._database.execute("SELECT * FROM migrant ORDER BY born_at, name")
        return [Roll(*row) for row in rows]

    def forget_old(self) -> None:
        """The latest are enough to look back on; who sleeps is kept whatever happens, and so is the last name."""
        self._database.execute(
            "DELETE FROM migrant WHERE state NOT IN ('asleep', 'moving') AND name NOT IN"
            " (SELECT name FROM migrant ORDER BY born_at DESC, name DESC LIMIT ?)",
            (MOST_REMEMBERED,),
        )
