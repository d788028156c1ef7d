"""Reads WARC files that others wrote, record by record, past what is damaged.

Every known shape is taken: plain, compressed record by record, compressed as a whole. After damage reading goes on at
the next place where a record begins, so that one bad byte costs one record.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO

from isal import isal_zlib
from msgspec import Struct

HEADER_BYTES = 1 << 16
MOST_TORN = 1_000
"""Looking for the next beginning may cost a walk through the file: one that is nothing but damage ends early."""
_CHUNK_BYTES = 1 << 14
_MAGIC = b"\x1f\x8b\x08"
_BEGINNING = b"WARC/"
_DATA = ("response", "revisit", "resource")

Damage: Any = isal_zlib.error


class RawRecord(Struct, frozen=True):
    """A record as it stands there; `position` is the byte of the file at which it (or its gzip member) begins."""

    position: int
    headers: dict[str, str]
    block: bytes


class Fault(Struct, frozen=True):
    """Why something could not be taken, and where."""

    position: str
    why: str


class Torn(Exception):
    """The record at hand cannot be read to its end."""


class WarcBytes:
    """The bytes of an archive, decompressed where they have to be."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._zipped = stream.read(2) == _MAGIC[:2]
        self.start = 0
        """Where the record at hand begins, or the gzip member that holds it."""
        self._seek(0)

    def _seek(self, place: int) -> None:
        self._stream.seek(place)
        self._at = place  # of the first raw byte not yet used
        self._raw = b""
        self._text = b""
        self._inflate: Any = None
        self._member = place

    def begin(self) -> bool:
        """Goes to the next record; False at the end."""
        while True:
            self._text = self._text.lstrip(b"\r\n")
            try:
                if not self._text and not self._fill():
                    return False
            finally:
                self.start = self._member if self._zipped else self._at - len(self._text)
            if not self._text.startswith((b"\r", b"\n")):
                return True

    def header(self) -> bytes:
        while True:
            for end in (b"\r\n\r\n", b"\n\n"):
                head, found, rest = self._text.partition(end)
                if found:
                    self._text = rest
                    return head
            if len(self._text) > HEADER_BYTES:
                raise Torn("its header has no end")
            if not self._fill():
                raise Torn("the file ends inside its header")

    def take(self, count: int) -> bytes:
        parts, missing = [], count
        while missing:
            if not self._text and not self._fill():
                raise Torn(f"the file ends {missing} bytes before it does")
            part = self._text[:missing]
            self._text = self._text[missing:]
            missing -= len(part)
            parts.append(part)
        return b"".join(parts)

    def skip(self, count: int) -> None:
        while count:
            if not self._text and not self._fill():
                raise Torn(f"the file ends {count} bytes before it does")
            gone = min(count, len(self._text))
            self._text = self._text[gone:]
            count -= gone

    def _fill(self) -> bool:
        """More text behind what there is; never of two gzip members at once."""
        raw = self._raw or self._stream.read(_CHUNK_BYTES)
        self._raw = b""
        if not raw:
            if self._inflate is not None:
                raise Torn("the file ends inside its compressed bytes")
            return False
        if not self._zipped:
            self._text += raw
            self._at += len(raw)
            return True
        if self._inflate is None:
            if not raw.strip(b"\0"):
                return False  # padding after the last member
            self._inflate, self._member = isal_zlib.decompressobj(wbits=31), self._at
        try:
            self._text += self._inflate.decompress(raw)
        except Damage as damage:
            raise Torn(f"its compressed bytes are damaged ({damage})") from damage
        if self._inflate.eof:
            self._raw = self._inflate.unused_data
            self._inflate = None
        self._at += len(raw) - len(self._raw)
        return True

    def resume_after(self, place: int) -> bool:
        """Goes to the next beginning of a record behind `place`; False where there is none."""
        wanted = _MAGIC if self._zipped else b"\n" + _BEGINNING
        for found in self._occurrences(wanted, place + 1):
            start = found if self._zipped else found + 1
            self._seek(start)
            try:
                if not self._zipped or (self.begin() and self._text.startswith(_BEGINNING)):
                    self._seek(start)
                    return True
            except Torn:
                continue
        return False

    def _occurrences(self, wanted: bytes, place: int) -> Iterator[int]:
        while True:
            self._stream.seek(place)
            window = self._stream.read(1 << 20)
            found = window.find(wanted)
            if found >= 0:
                yield place + found
                place += found + 1
            elif len(window) < 1 << 20:
                return
            else:
                place += len(window) - len(wanted) + 1


def records(stream: BinaryIO, largest_bytes: int) -> Iterator[RawRecord | Fault]:
    """The records that hold something, and what is wrong with the others."""
    source = WarcBytes(stream)
    torn_records = 0
    while torn_records < MOST_TORN:
        try:
            if not source.begin():
                return
            record = _record(source, largest_bytes)
        except Torn as torn:
            yield Fault(f"byte {source.start}", str(torn))
            torn_records += 1
            if not source.resume_after(source.start):
                return
            continue
        if record is not None:
            yield record
    yield Fault(f"byte {source.start}", f"{MOST_TORN} records could not be read: the rest of the file is left alone")


def _record(source: WarcBytes, largest_bytes: int) -> RawRecord | Fault | None:
    place = source.start
    lines = source.header().decode("utf-8", "replace").splitlines()
    if not lines or not lines[0].startswith(_BEGINNING.decode()):
        raise Torn("there is no WARC record")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    length = headers.get("content-length", "")
    if not (length.isascii() and length.isdigit() and len(length) < 16):
        raise Torn("it does not say how long it is (Content-Length)")
    if int(length) > largest_bytes:
        source.skip(int(length))
        if headers.get("warc-type") not in _DATA:
            return None
        return Fault(f"byte {place}", f"it has {length} bytes; {largest_bytes} are allowed (fetch.max_size_bytes)")
    return RawRecord(place, headers, source.take(int(length)))
