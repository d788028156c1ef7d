"""What a reader says interests them: bookmarks, a start page, fields of interest. Only theirs, and only for them."""

import time
from collections.abc import Iterable

from msgspec import Struct

from whimbrel.readers.bookmarks import Bookmark
from whimbrel.readers.log import ReaderLog
from whimbrel.records.url import Url

BOOKMARK, FIELD, START, SWITCH = "bookmark", "field", "start", "off"
MOST_FIELDS = 50
LONGEST_FIELD = 80
MOST_HISTORY = 200


class InterestsSaid(Struct, frozen=True):
    """`visited` are the pages read lately, the latest first; `on` is whether results are weighed by all of it."""

    bookmarks: tuple[Bookmark, ...] = ()
    start: Url | None = None
    fields: tuple[str, ...] = ()
    visited: tuple[Url, ...] = ()
    on: bool = True

    @property
    def empty(self) -> bool:
        return not (self.bookmarks or self.start or self.fields or self.visited)


class Interests:
    def __init__(self, log: ReaderLog) -> None:
        self._log = log

    def of(self, reader: int) -> InterestsSaid:
        with self._log.reading() as database:
            rows = database.execute(
                "SELECT sort, value, title, at FROM interest WHERE reader = ? ORDER BY at DESC, value", (reader,)
            ).fetchall()
            visited = database.execute(
                "SELECT url FROM place JOIN page ON page.number = place.page WHERE reader = ? ORDER BY at DESC LIMIT ?",
                (reader, MOST_HISTORY),
            ).fetchall()
        marks = tuple(Bookmark(Url(value), title, at) for sort, value, title, at in rows if sort == BOOKMARK)
        start = next((Url(value) for sort, value, _, _ in rows if sort == START), None)
        fields = tuple(sorted(value for sort, value, _, _ in rows if sort == FIELD))
        off = any(sort == SWITCH for sort, _, _, _ in rows)
        return InterestsSaid(marks, start, fields, tuple(Url(url) for (url,) in visited), not off)

    def keep_bookmarks(self, reader: int, bookmarks: Iterable[Bookmark]) -> None:
        """Instead of those from before."""
        with self._log.writing() as database:
            database.execute("DELETE FROM interest WHERE reader = ? AND sort = ?", (reader, BOOKMARK))
            database.executemany(
                "INSERT OR REPLACE INTO interest VALUES (?, ?, ?, ?, ?)",
                [(reader, BOOKMARK, one.url, one.title, one.at) for one in bookmarks],
            )

    def say(self, reader: int, fields: Iterable[str], start: Url | None) -> None:
        now = time.time()
        rows = [(reader, FIELD, field, "", now) for field in dict.fromkeys(fields)]
        rows += [(reader, START, start, "", now)] if start is not None else []
        with self._log.writing() as database:
            database.execute("DELETE FROM interest WHERE reader = ? AND sort IN (?, ?)", (reader, FIELD, START))
            database.executemany("INSERT INTO interest VALUES (?, ?, ?, ?, ?)", rows)

    def switch(self, reader: int, on: bool) -> None:
        with self._log.writing() as database:
            database.execute("DELETE FROM interest WHERE reader = ? AND sort = ?", (reader, SWITCH))
            if not on:
                database.execute("INSERT INTO interest VALUES (?, ?, '', '', 0)", (reader, SWITCH))


def fields_of(text: str) -> list[str]:
    """Fields as people write them: parted by commas or lines."""
    parts = (" ".join(part.split())[:LONGEST_FIELD] for part in text.replace("\n", ",").split(","))
    return [part for part in dict.fromkeys(parts) if part][:MOST_FIELDS]
