"""Pages as rows: JSON lines, CSV and Parquet, all with the same columns, nearest page first."""

import csv as comma
import importlib
import io
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, BinaryIO

import msgspec
from msgspec import UNSET, Struct, UnsetType

from whimbrel.documents.papers import Paper
from whimbrel.exchange.papers import Documents
from whimbrel.flows.copies import decoded
from whimbrel.flows.packing import unpack
from whimbrel.parse import reading
from whimbrel.parse.embedded import DataItem, data_in, short_name, types_in
from whimbrel.parse.language import language_of
from whimbrel.records.response import Failure
from whimbrel.records.url import Url
from whimbrel.records.visit import Reading
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import EVERYTHING, Selection, StoredPage

NOTHING_READ = Reading("", [], [], [])
WRITE_BYTES = 1 << 20
ROWS_A_GROUP = 1_000

_FORMULA = tuple("=+-@＝＋－＠")
_STEERING = tuple("\t\r\n")


class ExportWanted(Struct, frozen=True):
    """Which pages, and what of them. `at` is the moment of the export, for formats that name it. `data` adds what pages
    say for machines, `has` leaves out pages that describe no such thing."""

    selection: Selection = EVERYTHING
    main_text: bool = False
    at: float = 0.0
    data: bool = False
    has: str = ""
    since: float = 0.0
    only: frozenset[Url] | None = None
    without: frozenset[Url] = frozenset()

    def takes(self, page: StoredPage) -> bool:
        """What the selection cannot say: new or changed since a moment, named, or not to be there."""
        return (
            page.fetched_at >= self.since
            and (self.only is None or page.url in self.only)
            and (page.url not in self.without)
        )


class ExportCount(Struct):
    """What was written. An archive holds `documents`, style sheets and pictures among them; the others pages."""

    pages: int = 0
    twins: int = 0
    documents: int = 0

    @property
    def all(self) -> int:
        return self.pages + self.twins + self.documents


class Exported(Struct, frozen=True):
    """A page as `jsonl` writes it; `duplicate_of` and `reason` stand only with twins, `unread` only with documents that
    gave no text: it says why."""

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
    unread: str | UnsetType = UNSET
    main_text: str | UnsetType = UNSET
    data: list[DataItem] | UnsetType = UNSET


def jsonl(reader: Reader, wanted: ExportWanted, out: BinaryIO) -> ExportCount:
    """One JSON object a line."""
    encoder = msgspec.json.Encoder()
    lines = bytearray()
    count = ExportCount()
    for page in rows(reader, wanted, count):
        encoder.encode_into(page, lines, -1)
        lines += b"\n"
        if len(lines) >= WRITE_BYTES:
            out.write(lines)
            lines = bytearray()
    out.write(lines)
    return count


def csv(reader: Reader, wanted: ExportWanted, out: BinaryIO) -> ExportCount:
    """RFC 4180 in UTF-8, with a header; the links in one cell, a space between two."""
    text = io.StringIO(newline="")
    writer = comma.writer(text)
    names = columns(wanted)
    writer.writerow(names)
    count = ExportCount()
    for page in rows(reader, wanted, count):
        writer.writerow([_cell(getattr(page, name)) for name in names])
        if text.tell() >= WRITE_BYTES:
            _hand_on(text, out)
    _hand_on(text, out)
    return count


def _hand_on(text: io.StringIO, out: BinaryIO) -> None:
    out.write(text.getvalue().encode("utf-8", "replace"))
    text.seek(0)
    text.truncate()


def _cell(value: object) -> str | int:
    match value:
        case int():
            return value
        case str():
            return guarded(value)
        case list():
            return guarded(_in_one_cell(value))
        case _:
            return ""


def _in_one_cell(values: list[object]) -> str:
    if all(isinstance(one, str) for one in values):
        return " ".join(map(str, values))
    return msgspec.json.encode(values).decode()


def guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula: an apostrophe goes before it where one might. A text that has
    such an apostrophe already gets another, so that `unguarded` gives every text back as it was."""
    return f"'{text}" if _tempting(text) else text


def unguarded(text: str) -> str:
    return text[1:] if text.startswith("'") and _tempting(text) else text


def _tempting(text: str) -> bool:
    bare = text.lstrip("'")
    return bare.startswith(_STEERING) or bare.lstrip(" '\xa0").startswith(_FORMULA)


def parquet(reader: Reader, wanted: ExportWanted, out: BinaryIO) -> ExportCount:
    """Compressed with zstd, in groups of rows; `fetched_at` is a moment and `links` a list."""
    arrow: Any = importlib.import_module("pyarrow")  # an extra: see `exchange.extras`
    writing: Any = importlib.import_module("pyarrow.parquet")
    kinds = {"status": arrow.int32(), "depth": arrow.int32(), "links": arrow.list_(arrow.string()),
             "fetched_at": arrow.timestamp("ms", "UTC")}  # fmt: skip
    schema = arrow.schema([(name, kinds.get(name, arrow.string())) for name in columns(wanted)])
    count = ExportCount()
    with writing.ParquetWriter(out, schema, compression="zstd") as writer:
        for group in _groups(rows(reader, wanted, count)):
            writer.write_table(arrow.Table.from_pylist([_typed(page) for page in group], schema))
    return count


def _typed(page: Exported) -> dict[str, object]:
    values: dict[str, object] = msgspec.structs.asdict(page)
    values = {name: value for name, value in values.items() if value is not UNSET}
    if isinstance(page.data, list):
        values["data"] = msgspec.json.encode(page.data).decode()  # its columns would differ from page to page
    return values | {"fetched_at": datetime.fromisoformat(page.fetched_at)}


def _groups(pages: Iterator[Exported]) -> Iterator[list[Exported]]:
    group: list[Exported] = []
    for page in pages:
        group.append(page)
        if len(group) == ROWS_A_GROUP:
            yield group
            group = []
    if group:
        yield group


def columns(wanted: ExportWanted) -> list[str]:
    left_out = {"main_text": not wanted.main_text, "data": not wanted.data}
    return [name for name in Exported.__struct_fields__ if not left_out.get(name)]


def rows(reader: Reader, wanted: ExportWanted, count: ExportCount) -> Iterator[Exported]:
    with Documents(reader) as documents:
        for page in chosen(reader, wanted):
            row = exported(page, documents.of(page), reader if wanted.main_text else None)
            yield msgspec.structs.replace(row, data=described(page, reader)) if wanted.data else row
            count.pages += page.duplicate_of is None
            count.twins += page.duplicate_of is not None


def chosen(reader: Reader, wanted: ExportWanted) -> Iterator[StoredPage]:
    """The pages that an export writes, nearest to a seed first."""
    for page in reader.pages(wanted.selection):
        if wanted.takes(page) and (not wanted.has or _describes(page, reader, wanted.has)):
            yield page


def _describes(page: StoredPage, reader: Reader, kind: str) -> bool:
    asked = (short_name(kind) or kind).casefold()
    return any(name.casefold() == asked for name in types_in(described(page, reader)))


def described(page: StoredPage, reader: Reader) -> list[DataItem]:
    """What a page says for machines, from its kept copy."""
    copy = decoded(reader.body(page.url)) if page.reading else None
    if copy is None or isinstance(copy, Failure):
        return []
    return data_in(copy.body, copy.content_type or page.mime, page.url)


def exported(page: StoredPage, paper: Paper | None = None, copies: Reader | None = None) -> Exported:
    """`paper` is what a document says; `copies` is given where the main text is wanted, which only the kept copy can
    tell."""
    read = unpack(page.reading) if page.reading else NOTHING_READ
    text = read.text if paper is None else paper.text
    return Exported(
        url=page.url,
        final_url=page.url,  # a redirecting URL is no page; its target stands for itself
        status=page.status,
        title=page.title or (paper.title if paper is not None else ""),
        text=text,
        digest=f"sha256:{page.digest.hex()}",
        fetched_at=iso(page.fetched_at),
        links=list(read.urls),
        language=language_of(text, page.language or (paper.language if paper else "")) if text else "",
        content_type=page.mime,
        depth=page.depth,
        duplicate_of=UNSET if page.duplicate_of is None else page.duplicate_of,
        reason=UNSET if page.duplicate_of is None else page.reason,
        unread=paper.reason if paper is not None and paper.failure else UNSET,
        main_text=UNSET if copies is None else text if paper is not None else _main_text(page, copies),
    )


def _main_text(page: StoredPage, copies: Reader) -> str:
    copy = decoded(copies.body(page.url))
    if isinstance(copy, Failure) or not page.reading:
        return ""
    return reading.main_text(copy.body, copy.content_type or page.mime)


def iso(at: float) -> str:
    """A moment in ISO 8601, UTC, to the millisecond."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
