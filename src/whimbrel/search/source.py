"""What the index reads from a repository folder: the one place here that knows the repository's tables.

Events say which URLs to look at again; what is so is read from the tables as they stand now. An event may therefore be
read twice, late, or after a newer one, and the index ends the same.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from msgspec import Struct

from whimbrel.fetch.decode import decoder_for
from whimbrel.fetch.head import read_head
from whimbrel.records.url import Url
from whimbrel.repository import warc
from whimbrel.repository.embedded.opening import ARCHIVE, open_database

MOST_PARAMETERS = 500
LARGEST_BYTES = 256 << 20
MOST_STEPS = 10
_KEPT = ("fetched", "unchanged")


class Kept(Struct, frozen=True, gc=False):
    """A URL's newest kept state. `survivor` is false for a twin; `versions` counts its kept states."""

    key: int
    url: Url
    survivor: bool
    version: int
    versions: int
    title: str
    language: str
    mime: str
    at: float
    visited_at: float
    last_modified: str
    twins: bytes


class Place(Struct, frozen=True, gc=False):
    """Where a version's record stands; `digest` finds the body where the record refers to another."""

    charset: str
    file: str
    offset: int
    length: int
    digest: bytes


class Copy(Struct, frozen=True):
    """A kept copy: the HTTP head as it came, the document decoded."""

    head: bytes
    body: bytes


class Source:
    """A reader of one folder. Threads may share it where they take turns. `cache_bytes` is for whoever reads everything
    once, in order, and has no use for what the repository would hold."""

    def __init__(self, folder: Path, *, cache_bytes: int = 0) -> None:
        self.folder = folder
        self._database = open_database(folder)
        self._database.execute("PRAGMA query_only = ON")
        if cache_bytes:
            self._database.execute(f"PRAGMA cache_size = {-cache_bytes // 1024}")

    def __enter__(self) -> "Source":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._database.close()

    def last(self) -> int:
        """The newest event."""
        return int(self._database.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()[0])

    def waiting(self, after: int) -> int:
        """How many URLs have events after that one."""
        row = self._database.execute("SELECT count(DISTINCT url) FROM event WHERE seq > ?", (after,)).fetchone()
        return int(row[0])

    def events(self, after: int, most: int) -> list[tuple[int, int]]:
        """Sequence numbers and the keys of their URLs, oldest first."""
        query = "SELECT seq, url FROM event WHERE seq > ? ORDER BY seq LIMIT ?"
        return self._database.execute(query, (after, most)).fetchall()

    def forgot(self, after: int, last: int) -> bool:
        """Whether one of these events tells that a URL was forgotten on purpose."""
        query = "SELECT 1 FROM event WHERE seq > ? AND seq <= ? AND kind = 'forgotten' LIMIT 1"
        return self._database.execute(query, (after, last)).fetchone() is not None

    def moves(self) -> dict[int, int]:
        """Every URL that redirects, with where it leads in the end. No event tells of them: all URLs are read."""
        query = "SELECT id, target FROM url WHERE target IS NOT NULL AND outcome = 'redirected'"
        steps: dict[int, int] = dict(self._database.execute(query).fetchall())
        return {key: end for key in steps if (end := _end_of(key, steps)) != key}

    def kept(self, keys: Iterable[int]) -> dict[int, Kept]:
        """The pages and twins among these URLs; what is missing is no page, or no longer."""
        rows = self._chunks(
            "SELECT u.id, u.url, u.outcome, u.version, (SELECT count(*) FROM version o WHERE o.url = u.id), v.title,"
            " v.language, v.mime, v.at, coalesce(u.visited_at, v.at), v.last_modified, v.twins"
            " FROM url u JOIN version v ON v.id = u.version"
            " WHERE u.asset = 0 AND u.outcome IN ('fetched', 'unchanged', 'duplicate') AND u.id IN",
            keys,
        )
        return {row[0]: Kept(row[0], row[1], row[2] in _KEPT, *row[3:]) for row in rows}

    def still_there(self, keys: Iterable[int]) -> set[int]:
        return {row[0] for row in self._chunks("SELECT u.id FROM url u WHERE u.version IS NOT NULL AND u.id IN", keys)}

    def ways(self, keys: Iterable[int]) -> dict[int, Url]:
        """The pages on which these URLs were first found."""
        return dict(self._chunks("SELECT u.id, p.url FROM url u JOIN url p ON p.id = u.via WHERE u.id IN", keys))

    def digests(self) -> Iterator[bytes]:
        """Of every body that is kept."""
        return (row[0] for row in self._database.execute("SELECT digest FROM version"))

    def readings(self, versions: Iterable[int]) -> dict[int, bytes]:
        """Packed readings by version; a document that the crawl could not read has none."""
        return dict(self._chunks("SELECT r.version, r.packed FROM reading r WHERE r.version IN", versions))

    def places(self, versions: Iterable[int]) -> dict[int, Place]:
        rows = self._chunks(
            "SELECT v.id, v.charset, a.name, v.offset, v.length, v.digest"
            " FROM version v JOIN archive a ON a.id = v.file WHERE v.id IN",
            versions,
        )
        return {row[0]: Place(*row[1:]) for row in rows}

    def body(self, place: Place) -> Copy | None:
        """The document with its content coding undone; None where the copy cannot be read."""
        try:
            content = warc.read(self.folder / ARCHIVE / place.file, place.offset, place.length)
            payload = content.payload
            if content.warc_headers.get("warc-type") == "revisit":
                row = self._database.execute(
                    "SELECT a.name, b.offset, b.length FROM body b JOIN archive a ON a.id = b.file WHERE b.digest = ?",
                    (place.digest,),
                ).fetchone()
                if row is None:
                    return None
                payload = warc.read(self.folder / ARCHIVE / row[0], row[1], row[2]).payload
        except (OSError, warc.WarcError):
            return None
        return _decoded(content.head, payload)

    def _chunks(self, query: str, values: Iterable[int]) -> Iterator[Any]:
        rest: Sequence[int] = list(values)
        while rest:
            now, rest = rest[:MOST_PARAMETERS], rest[MOST_PARAMETERS:]
            yield from self._database.execute(f"{query} ({', '.join('?' * len(now))})", now).fetchall()


def _end_of(key: int, steps: dict[int, int]) -> int:
    for _ in range(MOST_STEPS):
        if key not in steps:
            break
        key = steps[key]
    return key


def _decoded(content_head: bytes, payload: bytes) -> Copy | None:
    if b"content-encoding" not in content_head.lower():  # most copies, and reading the head costs as much as the rest
        return Copy(content_head, payload)
    head = read_head(content_head.splitlines(keepends=True))
    decoder = decoder_for(head.headers.get("content-encoding", ""), LARGEST_BYTES) if head is not None else None
    if decoder is None:
        return Copy(content_head, payload)
    body = decoder.feed(payload) or decoder.finish()
    return Copy(content_head, body) if isinstance(body, bytes) else None
