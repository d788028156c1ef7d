"""What documents said: the text of each, or why it gave none, by the digest of its bytes.

`documents.sqlite` in the index folder. Reading a PDF may take a minute, so search and export share what was read, it
outlives a rebuild of the index, and the same bytes are never read twice.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from isal import igzip_lib
from msgspec import Struct

from whimbrel.documents.contract import DocumentText, Unreadable
from whimbrel.repository import warc

FOLDER = "index"
"""In the folder of a crawl, beside what search makes."""
FILE = "documents.sqlite"
_TABLE = """
CREATE TABLE IF NOT EXISTS paper (
  digest BLOB PRIMARY KEY, failure TEXT NOT NULL, reason TEXT NOT NULL, title TEXT NOT NULL, language TEXT NOT NULL,
  text BLOB NOT NULL
) STRICT, WITHOUT ROWID
"""


class Paper(Struct, frozen=True):
    """A document as it was read. `failure` is one of the kinds of `documents.Unreadable`, "" where it gave text;
    `reason` says the same to a person."""

    failure: str
    reason: str
    title: str
    language: str
    text: str

    @classmethod
    def of(cls, outcome: DocumentText | Unreadable) -> "Paper":
        if isinstance(outcome, DocumentText):
            return cls("", "", outcome.title, outcome.language, outcome.text)
        return cls(outcome.kind, outcome.reason, "", "", "")


class Papers:
    """The documents of one folder. Several processes may read and write them."""

    def __init__(self, folder: Path) -> None:
        self._place = folder / FOLDER
        self._place.mkdir(parents=True, exist_ok=True)
        try:
            self._database = _opened(self._place / FILE)
        except sqlite3.DatabaseError:
            self._database = self._anew()

    def close(self) -> None:
        self._database.close()

    def of(self, digest: bytes) -> Paper | None:
        """None where it was not read yet, and where what was noted is damaged: then it is to be read again."""
        query = "SELECT failure, reason, title, language, text FROM paper WHERE digest = ?"
        try:
            row = self._database.execute(query, (digest,)).fetchone()
            if row is None:
                return None
            failure, reason, title, language, packed = row
            return Paper(failure, reason, title, language, _unpacked(packed))
        except sqlite3.OperationalError:  # busy, or out of reach: that says nothing about the file
            raise
        except (sqlite3.DatabaseError, warc.Damage):
            return None

    def keep(self, digest: bytes, outcome: DocumentText | Unreadable) -> Paper:
        """Notes what reading gave, at once; but not what says nothing about the document."""
        paper = Paper.of(outcome)
        if not (isinstance(outcome, Unreadable) and outcome.passing):
            row = (digest, paper.failure, paper.reason, paper.title, paper.language, _packed(paper.text))
            self._done("INSERT OR REPLACE INTO paper VALUES (?, ?, ?, ?, ?, ?)", row)
        return paper

    def keep_only(self, kept: Callable[[], Iterable[bytes]]) -> None:
        """What a document said goes with its last copy; `kept` gives the digests of all there are."""
        if read := {row[0] for row in self._done("SELECT digest FROM paper")}:
            read.difference_update(kept())
            for digest in read:
                self._done("DELETE FROM paper WHERE digest = ?", (digest,))

    def counts(self) -> dict[str, int]:
        """How many gave text ("read"), and how many did not, by kind of failure."""
        rows = self._done("SELECT failure, count(*) FROM paper GROUP BY 1 ORDER BY 2 DESC")
        return {failure or "read": count for failure, count in rows}

    def _done(self, order: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """What an order gives, in a file made anew where it meets damage."""
        try:
            return self._database.execute(order, values).fetchall()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            self._database.close()
            self._database = self._anew()
            return self._database.execute(order, values).fetchall()

    def _anew(self) -> sqlite3.Connection:
        """Nothing is lost but time: the documents are in the repository."""
        for path in self._place.glob(f"{FILE}*"):
            path.unlink()
        return _opened(self._place / FILE)


def paper(folder: Path, digest: bytes) -> Paper | None:
    """What a document said, for those who only read; None where the index has not come to it."""
    if not (folder / FOLDER / FILE).exists():
        return None
    papers = Papers(folder)
    try:
        return papers.of(digest)
    finally:
        papers.close()


def forget(folder: Path, kept: Callable[[], Iterable[bytes]]) -> None:
    """What documents said that are kept no more goes at once."""
    if (folder / FOLDER / FILE).exists():
        papers = Papers(folder)
        try:
            papers.keep_only(kept)
        finally:
            papers.close()


def texts(folder: Path, digests: Mapping[int, bytes]) -> dict[int, str]:
    """What documents said, for those who only read."""
    path = folder / FOLDER / FILE
    if not digests or not path.exists():
        return {}
    papers = Papers(folder)
    try:
        found = {key: papers.of(digest) for key, digest in digests.items()}
    finally:
        papers.close()
    return {key: paper.text for key, paper in found.items() if paper is not None}


def _opened(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)
    try:
        for line in ("journal_mode = WAL", "synchronous = NORMAL", "secure_delete = ON"):
            database.execute(f"PRAGMA {line}")
        database.execute(_TABLE)
    except sqlite3.DatabaseError:
        database.close()
        raise
    return database


def _packed(text: str) -> bytes:
    return bytes(igzip_lib.compress(text.encode("utf-8", "replace"), 1, igzip_lib.COMP_GZIP))


def _unpacked(packed: bytes) -> str:
    return bytes(igzip_lib.decompress(packed, igzip_lib.DECOMP_GZIP)).decode("utf-8", "replace")
