"""WARC/1.1 records (ISO 28500:2017), one gzip member each, and reading them back.

Bodies are stored as received: content coding kept, transfer coding removed. The payload digest is therefore over
the coded bytes, as warcio and fastwarc check it; the digest that tells duplicates apart is kept in the database.
"""

from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from itertools import count
from os import urandom
from pathlib import Path
from typing import Any

from isal import igzip_lib
from msgspec import Struct

COMPRESSION_LEVEL = 1
"""ISA-L 1: 5.6 times smaller at some 500 MB/s on documentation pages; level 2 saves half a percent more."""

SMALL_LEVEL = 0
"""For records of some hundred bytes: 550 bytes instead of 400, in a quarter of the time, which goes into a code
table of their own."""

Damage: Any = igzip_lib.IsalError

_CRLF2 = b"\r\n\r\n"

PRIVATE = "whimbrel-private"
"""The header of records of an exchange that credentials were sent with."""


class WarcError(Exception):
    """An archive file does not hold what the database says it holds."""


class Content(Struct, frozen=True):
    """A record read back: its WARC header, the HTTP head and the payload as it was received."""

    warc_headers: dict[str, str]
    head: bytes
    payload: bytes


def compress(record: bytes, level: int = COMPRESSION_LEVEL) -> bytes:
    return bytes(igzip_lib.compress(record, level, igzip_lib.COMP_GZIP))


def _random_start() -> tuple[str, "count[int]"]:
    random = bytearray(urandom(16))
    random[6] = random[6] & 0x0F | 0x40
    random[8] = random[8] & 0x3F | 0x80
    text = random.hex()
    return f"<urn:uuid:{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-", count(int(text[20:], 16))


_ID_START, _ids = _random_start()


def record_id() -> str:
    """A UUID URN: random once a process, counted from there. `uuid.uuid4` costs twenty times as much."""
    return f"{_ID_START}{next(_ids) & 0xFFFFFFFFFFFF:012x}>"


@lru_cache(maxsize=16)
def _second(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S")


# The records of one exchange bear the same date.
@lru_cache(maxsize=16)
def warc_date(at: float) -> str:
    whole = int(at)
    return f"{_second(whole)}.{int((at - whole) * 1_000_000):06d}Z"


def labelled(digest: bytes) -> str:
    """A SHA-256 digest as WARC headers write it. Hexadecimal is as good as base 32 to every reader, and quicker."""
    return "sha256:" + digest.hex()


def _block_digest(block: bytes) -> str:
    """For the small records, which have no payload digest. A response's is left out: hashing every page a second
    time would cost three percent of a crawl, and the gzip checksum covers it already."""
    return f"WARC-Block-Digest: {labelled(sha256(block).digest())}\r\n"


def _mark(private: bool) -> str:
    return "Whimbrel-Private: yes\r\n" if private else ""


def response(
    url: str, at: float, address: str, protocol: str, head: bytes, payload: bytes, digest: str, name: str,
    private: bool = False,
) -> bytes:  # fmt: skip
    protocol_line = f"WARC-Protocol: {protocol}\r\n" if protocol else ""
    address_line = f"WARC-IP-Address: {address}\r\n" if address else ""
    header = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: {name}\r\nWARC-Date: {warc_date(at)}\r\n"
        f"WARC-Target-URI: {url}\r\n{address_line}{protocol_line}{_mark(private)}WARC-Payload-Digest: {digest}\r\n"
        f"Content-Type: application/http;msgtype=response\r\nContent-Length: {len(head) + len(payload)}\r\n\r\n"
    )
    return compress(b"".join((header.encode(), head, payload, _CRLF2)))


def request(url: str, at: float, request_head: bytes, concurrent_to: str, private: bool = False) -> bytes:
    header = (
        f"WARC/1.1\r\nWARC-Type: request\r\nWARC-Record-ID: {record_id()}\r\nWARC-Date: {warc_date(at)}\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Concurrent-To: {concurrent_to}\r\n"
        f"{_mark(private)}{_block_digest(request_head)}"
        f"Content-Type: application/http;msgtype=request\r\nContent-Length: {len(request_head)}\r\n\r\n"
    )
    return compress(b"".join((header.encode(), request_head, _CRLF2)), SMALL_LEVEL)


def metadata(url: str, at: float, fields: list[tuple[str, str]], concurrent_to: str, private: bool = False) -> bytes:
    block = "".join(f"{name}: {value}\r\n" for name, value in fields).encode("utf-8", "replace")
    header = (
        f"WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: {record_id()}\r\nWARC-Date: {warc_date(at)}\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Concurrent-To: {concurrent_to}\r\n"
        f"{_mark(private)}{_block_digest(block)}"
        f"Content-Type: application/warc-fields\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return compress(b"".join((header.encode(), block, _CRLF2)), SMALL_LEVEL)


def revisit(
    url: str, at: float, head: bytes, digest: str, kept_url: str, kept_at: float, private: bool = False
) -> bytes:
    header = (
        f"WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Record-ID: {record_id()}\r\nWARC-Date: {warc_date(at)}\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Payload-Digest: {digest}\r\n"
        "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n"
        f"WARC-Refers-To-Target-URI: {kept_url}\r\nWARC-Refers-To-Date: {warc_date(kept_at)}\r\n"
        f"{_mark(private)}{_block_digest(head)}"
        f"Content-Type: application/http;msgtype=response\r\nContent-Length: {len(head)}\r\n\r\n"
    )
    return compress(b"".join((header.encode(), head, _CRLF2)))


def info(at: float, file_name: str, software: str) -> bytes:
    block = f"software: {software}\r\nformat: WARC file version 1.1\r\n".encode()
    header = (
        f"WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: {record_id()}\r\nWARC-Date: {warc_date(at)}\r\n"
        f"WARC-Filename: {file_name}\r\nContent-Type: application/warc-fields\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return compress(b"".join((header.encode(), block, _CRLF2)))


def read(path: Path, offset: int, length: int) -> Content:
    """The record that stands there; raises `WarcError` where none does."""
    with path.open("rb") as file:
        file.seek(offset)
        member = file.read(length)
    if len(member) != length:
        raise WarcError(f"{path.name} ends before byte {offset + length}; restore it from a copy")
    return parsed(member, path.name, offset)


def parsed(member: bytes, name: str, offset: int = 0) -> Content:
    """A compressed record; `name` and `offset` say where it was found."""
    try:
        return content_of(member)
    except Damage as damage:
        raise WarcError(f"{name} is damaged at byte {offset}: {damage}; restore it from a copy") from damage


def content_of(member: bytes) -> Content:
    """A compressed record, read."""
    record = igzip_lib.decompress(member, igzip_lib.DECOMP_GZIP)
    head, _, block = record.partition(_CRLF2)
    headers = {}
    for line in head.decode("utf-8", "replace").split("\r\n")[1:]:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    block = block[: int(headers.get("content-length", "0"))]
    http_head, separator, payload = block.partition(_CRLF2)
    return Content(headers, http_head + separator, payload)
