"""How a page of the tiny web answers, and how it misbehaves."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Sequence
from http import HTTPStatus

from msgspec import Struct
from msgspec.structs import replace

PHRASES = {status.value: status.phrase for status in HTTPStatus}
FOREVER = b"<p>and so on and so on and so on and so on and so on</p>\n" * 256


class Request(Struct, frozen=True):
    """A request as it came in. `started` is by the monotonic clock."""

    method: str
    path: str
    headers: dict[str, str]
    started: float
    client: tuple[str, int]
    server: tuple[str, int]
    body: bytes = b""


class Reply(Struct, frozen=True):
    """`body` is plain; `codings` are put on it in order. `raw` is sent as it is, then the connection closes.

    `declared_length` is what Content-Length says where it is not the truth. `cut_after` closes the connection
    after so many body bytes, `reset` with a TCP reset. `drip_seconds` is the pause after every body byte.
    `silent` never answers. `endless_body` and `endless_headers` go on until the client leaves.
    """

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    content_type: str = "text/html; charset=utf-8"
    codings: tuple[str, ...] = ()
    chunked: bool = False
    etag: str = ""
    last_modified: str = ""
    raw: bytes | None = None
    declared_length: int | None = None
    cut_after: int | None = None
    reset: bool = False
    drip_seconds: float = 0.0
    silent: bool = False
    endless_body: bool = False
    endless_headers: bool = False


Answer = Reply | str | bytes
Page = Answer | Sequence[Answer] | Callable[[Request], Answer]
"""A sequence answers request by request, its last reply again and again."""

NOT_FOUND = Reply(b"<title>Not found</title><p>There is no such page.</p>", status=404)


def as_reply(answer: Answer) -> Reply:
    if isinstance(answer, str):
        return Reply(answer.encode())
    if isinstance(answer, bytes):
        return Reply(answer)
    return answer


def redirect(location: str, status: int = 302) -> Reply:
    return Reply(b"<p>Moved.</p>", status=status, headers=(("Location", location),))


def unavailable(retry_after: str = "", status: int = 503) -> Reply:
    headers = (("Retry-After", retry_after),) if retry_after else ()
    return Reply(b"<p>Not now.</p>", status=status, headers=headers)


def bomb(coding: str = "gzip", mebibytes: int = 256) -> Reply:
    """A small body that grows when it is decoded."""
    if coding == "gzip":
        wrapped = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + _flushed_mebibyte() * mebibytes
    elif coding == "deflate":
        wrapped = b"\x78\x9c" + _flushed_mebibyte() * mebibytes
    else:
        wrapped = encode(bytes(mebibytes << 20), (coding,))
    return Reply(wrapped, headers=(("Content-Encoding", coding),))


def _flushed_mebibyte() -> bytes:
    """A full flush forgets what came before, so the same bytes may follow each other any number of times."""
    squeeze = zlib.compressobj(9, wbits=-15)
    return squeeze.compress(bytes(1 << 20)) + squeeze.flush(zlib.Z_FULL_FLUSH)


def encode(body: bytes, codings: tuple[str, ...]) -> bytes:
    for coding in codings:
        body = ENCODERS[coding](body)
    return body


def _brotli(body: bytes) -> bytes:
    import brotli

    encoded: bytes = brotli.compress(body, quality=4)
    return encoded


def _zstd(body: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor(level=3).compress(body)


def _raw_deflate(body: bytes) -> bytes:
    squeeze = zlib.compressobj(wbits=-15)
    return squeeze.compress(body) + squeeze.flush()


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda body: gzip.compress(body, mtime=0),
    "deflate": zlib.compress,
    "raw-deflate": _raw_deflate,
    "br": _brotli,
    "zstd": _zstd,
}


def chosen(page: Page, number: int, request: Request) -> Reply:
    """The reply to the request of this number (from 0) for a page, conditions included."""
    if callable(page):
        reply = as_reply(page(request))
    elif isinstance(page, (Reply, str, bytes)):
        reply = as_reply(page)
    else:
        reply = as_reply(page[min(number, len(page) - 1)])
    return not_modified(reply) if _unchanged(reply, request) else reply


def _unchanged(reply: Reply, request: Request) -> bool:
    asked = request.headers.get("if-none-match")
    if asked is not None:  # wins over the date (RFC 9110, 13.1.3)
        return bool(reply.etag) and reply.etag in (tag.strip() for tag in asked.split(","))
    since = request.headers.get("if-modified-since")
    return bool(reply.last_modified) and since == reply.last_modified


def not_modified(reply: Reply) -> Reply:
    return replace(reply, status=304, body=b"", codings=(), chunked=False)


def head_of(reply: Reply, length: int | None) -> bytes:
    """Ends without the empty line. `length` is None where the end of the connection ends the body."""
    lines = [f"HTTP/1.1 {reply.status} {PHRASES.get(reply.status, 'Unknown')}"]
    if reply.status != 304:
        lines.append(f"Content-Type: {reply.content_type}")
    if reply.etag:
        lines.append(f"ETag: {reply.etag}")
    if reply.last_modified:
        lines.append(f"Last-Modified: {reply.last_modified}")
    if reply.codings:
        names = ("deflate" if coding == "raw-deflate" else coding for coding in reply.codings)
        lines.append(f"Content-Encoding: {', '.join(names)}")
    if reply.chunked:
        lines.append("Transfer-Encoding: chunked")
    elif length is not None and reply.status != 304:
        lines.append(f"Content-Length: {length}")
    lines += [f"{name}: {value}" for name, value in reply.headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n"
