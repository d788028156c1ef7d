"""Writes the pages of a folder out, in a format that other tools read.

A format is a function over a reader; a new one is written beside these and named in `FORMATS`.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import UNSET, Struct, UnsetType

from whimbrel.exchange.kept import decoded
from whimbrel.flows.gather import unpack
from whimbrel.parse import reading
from whimbrel.records.response import Failure
from whimbrel.records.visit import Reading
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.embedded.reader import Reader
from whimbrel.repository.views import EVERYTHING, Selection, StoredPage

NOTHING_READ = Reading("", [], [], [])
WRITE_BYTES = 1 << 20


class Wanted(Struct, frozen=True):
    """Which pages, and what of them."""

    selection: Selection = EVERYTHING
    main_text: bool = False


class Exported(Struct, frozen=True):
    """A page as `jsonl` writes it; `duplicate_of` and `reason` stand only with twins."""

    url: str
    final_url: str
    status: int
    title: str
    text: str
    digest: str
    fetched_at: str
    links: list[str]
    language: str
    content_type: str
    depth: int
    duplicate_of: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    main_text: str | UnsetType = UNSET


class UnknownFormat(Exception):
    """The message names the formats there are."""


def export(name: str, reader: Reader, wanted: Wanted, out: BinaryIO) -> int:
    """Writes the pages in the format of that name; returns how many."""
    return format_of(name)(reader, wanted, out)


def jsonl(reader: Reader, wanted: Wanted, out: BinaryIO) -> int:
    """One JSON object a line, nearest page first."""
    encoder = msgspec.json.Encoder()
    lines = bytearray()
    count = 0
    for page in reader.pages(wanted.selection):
        encoder.encode_into(exported(page, reader if wanted.main_text else None), lines, -1)
        lines += b"\n"
        count += 1
        if len(lines) >= WRITE_BYTES:
            out.write(lines)
            lines = bytearray()
    out.write(lines)
    return count


def exported(page: StoredPage, copies: Reader | None = None) -> Exported:
    """`copies` is given where the main text is wanted, which only the kept copy can tell."""
    read = unpack(page.reading) if page.reading else NOTHING_READ
    return Exported(
        url=page.url,
        final_url=page.url,  # a redirecting URL is no page; its target stands for itself
        status=page.status,
        title=page.title,
        text=read.text,
        digest=f"sha256:{page.digest.hex()}",
        fetched_at=iso(page.fetched_at),
        links=list(read.urls),
        language=reading.language(read.text, page.language) if read.text else "",
        content_type=page.mime,
        depth=page.depth,
        duplicate_of=UNSET if page.duplicate_of is None else page.duplicate_of,
        reason=UNSET if page.duplicate_of is None else page.reason,
        main_text=UNSET if copies is None else _main_text(page, copies),
    )


def _main_text(page: StoredPage, copies: Reader) -> str:
    copy = decoded(copies.body(page.url))
    if isinstance(copy, Failure) or not page.reading:
        return ""
    return reading.main_text(copy.body, copy.content_type or page.mime)


def iso(at: float) -> str:
    """A moment in ISO 8601, UTC, to the millisecond."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Format = Callable[[Reader, Wanted, BinaryIO], int]

FORMATS: dict[str, Format] = {"jsonl": jsonl}


def format_of(name: str) -> Format:
    known = FORMATS.get(name)
    if known is None:
        raise UnknownFormat(f"there is no format {name!r}. The formats are: {', '.join(FORMATS)}.")
    return known


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file that appears under its name only when it is complete and on the disk."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    except OSError as error:
        raise RepositoryError(
            f"{path} cannot be written: {error.strerror}. Name another file with --output, or free some space."
        ) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
