"""Archive files written anew without what is to be forgotten. The old file is never touched."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from isal import igzip_lib, isal_zlib
from msgspec import Struct

from whimbrel.repository import warc
from whimbrel.repository.warc import WarcError

CHUNK_BYTES = 1 << 16
DEFLATE_ERROR: Any = isal_zlib.error

_CRLF = b"\r\n"
_END_OF_HEADER = b"\r\n\r\n"
_REFERS_TO = b"warc-refers-to-"


class GzipMember(Struct, frozen=True):
    """One gzip member of an archive file, which is one WARC record."""

    offset: int
    length: int
    headers: dict[str, str]

    @property
    def target(self) -> str:
        return self.headers.get("warc-target-uri", "")

    @property
    def leans(self) -> bool:
        """Whether the record only refers to another one's payload."""
        return self.headers.get("warc-type") == "revisit"


class RecordPlace(Struct, frozen=True):
    """Where a record stands."""

    path: Path
    offset: int
    length: int


class RecordChanges(Struct, frozen=True):
    """What becomes of records, which are named by file and offset.

    `forgotten` says whether a URL's records go; `bodies` gives the place of the body that a revisit record has to
    carry itself from now on; `holders` gives the URL and date that a revisit record refers to from now on.
    """

    forgotten: Callable[[str], bool]
    bodies: dict[tuple[str, int], RecordPlace]
    holders: dict[tuple[str, int], tuple[str, str]]

    def concern(self, name: str, member: GzipMember) -> bool:
        if member.target and self.forgotten(member.target):
            return True
        place = (name, member.offset)
        return place in self.bodies or (member.leans and place in self.holders)


class Moved(Struct, frozen=True):
    """A record that stays: its old offset, its new one and its new length."""

    old: int
    offset: int
    length: int


class Rewritten(Struct, frozen=True):
    moved: list[Moved]
    dropped: int
    end: int


def members(path: Path, end: int) -> Iterator[GzipMember]:
    """The records of a file up to its committed end."""
    with path.open("rb") as file:
        offset, chunk = 0, b""
        while offset < end:
            inflate = isal_zlib.decompressobj(wbits=31)
            head, length = b"", 0
            while not inflate.eof:
                chunk = chunk or file.read(CHUNK_BYTES)
                if not chunk:
                    raise WarcError(f"{path.name} ends within the record at byte {offset}; restore it from a copy")
                try:
                    part = inflate.decompress(chunk)
                except DEFLATE_ERROR as damage:
                    raise WarcError(f"{path.name} is damaged at byte {offset}: {damage}; restore it") from damage
                if _END_OF_HEADER not in head:
                    head += part
                length += len(chunk)
                chunk = b""
            chunk = inflate.unused_data
            length -= len(chunk)
            yield GzipMember(offset, length, _headers(head))
            offset += length


def concerned(path: Path, end: int, changes: RecordChanges) -> bool:
    return any(changes.concern(path.name, member) for member in members(path, end))


def rewrite(source: Path, end: int, target: Path, changes: RecordChanges, header: bytes) -> Rewritten:
    """Writes what stays of `source` to `target`, behind `header`, and syncs it."""
    moved: list[Moved] = []
    dropped = 0
    with source.open("rb") as old, target.open("xb") as new:
        new.write(header)
        for member in members(source, end):
            if member.headers.get("warc-type") == "warcinfo":
                continue
            if member.target and changes.forgotten(member.target):
                dropped += 1
                continue
            old.seek(member.offset)
            record = _changed(old.read(member.length), member, source.name, changes)
            moved.append(Moved(member.offset, new.tell(), len(record)))
            new.write(record)
        new.flush()
        os.fsync(new.fileno())
        return Rewritten(moved, dropped, new.tell())


def _changed(record: bytes, member: GzipMember, name: str, changes: RecordChanges) -> bytes:
    body = changes.bodies.get((name, member.offset))
    if body is not None:
        return _with_body(record, member, body)
    holder = changes.holders.get((name, member.offset)) if member.leans else None
    return record if holder is None else _referring(record, *holder)


def _with_body(record: bytes, member: GzipMember, body: RecordPlace) -> bytes:
    """A revisit that becomes a response: its own head with the payload it shared."""
    head = _block(igzip_lib.decompress(record, igzip_lib.DECOMP_GZIP), member)
    block = head + warc.read(body.path, body.offset, body.length).payload
    lines = [
        b"WARC/1.1",
        b"WARC-Type: response",
        *(
            f"{name}: {member.headers[name.lower()]}".encode()
            for name in _KEPT_HEADERS
            if name.lower() in member.headers
        ),
        b"Content-Length: %d" % len(block),
    ]
    return warc.compress(_CRLF.join(lines) + _END_OF_HEADER + block + _END_OF_HEADER)


_KEPT_HEADERS = (
    "WARC-Record-ID", "WARC-Date", "WARC-Target-URI", "WARC-IP-Address", "WARC-Protocol", "WARC-Payload-Digest",
    "Whimbrel-Private", "Content-Type",
)  # fmt: skip


def _block(record: bytes, member: GzipMember) -> bytes:
    start = record.index(_END_OF_HEADER) + len(_END_OF_HEADER)
    return record[start : start + int(member.headers.get("content-length", "0"))]


def _referring(record: bytes, url: str, date: str) -> bytes:
    """The same revisit, leaning on another record."""
    head, _, rest = igzip_lib.decompress(record, igzip_lib.DECOMP_GZIP).partition(_END_OF_HEADER)
    lines = [line for line in head.split(_CRLF) if not line.lower().startswith(_REFERS_TO)]
    lines += [f"WARC-Refers-To-Target-URI: {url}".encode(), f"WARC-Refers-To-Date: {date}".encode()]
    return warc.compress(_CRLF.join(lines) + _END_OF_HEADER + rest)


def _headers(record: bytes) -> dict[str, str]:
    head = record.partition(_END_OF_HEADER)[0].decode("utf-8", "replace")
    fields = (line.partition(":") for line in head.split("\r\n")[1:])
    return {name.strip().lower(): value.strip() for name, _, value in fields}
