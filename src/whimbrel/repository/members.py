"""The records of archive files, one gzip member each, as they stand and as they read."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from isal import isal_zlib
from msgspec import Struct

from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.views import Stand

Damage: Any = isal_zlib.error

_CHUNK_BYTES = 1 << 16


class Record(Struct, frozen=True):
    """A record of the archive: `member` is what stands there, `text` the same decompressed."""

    stand: Stand
    member: bytes
    text: bytes
    headers: dict[str, str]

    @property
    def kind(self) -> str:
        return self.headers.get("warc-type", "")

    @property
    def url(self) -> str:
        return self.headers.get("warc-target-uri", "")


def record_of(stand: Stand, member: bytes) -> Record:
    text = isal_zlib.decompress(member, wbits=31)
    return Record(stand, member, text, headers_of(text))


def members(file: BinaryIO, name: str, end: int) -> Iterator[Record]:
    """The records of a file up to a byte."""
    offset, chunk = 0, b""
    while offset < end:
        inflate = isal_zlib.decompressobj(wbits=31)
        packed, text = [], []
        while not inflate.eof:
            chunk = chunk or file.read(_CHUNK_BYTES)
            if not chunk:
                raise RepositoryError(f"{name} ends inside the record at byte {offset}; restore it from a copy")
            text.append(inflate.decompress(chunk))
            rest = inflate.unused_data
            packed.append(chunk[: len(chunk) - len(rest)])
            chunk = rest
        member, whole = b"".join(packed), b"".join(text)
        yield Record(Stand(name, offset, len(member)), member, whole, headers_of(whole))
        offset += len(member)


def headers_of(record: bytes) -> dict[str, str]:
    fields = {}
    for line in record.partition(b"\r\n\r\n")[0].decode("utf-8", "replace").split("\r\n")[1:]:
        name, _, value = line.partition(":")
        fields[name.strip().lower()] = value.strip()
    return fields
