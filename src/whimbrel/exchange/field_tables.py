"""Pages of one kind as a table: a row a page, a column for each thing in which they differ."""

import csv as comma
import importlib
import io
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct

from whimbrel.exchange.tables import ExportCount, ExportWanted, chosen, guarded
from whimbrel.fields.template import KindTable, learned
from whimbrel.flows.copies import decoded
from whimbrel.parse.pieces import Piece, pieces
from whimbrel.records.response import Failure
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import StoredPage

SAMPLE = 200
"""Pages that the columns are learned from, spread over all."""
FEWEST = 3
ROWS_A_GROUP = 1_000


class TooFewOfAKind(Exception):
    """What pages have in common shows only beside others."""


class FieldSheet(Struct, frozen=True):
    """`rows` has for each page its URL and what it says in each column, "" where nothing."""

    names: list[str]
    rows: Iterator[list[str]]


def write_fields(name: str, reader: Reader, wanted: ExportWanted, out: BinaryIO) -> ExportCount:
    """The chosen pages, which are of one kind, in the format of that name."""
    count = ExportCount()
    WRITERS[name](field_sheet(reader, wanted, count), out)
    return count


def field_sheet(reader: Reader, wanted: ExportWanted, count: ExportCount) -> FieldSheet:
    pages = [page.url for page in chosen(reader, wanted) if page.duplicate_of is None]
    if len(pages) < FEWEST:
        raise TooFewOfAKind(
            f"only {len(pages)} kept page{' is' if len(pages) == 1 else 's are'} of that kind: which text is the "
            f"template's and which is the page's own shows from {FEWEST} on. Crawl more of them."
        )
    every = max(1, len(pages) // SAMPLE)
    sample = frozenset(pages[::every])
    table = learned([_read(page, reader) for page in chosen(reader, wanted) if page.url in sample])
    return FieldSheet(["url", *_names(table)], _rows(reader, wanted, table, count))


def _names(table: KindTable) -> list[str]:
    return [f"{name} of the page" if name.casefold() == "url" else name for name in table.names]


def _rows(reader: Reader, wanted: ExportWanted, table: KindTable, count: ExportCount) -> Iterator[list[str]]:
    for page in chosen(reader, wanted):
        if page.duplicate_of is None:
            said = table.row(_read(page, reader))
            yield [page.url, *(said.get(name, "") for name in table.names)]
            count.pages += 1


def _read(page: StoredPage, reader: Reader) -> list[Piece]:
    copy = decoded(reader.body(page.url))
    return [] if isinstance(copy, Failure) else pieces(copy.body, copy.content_type or page.mime)


def _jsonl(sheet: FieldSheet, out: BinaryIO) -> None:
    for row in sheet.rows:
        said = {name: value for name, value in zip(sheet.names, row, strict=True) if value}
        out.write(msgspec.json.encode(said) + b"\n")


def _csv(sheet: FieldSheet, out: BinaryIO) -> None:
    for row in _with_head(sheet):
        text = io.StringIO(newline="")
        comma.writer(text).writerow([guarded(value) for value in row])
        out.write(text.getvalue().encode("utf-8", "replace"))


def _with_head(sheet: FieldSheet) -> Iterator[Sequence[str]]:
    yield sheet.names
    yield from sheet.rows


def _parquet(sheet: FieldSheet, out: BinaryIO) -> None:
    arrow: Any = importlib.import_module("pyarrow")  # an extra: see `exchange.extras`
    writing: Any = importlib.import_module("pyarrow.parquet")
    schema = arrow.schema([(name, arrow.string()) for name in sheet.names])
    with writing.ParquetWriter(out, schema, compression="zstd") as writer:
        group: list[list[str]] = []
        for row in sheet.rows:
            group.append(row)
            if len(group) == ROWS_A_GROUP:
                writer.write_table(_arrow(arrow, group, schema))
                group = []
        if group:
            writer.write_table(_arrow(arrow, group, schema))


def _arrow(arrow: Any, group: list[list[str]], schema: Any) -> Any:
    return arrow.Table.from_arrays(
        [arrow.array([value or None for value in column]) for column in zip(*group, strict=True)], schema=schema
    )


WRITERS: dict[str, Callable[[FieldSheet, BinaryIO], None]] = {"jsonl": _jsonl, "csv": _csv, "parquet": _parquet}
