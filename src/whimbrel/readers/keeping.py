"""What readers put aside on purpose, and where they were: favourites, stars, saved searches, places in pages.

Of a reader who has not said yes these belong to the folder (`NOBODY`), and everybody who reads here sees them. A reader
who has said yes has their own beside them.
"""

import secrets

from msgspec import Struct

from whimbrel.readers.contract import NOBODY
from whimbrel.readers.log import ReaderLog
from whimbrel.records.url import Url

MOST_STARS = 5
MOST_KEPT = 10_000
"""Of each kind, for one reader."""
_LIMIT = f" AND (SELECT count(*) FROM {{}} WHERE reader = ?) < {MOST_KEPT}"


class Favourite(Struct, frozen=True):
    url: Url
    title: str
    at: float


class Starred(Struct, frozen=True):
    url: Url
    title: str
    stars: int
    at: float


class SavedSearch(Struct, frozen=True):
    """`token` is what its feed is asked for by."""

    number: int
    reader: int
    query: str
    at: float
    token: str


class WasAt(Struct, frozen=True):
    """Where a reader left a page: `place` from 0, its top, to 1."""

    url: Url
    title: str
    version: int
    at: float
    place: float
    query: str


class ReaderKeeping:
    def __init__(self, log: ReaderLog) -> None:
        self._log = log

    # Favourites.

    def favourites(self, reader: int = NOBODY) -> list[Favourite]:
        """The reader's and the folder's, the latest first."""
        rows = self._rows(
            "SELECT url, max(title), max(at) AS at FROM favourite WHERE reader IN (?, 0) GROUP BY url"
            " ORDER BY at DESC, url",
            reader,
        )
        return [Favourite(*row) for row in rows]

    def is_favourite(self, url: Url, reader: int = NOBODY) -> bool:
        return bool(self._rows("SELECT 1 FROM favourite WHERE reader IN (?, 0) AND url = ?", reader, url))

    def add(self, url: Url, title: str, now: float, reader: int = NOBODY) -> bool:
        """Whether it was not one yet."""
        with self._log.writing() as database:
            if database.execute("SELECT 1 FROM favourite WHERE reader IN (?, 0) AND url = ?", (reader, url)).fetchone():
                return False
            few = _LIMIT.format("favourite")
            given = (reader, url, title, now, reader)
            return database.execute(f"INSERT INTO favourite SELECT ?, ?, ?, ? WHERE true{few}", given).rowcount > 0

    def remove(self, url: Url, reader: int = NOBODY) -> None:
        with self._log.writing() as database:
            database.execute("DELETE FROM favourite WHERE reader IN (?, 0) AND url = ?", (reader, url))

    # Stars.

    def stars(self, url: Url, reader: int = NOBODY) -> int:
        """0 where none were given."""
        rows = self._rows("SELECT stars FROM star WHERE reader IN (?, 0) AND url = ? ORDER BY reader DESC", reader, url)
        return int(rows[0][0]) if rows else 0

    def give_stars(self, url: Url, title: str, stars: int, now: float, reader: int = NOBODY) -> None:
        """1 to 5, or 0 to take them back."""
        if not 0 <= stars <= MOST_STARS:
            raise ValueError(f"{stars} stars cannot be given: 1 to {MOST_STARS}, or 0 to take them back.")
        with self._log.writing() as database:
            database.execute("DELETE FROM star WHERE reader IN (?, 0) AND url = ?", (reader, url))
            if stars:
                given = (reader, url, title, stars, now, reader)
                few = _LIMIT.format("star")
                database.execute(f"INSERT INTO star SELECT ?, ?, ?, ?, ? WHERE true{few}", given)

    def starred(self, reader: int = NOBODY) -> list[Starred]:
        """The best first, and of these the latest."""
        rows = self._rows(
            "SELECT url, title, stars, at FROM star WHERE reader IN (?, 0) ORDER BY stars DESC, at DESC", reader
        )
        return [Starred(*row) for row in rows]

    # Saved searches.

    def save(self, query: str, now: float, reader: int = NOBODY) -> SavedSearch | None:
        """None where too many are saved."""
        with self._log.writing() as database:
            few = _LIMIT.format("saved")
            given = (reader, query, now, secrets.token_urlsafe(24), reader)
            database.execute(
                f"INSERT OR IGNORE INTO saved (reader, query, at, token) SELECT ?, ?, ?, ? WHERE true{few}", given
            )
        return next((each for each in self.saved(reader) if each.query == query), None)

    def saved(self, reader: int = NOBODY) -> list[SavedSearch]:
        rows = self._rows(
            "SELECT number, reader, query, at, token FROM saved WHERE reader IN (?, 0) ORDER BY at DESC", reader
        )
        return [SavedSearch(*row) for row in rows]

    def saved_by(self, token: str) -> SavedSearch | None:
        rows = self._rows("SELECT number, reader, query, at, token FROM saved WHERE token = ?", token)
        return SavedSearch(*rows[0]) if rows else None

    def drop(self, number: int, reader: int = NOBODY) -> None:
        """With it goes its feed's address."""
        with self._log.writing() as database:
            database.execute("DELETE FROM saved WHERE number = ? AND reader IN (?, 0)", (number, reader))

    def renew(self, number: int, reader: int = NOBODY) -> None:
        """Another address for its feed: whoever has the old one hears nothing any more."""
        with self._log.writing() as database:
            token = secrets.token_urlsafe(24)
            database.execute(
                "UPDATE saved SET token = ? WHERE number = ? AND reader IN (?, 0)", (token, number, reader)
            )

    # Where they were.

    def history(self, reader: int, most: int) -> list[WasAt]:
        """Pages read, the latest first."""
        rows = self._rows(
            "SELECT url, '', version, at, place, coalesce(text, '') FROM place JOIN page ON page.number = place.page"
            " LEFT JOIN query ON query.number = place.query WHERE reader = ? ORDER BY at DESC LIMIT ?",
            reader,
            most,
        )
        return [WasAt(*row) for row in rows]

    def place(self, reader: int, key: int) -> float:
        """Where the reader left the page; 0 where they were never in it, or left it at its top."""
        rows = self._rows(
            "SELECT place FROM place WHERE reader = ? AND page = (SELECT number FROM page WHERE key = ?)", reader, key
        )
        return float(rows[0][0]) if rows else 0.0

    def _rows(self, statement: str, *values: object) -> list[tuple]:  # type: ignore[type-arg]
        with self._log.reading() as database:
            return database.execute(statement, values).fetchall()
