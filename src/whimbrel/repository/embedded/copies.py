"""The archive of a folder, read by the numbers of versions: the one place outside committing that knows where records
stand."""

import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, Self

from whimbrel.records.url import Url
from whimbrel.repository import warc
from whimbrel.repository.contract import NothingThere, RepositoryError
from whimbrel.repository.embedded.opening import ARCHIVE, open_database
from whimbrel.repository.location import located
from whimbrel.repository.members import Damage, Record, members
from whimbrel.repository.views import Stand
from whimbrel.repository.warc import Content
from whimbrel.urls.normal import key as key_of

_STAND = "SELECT v.id, a.name, v.offset, v.length FROM version v JOIN archive a ON a.id = v.file"


class Copies:
    """An open folder that shows what it keeps as it was received. `cache_bytes` is for whoever reads everything once,
    in order, and has no use for what the database would hold."""

    def __init__(self, folder: Path, cache_bytes: int = 0) -> None:
        self.location = located(folder)
        self._archive = folder / ARCHIVE
        self._database = open_database(folder)
        self._database.execute("PRAGMA query_only = ON")
        if cache_bytes:
            self._database.execute(f"PRAGMA cache_size = {-cache_bytes // 1024}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._database.close()

    def copy(self, version: int) -> Content:
        """The kept copy of a version."""
        rows = self._rows(f"{_STAND} WHERE v.id = ?", version)
        if not rows:
            return self._passing(version)
        content = self._content(*rows[0][1:])
        if content.warc_headers.get("warc-type") != "revisit":
            return content
        rows = self._rows(
            "SELECT a.name, b.offset, b.length FROM version v JOIN body b ON b.digest = v.digest"
            " JOIN archive a ON a.id = b.file WHERE v.id = ?",
            version,
        )
        if not rows:
            url = content.warc_headers.get("warc-target-uri", "")
            raise RepositoryError(
                f"the body of {url} is missing from the database; restore {self.location} from a copy"
            )
        return Content(content.warc_headers, content.head, self._content(*rows[0]).payload)

    def _passing(self, version: int) -> Content:
        """A state that differs by noise stands beside the archive, until another comes."""
        rows = self._rows(
            "SELECT p.records, v.length FROM passing p JOIN version v ON v.id = p.version WHERE p.version = ?", version
        )
        if not rows:
            raise NothingThere(f"no version {version} is kept in {self.location}, or another has taken its place")
        return warc.parsed(bytes(rows[0][0])[: rows[0][1]], "crawl.sqlite")

    def _content(self, name: str, offset: int, length: int) -> Content:
        try:
            return warc.read(self._archive / name, offset, length)
        except FileNotFoundError as error:
            raise RepositoryError(f"{name} is missing from {self._archive}; restore it from a copy") from error
        except (OSError, warc.WarcError) as error:
            raise RepositoryError(str(error)) from error

    # The archive as it stands.

    def stands(self, url: Url) -> dict[int, Stand]:
        """The records of a URL's versions."""
        return {row[0]: Stand(*row[1:]) for row in self._rows(f"{_STAND} WHERE v.url = ?", key_of(url))}

    def record(self, version: int) -> bytes:
        """A version's record, compressed as it was committed."""
        rows = self._rows(f"{_STAND} WHERE v.id = ?", version)
        if not rows:
            ((records, length),) = self._rows(
                "SELECT p.records, v.length FROM passing p JOIN version v ON v.id = p.version WHERE v.id = ?", version
            )
            return bytes(records[:length])
        ((_, name, offset, length),) = rows
        with (self._archive / name).open("rb") as file:
            return os.pread(file.fileno(), length, offset)

    def records(self) -> Iterator[Record]:
        """Every record of the archive, in the order in which they came, then those of states that stand beside it."""
        for name, end in self._rows("SELECT name, end FROM archive ORDER BY id"):
            try:
                with (self._archive / name).open("rb") as file:
                    yield from members(file, name, end)
            except FileNotFoundError as error:
                raise RepositoryError(f"{name} is missing from {self._archive}; restore it from a copy") from error
            except Damage as error:
                raise RepositoryError(f"{name} is damaged: {error}; restore it from a copy") from error
        for (packed,) in self._rows("SELECT records FROM passing ORDER BY version"):
            yield from members(BytesIO(packed), "crawl.sqlite", len(packed))

    def _rows(self, query: str, *values: object) -> list[Any]:
        return self._database.execute(query, values).fetchall()
