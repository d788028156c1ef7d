"""How often each page was shown and opened, all together: nobody's name and no moment is with it.

Readers who said yes are counted here beside their rows, and whoever searches at the terminal.
"""

from collections.abc import Iterable

from msgspec import Struct

from whimbrel.readers.log import ReaderLog, tally


class Tallied(Struct, frozen=True):
    """Pages that were ever shown and opened, and how often in all."""

    shown: int
    opened: int
    times_shown: int
    times_opened: int


class Tallies:
    def __init__(self, log: ReaderLog) -> None:
        self._log = log

    def record_shown(self, keys: Iterable[int]) -> None:
        """By no reader: at the terminal."""
        with self._log.writing() as database:
            tally(database, keys, opened=False)

    def of(self, key: int) -> tuple[int, int]:
        """How often it was shown and opened."""
        with self._log.reading() as database:
            row = database.execute("SELECT shown, opened FROM tally WHERE key = ?", (key,)).fetchone()
        return (int(row[0]), int(row[1])) if row else (0, 0)

    def counts(self) -> Tallied:
        with self._log.reading() as database:
            row = database.execute(
                "SELECT coalesce(sum(shown > 0), 0), coalesce(sum(opened > 0), 0), coalesce(sum(shown), 0),"
                " coalesce(sum(opened), 0) FROM tally"
            ).fetchone()
        return Tallied(*row)
