"""Answers made of a site's own files, where an anonymous visitor of its server would get the same.

A file leaves only under a URL whose page the server has shown to us, without credentials, with the very bytes of the
file. That is checked before a URL is first answered from its file, and for a share of the answers later. Where file
and server differ, the server's answer counts from then on, and it is said.
"""

import sqlite3
import time
from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path
from random import random
from typing import Protocol

from msgspec import Struct

from whimbrel.fetch.folders import INDEXES, FileFound, SiteFolders
from whimbrel.records.response import Failure, Response
from whimbrel.records.task import NO_VALIDATORS, Validators
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict

CHECKED_SHARE = 0.05
"""Of the answers from files whose URL was checked before."""
SOURCE = "Whimbrel-Source: file"
"""The header that says so, for whoever reads the archive."""
_OF_THE_MOMENT = (b"date", b"content-length", b"etag", b"last-modified", b"age", b"expires", b"connection")
_SCHEMA = """CREATE TABLE IF NOT EXISTS shown(
  url TEXT PRIMARY KEY, same INTEGER NOT NULL, head BLOB NOT NULL, etag INTEGER NOT NULL, dated INTEGER NOT NULL
) WITHOUT ROWID"""


class AsksServer(Protocol):
    """What asks the server itself."""

    async def fetch(
        self, url: Url, validators: Validators = ..., *, any_type: bool = ..., anonymous: bool = ...
    ) -> Response | Failure | Verdict: ...


class AsServed(Struct, frozen=True):
    """What the server showed under a URL: whether it was the file, the lines of its head that last, and whether it
    gives an ETag of time and size as nginx does, and a date."""

    same: bool
    head: bytes
    etag: bool
    dated: bool


class ShownBook:
    """Which URLs the server has shown, and what it said; on disk where a path is given."""

    def __init__(self, path: Path | None = None) -> None:
        self._book = sqlite3.connect(
            path if path is not None else ":memory:", isolation_level=None, timeout=30.0, check_same_thread=False
        )
        self._book.execute(_SCHEMA)

    def of(self, url: Url) -> AsServed | None:
        row = self._book.execute("SELECT same, head, etag, dated FROM shown WHERE url = ?", (url,)).fetchone()
        return AsServed(bool(row[0]), row[1], bool(row[2]), bool(row[3])) if row else None

    def put(self, url: Url, shown: AsServed) -> None:
        row = (url, shown.same, shown.head, shown.etag, shown.dated)
        self._book.execute("INSERT OR REPLACE INTO shown VALUES(?, ?, ?, ?, ?)", row)

    def is_open(self, url: Url) -> bool:
        """Whether anybody was shown the file under this URL, or under that of a folder's index."""
        names = (url, *(Url(f"{url}{name}") for name in INDEXES)) if url.endswith("/") else (url,)
        return any((shown := self.of(name)) is not None and shown.same for name in names)

    @property
    def version(self) -> int:
        """Another number once somebody else has written into it."""
        return int(self._book.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        self._book.close()


class FromFiles:
    """In place of a fetcher. `from_files` and `checks` count answers, `notes` are what an owner should know."""

    def __init__(
        self, server: AsksServer, folders: SiteFolders, book: ShownBook, *,
        chance: Callable[[], float] = random, now: Callable[[], float] = time.time,
    ) -> None:  # fmt: skip
        self._server = server
        self._folders = folders
        self._book = book
        self._chance, self._now = chance, now
        self.notes: list[str] = []
        self.from_files = 0
        self.checks = 0

    async def fetch(
        self, url: Url, validators: Validators = NO_VALIDATORS, *, any_type: bool = False, anonymous: bool = False
    ) -> Response | Failure | Verdict:
        found = self._folders.read(url) if self._folders.has(url) else None
        if not isinstance(found, FileFound):
            return await self._server.fetch(url, validators, any_type=any_type, anonymous=anonymous)
        shown = self._book.of(url)
        if shown is not None and not shown.same:
            return await self._server.fetch(url, validators, any_type=any_type, anonymous=anonymous)
        if shown is None or self._chance() < CHECKED_SHARE:
            return await self._checked(url, validators, found, any_type)
        self.from_files += 1
        return _answer(url, validators, found, shown, self._now())

    async def _checked(
        self, url: Url, validators: Validators, found: FileFound, any_type: bool
    ) -> Response | Failure | Verdict:
        """Asks the server, as anybody could, and gives its answer: it is the same, or it counts."""
        self.checks += 1
        answer = await self._server.fetch(url, any_type=any_type, anonymous=True)
        if not isinstance(answer, Response) or answer.status >= 500 or answer.status == 429:
            return answer  # it says nothing about the page
        same = answer.status == 200 and answer.body == found.body
        again = self._folders.read(url) if not same else found
        if not same and isinstance(again, FileFound) and again.mark != found.mark:
            return answer  # written between the two looks: says nothing about the server
        shown = _shown_by(answer, found, same)
        self._note(url, shown, answer.status)
        if same and _matches(validators, answer):
            return _answer(url, validators, found, shown, self._now())
        return answer

    def _note(self, url: Url, shown: AsServed, status: int) -> None:
        before = self._book.of(url)
        if not shown.same and (before is None or before.same):
            why = "shows another page than the file" if status == 200 else f"answered {status}, though there is a file"
            self.notes.append(f"{url}: the server {why}; it is asked from now on")
        self._book.put(url, shown)


def _shown_by(answer: Response, found: FileFound, same: bool) -> AsServed:
    lines = answer.head.split(b"\r\n")
    lasting = [line for line in lines[:-2] if line.partition(b":")[0].strip().lower() not in _OF_THE_MOMENT]
    etag = answer.headers.get("etag", "")
    return AsServed(same, b"\r\n".join(lasting), etag == _etag(found), "last-modified" in answer.headers)


def _etag(found: FileFound) -> str:
    """As nginx makes them, and many after it."""
    return f'"{int(found.modified_at):x}-{len(found.body):x}"'


def _matches(validators: Validators, answer: Response) -> bool:
    etag, date = answer.headers.get("etag", ""), answer.headers.get("last-modified", "")
    return bool(validators.etag and validators.etag == etag) or (
        not validators.etag and bool(validators.last_modified) and validators.last_modified == date
    )


def _answer(url: Url, validators: Validators, found: FileFound, shown: AsServed, now: float) -> Response:
    """What the server would say, and that it was not asked."""
    dated = formatdate(int(found.modified_at), usegmt=True) if shown.dated else ""
    etag = _etag(found) if shown.etag else ""
    headers = {"etag": etag, "last-modified": dated}
    same = bool(etag and validators.etag == etag) or bool(
        not (etag and validators.etag) and dated and validators.last_modified == dated
    )
    lines = [b"HTTP/1.1 304 Not Modified"] if same else [shown.head, f"Content-Length: {len(found.body)}".encode()]
    lines += [f"{name}: {value}".encode() for name, value in (("ETag", etag), ("Last-Modified", dated)) if value]
    lines += [f"Date: {formatdate(now, usegmt=True)}".encode(), SOURCE.encode()]
    head = b"\r\n".join(lines) + b"\r\n\r\n"
    for line in head.split(b"\r\n")[1:-2]:
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    body = b"" if same else found.body
    start = url.index("/", 8)
    request = f"GET {url[start:]} HTTP/1.1\r\nHost: {url[url.index('//') + 2 : start]}\r\n{SOURCE}\r\n\r\n"
    kept = {name: value for name, value in headers.items() if value}
    return Response(
        url, 304 if same else 200, kept, head, body, body, request.encode("latin-1", "replace"), "", "", 0.0
    )  # fmt: skip
