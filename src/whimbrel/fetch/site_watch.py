"""What changed in a site's own folder, since when: the memory of a resident.

Only pages that the server has shown count (`fetch.from_files.ShownBook`): what a visitor cannot see is neither told
nor listed. A page has changed when its bytes have; its date is that of the file whose bytes are new, so a site that is
written anew every night without another word keeps its dates.
"""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct

from whimbrel.fetch.folders import FileFound, SiteFolders
from whimbrel.records.url import Url

PAGES = (".html", ".htm", ".xhtml", ".txt", ".pdf")
_INDEX = ("index.html", "index.htm")
_SCHEMA = """CREATE TABLE IF NOT EXISTS page(
  url TEXT PRIMARY KEY, mark TEXT NOT NULL, digest BLOB NOT NULL, changed_at REAL NOT NULL, gone INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS page_by_change ON page(changed_at)"""


class PageMoved(Struct, frozen=True):
    """A page of the folder that is new, says something else, or is gone."""

    url: Url
    at: float
    gone: bool


class SiteWatch:
    """Remembers in `book` what the folders held when they were last looked at. Of a URL that is not open to anybody
    nothing is told."""

    def __init__(self, folders: Iterable[tuple[str, str]], book: Path, is_open: Callable[[Url], bool]) -> None:
        self._is_open = is_open
        self._roots = [(url if url.endswith("/") else f"{url}/", Path(path)) for url, path in folders]
        self._folders = SiteFolders(self._roots_as_text())
        self._book = sqlite3.connect(book, isolation_level=None, timeout=30.0, check_same_thread=False)
        self._book.executescript(_SCHEMA)

    def _roots_as_text(self) -> list[tuple[str, str]]:
        return [(url, str(path)) for url, path in self._roots]

    @property
    def roots(self) -> list[Path]:
        return [path for _, path in self._roots]

    def close(self) -> None:
        self._book.close()

    def look(self, now: float) -> list[PageMoved]:
        """What has changed since the last look, all of it. Files that were not written since are not read. While a
        folder is away nothing is told: its pages are not gone."""
        if not all(root.is_dir() for root in self.roots):
            return []
        moved = []
        seen: set[str] = set()
        self._book.execute("BEGIN IMMEDIATE")
        for url in self._urls():
            seen.add(url)
            moved += self._looked_at(url)
        for (url,) in self._book.execute("SELECT url FROM page WHERE NOT gone").fetchall():
            if url not in seen:
                moved += self._gone(url, now)
        self._book.execute("COMMIT")
        return self._told(moved)

    def look_at(self, files: Iterable[Path], now: float) -> list[PageMoved]:
        """The same for these files alone, however many others there are."""
        if not all(root.is_dir() for root in self.roots):
            return []
        moved = []
        self._book.execute("BEGIN IMMEDIATE")
        for url in sorted({url for file in files for url in self._names_of(file)}):
            moved += self._looked_at(url) if self._folders.mark(url) else self._gone(url, now)
        self._book.execute("COMMIT")
        return self._told(moved)

    def _gone(self, url: str, now: float) -> list[PageMoved]:
        change = "UPDATE page SET gone = 1, changed_at = ? WHERE url = ? AND NOT gone"
        there = self._book.execute(change, (now, url)).rowcount
        return [PageMoved(Url(url), now, True)] if there else []

    def _looked_at(self, url: Url) -> list[PageMoved]:
        row = self._book.execute("SELECT mark, digest, gone FROM page WHERE url = ?", (url,)).fetchone()
        mark = self._folders.mark(url)
        if not mark or (row and row[0] == mark and not row[2]):
            return []
        found = self._folders.read(url)
        if not isinstance(found, FileFound):
            return []
        digest = sha256(found.body).digest()
        if row and row[1] == digest and not row[2]:
            self._book.execute("UPDATE page SET mark = ? WHERE url = ?", (found.mark, url))
            return []
        at = found.modified_at
        self._book.execute("INSERT OR REPLACE INTO page VALUES(?, ?, ?, ?, 0)", (url, found.mark, digest, at))
        return [PageMoved(url, at, False)]

    def _urls(self) -> Iterator[Url]:
        """Of all files that may be pages."""
        for prefix, root in self._roots:
            for folder, folders, files in os.walk(root):
                folders[:] = sorted(name for name in folders if not name.startswith("."))
                below = Path(folder).relative_to(root)
                for name in sorted(files):
                    if not name.startswith(".") and name.lower().endswith(PAGES):
                        yield _url(prefix, below, name)

    def _names_of(self, file: Path) -> list[Url]:
        """The URLs of a file that may be a page."""
        below = [(prefix, file.relative_to(root)) for prefix, root in self._roots if file.is_relative_to(root)]
        return [
            _url(prefix, path.parent, path.name)
            for prefix, path in below
            if path.name.lower().endswith(PAGES) and not any(part.startswith(".") for part in path.parts)
        ]

    def since(self, moment: float) -> list[PageMoved]:
        """What changed after a moment, the oldest first."""
        query = "SELECT url, changed_at, gone FROM page WHERE changed_at > ? ORDER BY changed_at, url"
        rows = self._book.execute(query, (moment,))
        return self._told(PageMoved(Url(url), at, bool(gone)) for url, at, gone in rows)

    def pages(self) -> list[PageMoved]:
        """What is there now, by URL."""
        query = "SELECT url, changed_at FROM page WHERE NOT gone ORDER BY url"
        return self._told(PageMoved(Url(url), at, False) for url, at in self._book.execute(query))

    def _told(self, pages: Iterable[PageMoved]) -> list[PageMoved]:
        return [page for page in pages if self._is_open(page.url)]


def _url(prefix: str, below: Path, name: str) -> Url:
    """An index goes by the name of its folder."""
    path = "" if name in _INDEX else name
    parts = "/".join(part for part in ("" if below == Path() else below.as_posix(), path) if part)
    slash = "/" if not path and parts else ""
    return Url(prefix + quote(parts) + slash)
