"""What the followers of twins read of a folder: events, pages as they stand now, and their main text."""

import sqlite3
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from whimbrel.fetch.decode import decoder_for
from whimbrel.fetch.head import read_head
from whimbrel.flows.packing import unpack
from whimbrel.parse.reading import main_text
from whimbrel.records.response import Failure
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.embedded.opening import open_database
from whimbrel.repository.embedded.reader import Reader

TEXTS_AT_HAND = 64
LARGEST_BYTES = 1 << 26
_MOST = 500
_MARKUP = ("text/html", "application/xhtml+xml", "text/plain")
_PAGE = """
    SELECT u.id, u.url, u.depth, u.outcome, u.version, v.title, v.mime, v.twins, v.canonical, s.url
    FROM url u JOIN version v ON v.id = u.version
    LEFT JOIN twins t ON t.id = v.twins LEFT JOIN url s ON s.id = t.survivor
    WHERE u.asset = 0 AND u.outcome IN ('fetched', 'unchanged', 'duplicate') AND u.id IN"""


class Event(NamedTuple):
    seq: int
    url: int
    kind: str


class Held(NamedTuple):
    """A page as the folder has it now. `content` is its group of exact twins, `survivor` the one that counts."""

    key: int
    url: Url
    depth: int
    outcome: str
    version: int
    title: str
    mime: str
    content: bytes
    canonical: str
    survivor: Url | None

    @property
    def kept(self) -> bool:
        return self.outcome != Outcome.DUPLICATE


class Pages:
    """Reads a folder while others write it; keeps a few texts at hand, since the same ones are compared again."""

    def __init__(self, folder: Path) -> None:
        self._reader = Reader(folder)
        self._database = open_database(folder)
        self._database.execute("PRAGMA query_only = ON")
        self._texts: OrderedDict[tuple[int, int], str] = OrderedDict()

    def close(self) -> None:
        self._database.close()
        self._reader.close()

    def last_event(self) -> int:
        return int(self._database.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()[0])

    def pending(self, after: int) -> int:
        return int(self._database.execute("SELECT count(*) FROM event WHERE seq > ?", (after,)).fetchone()[0])

    def events(self, after: int, most: int) -> list[Event]:
        rows = self._database.execute(
            "SELECT seq, url, kind FROM event WHERE seq > ? ORDER BY seq LIMIT ?", (after, most)
        )
        return [Event(*row) for row in rows]

    def held(self, keys: Iterable[int]) -> dict[int, Held]:
        """Those of the URLs that are pages with a kept version."""
        wanted, found = list(keys), dict[int, Held]()
        for start in range(0, len(wanted), _MOST):
            part = wanted[start : start + _MOST]
            for row in self._database.execute(f"{_PAGE} ({', '.join('?' * len(part))})", part):
                found[row[0]] = Held(*row)
        return found

    def one(self, key: int) -> Held | None:
        return self.held([key]).get(key)

    def redirects(self, since: float) -> list[tuple[Url, Url, float]]:
        """From, to and when, of redirects met since then."""
        return self._database.execute(
            "SELECT u.url, t.url, u.visited_at FROM url u JOIN url t ON t.id = u.target"
            " WHERE u.outcome = 'redirected' AND u.visited_at >= ?",
            (since,),
        ).fetchall()

    def knows_site(self, site: str) -> bool:
        host = site.partition(":")[0] if not site.startswith("[") else site.rpartition("]")[0] + "]"
        row = self._database.execute("SELECT 1 FROM lane WHERE host = ?", (host,)).fetchone()
        return row is not None

    def text(self, page: Held) -> str:
        """The main text of the newest version; "" where the kept copy cannot be read."""
        key = (page.key, page.version)
        if key in self._texts:
            self._texts.move_to_end(key)
            return self._texts[key]
        text = self._texts[key] = self._read(page)
        if len(self._texts) > TEXTS_AT_HAND:
            self._texts.popitem(last=False)
        return text

    def _read(self, page: Held) -> str:
        if page.mime not in _MARKUP:
            return self._reading(page.version)
        try:
            content = self._reader.body(page.url)
        except RepositoryError:
            return ""
        head = read_head(content.head.splitlines(keepends=True))
        if head is None:
            return ""
        decoder = decoder_for(head.headers.get("content-encoding", ""), LARGEST_BYTES)
        body = content.payload if decoder is None else decoder.feed(content.payload) or decoder.finish()
        return "" if isinstance(body, Failure) else main_text(body, head.headers.get("content-type", ""))

    def _reading(self, version: int) -> str:
        try:
            row = self._database.execute("SELECT packed FROM reading WHERE version = ?", (version,)).fetchone()
        except sqlite3.Error:
            return ""
        return unpack(row[0]).text if row else ""
