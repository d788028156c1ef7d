"""Writes the pages of a folder out, in a format that other tools read.

A format is named in `FORMATS` with its module, which is imported when it is asked for, and with where it can write to.
"""

import importlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, cast

from msgspec import Struct

from whimbrel.exchange.ledger import ExportLedger
from whimbrel.exchange.tables import NOTHING_READ, ExportCount, Exported, ExportWanted, exported, iso
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.port.reader import Reader

__all__ = [
    "FORMATS",
    "NOTHING_READ",
    "ExportCount",
    "ExportWanted",
    "Exported",
    "Into",
    "UnknownFormat",
    "export",
    "export_folder",
    "exported",
    "format_of",
    "iso",
    "spared",
    "whole_file",
    "whole_folder",
]  # fmt: skip


class Into(StrEnum):
    """Where a format goes: anywhere, into a file that has to be one (binary), or into a folder of files."""

    STREAM = "stream"
    FILE = "file"
    FOLDER = "folder"


class Format(Struct, frozen=True):
    module: str
    function: str
    into: Into


FORMATS = {
    "jsonl": Format("whimbrel.exchange.tables", "jsonl", Into.STREAM),
    "csv": Format("whimbrel.exchange.tables", "csv", Into.STREAM),
    "parquet": Format("whimbrel.exchange.tables", "parquet", Into.FILE),
    "markdown": Format("whimbrel.exchange.markdown", "markdown", Into.FOLDER),
    "llms-txt": Format("whimbrel.exchange.llms_txt", "llms_txt", Into.STREAM),
    "zim": Format("whimbrel.exchange.zim", "zim", Into.FILE),
    "warc": Format("whimbrel.exchange.archives", "warc", Into.FILE),
    "wacz": Format("whimbrel.exchange.archives", "wacz", Into.FILE),
}


class UnknownFormat(Exception):
    """The message names the formats there are."""


def format_of(name: str) -> Format:
    known = FORMATS.get(name)
    if known is None:
        raise UnknownFormat(f"there is no format {name!r}. The formats are: {', '.join(FORMATS)}.")
    return known


def export(name: str, reader: Reader, wanted: ExportWanted, out: BinaryIO) -> ExportCount:
    """Writes the pages in the format of that name; returns how many."""
    write = cast(Callable[[Reader, ExportWanted, BinaryIO], ExportCount], _function(format_of(name)))
    return write(reader, wanted, out)


def export_folder(name: str, reader: Reader, wanted: ExportWanted, folder: Path) -> ExportCount:
    """As `export`, for the formats that write files into a folder."""
    write = cast(Callable[[Reader, ExportWanted, Path], ExportCount], _function(format_of(name)))
    return write(reader, wanted, folder)


def _function(chosen: Format) -> object:
    return getattr(importlib.import_module(chosen.module), chosen.function)


def spared(path: Path, folder: Path, *, force: bool) -> None:
    """Raises where `path` is something that an export of this folder may not replace: anything but a file that such an
    export left there as it is now. With `force` any file may be."""
    if not path.exists():
        return
    if not path.is_file():
        raise RepositoryError(f"{path} is no file that could be replaced. Name a file with --output.")
    if not force and not ExportLedger(folder).wrote(path):
        raise RepositoryError(
            f"{path} is there already, and no export of {folder} left it so. Name another file with --output, "
            "or replace it with --force."
        )


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file that appears under its name only when it is complete and on the disk."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("w+b") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    except OSError as error:
        raise _unwritten(path, error) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A folder that appears under its name only when it is complete. One that holds something is left alone: what a
    user may have changed there is not ours to replace."""
    part = path.with_name(f".{path.name}.part")
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise RepositoryError(f"{path} is there already and not empty. Name another folder with --output.")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        yield part
        part.replace(path)
    except OSError as error:
        raise _unwritten(path, error) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _unwritten(path: Path, error: OSError) -> RepositoryError:
    return RepositoryError(
        f"{path} cannot be written: {error.strerror}. Name another file with --output, or free some space."
    )
