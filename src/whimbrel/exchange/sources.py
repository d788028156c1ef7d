"""What there is to import in a file: WARC, WACZ, JSON lines or CSV, told apart by how the file begins.

Each page or answer becomes a `Received`, as if a server had given it just now; whatever cannot, a `Fault`.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from zipfile import BadZipFile, ZipFile

from msgspec import Struct
from msgspec.structs import replace

from whimbrel.exchange.tables import unguarded
from whimbrel.exchange.warcs import Fault, RawRecord, records
from whimbrel.fetch.decode import plain
from whimbrel.fetch.head import read_head
from whimbrel.records.response import Failure, Response
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.repository.warc import PRIVATE
from whimbrel.urls.normal import normalise

if TYPE_CHECKING:
    import _csv

HEAD_BYTES = 1 << 20
_SEND = 'write {"url": "https://example.org/a", "title": "A", "text": "…"}, or "html" instead of "text"'
_NO_TABLE = "it is no WARC, WACZ or JSON lines, and as CSV its first row must name the columns url and text or html"


class Received(Struct, frozen=True):
    """One answer, from wherever it was kept. `same_as` is set where the record only says whose bytes it has: then
    `response` has none. `depth` is None where nothing is said of it; `at` likewise."""

    position: str
    response: Response
    at: float | None = None
    depth: int | None = None
    title: str = ""
    same_as: str = ""
    same_at: float | None = None
    """When `same_as` was received with those bytes."""
    payload_digest: str = ""


def read(path: Path, largest_bytes: int) -> Iterator[Received | Fault]:
    with path.open("rb") as stream:
        start = stream.read(4096)
        stream.seek(0)
        if start.startswith(b"PK"):
            yield from _wacz(stream, largest_bytes)
        elif start.startswith((b"\x1f\x8b", b"WARC/")):
            yield from warc(stream, largest_bytes)
        elif start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
            yield from jsonl(stream, largest_bytes)
        elif start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
            yield Fault("line 1", "it is HTML. The pages of bookmarks are fetched: whimbrel crawl --seeds FILE")
        else:
            yield from csv_rows(stream, largest_bytes)


# Archives.


def _wacz(stream: BinaryIO, largest_bytes: int) -> Iterator[Received | Fault]:
    try:
        with ZipFile(stream) as package:
            names = [n for n in package.namelist() if n.startswith("archive/") and n.endswith((".warc", ".warc.gz"))]
            if not names:
                yield Fault("archive/", "the ZIP holds no WARC file: it is no WACZ")
            for name in names:
                with package.open(name) as part:
                    for found in warc(part, largest_bytes):  # type: ignore[arg-type]
                        yield replace(found, position=f"{name} {found.position}")
    except (BadZipFile, NotImplementedError, RuntimeError) as error:
        yield Fault("the ZIP itself", f"it cannot be read: {error}")


def warc(stream: BinaryIO, largest_bytes: int) -> Iterator[Received | Fault]:
    """Answers, each with what the records around it say of it: they may stand before it or behind."""
    pending: Received | None = None
    asked = ("", b"")
    for record in records(stream, largest_bytes + HEAD_BYTES):
        if isinstance(record, Fault):
            yield record
            continue
        kind, url = record.headers.get("warc-type", ""), _target(record)
        if kind in ("response", "revisit", "resource"):
            if pending is not None:
                yield pending
            pending = None
            answer = _answer(record, url, kind, largest_bytes)
            if isinstance(answer, Received):
                request = asked[1] if asked[0] == url else b""
                pending = replace(answer, response=replace(answer.response, request_head=request))
            elif answer is not None:
                yield answer
        elif kind == "request":
            asked = (url, record.block)
            if pending is not None and pending.response.url == _normal(url):
                pending = replace(pending, response=replace(pending.response, request_head=record.block))
        elif kind == "metadata" and pending is not None and pending.response.url == _normal(url):
            pending = replace(pending, depth=_hops(record.block))
    if pending is not None:
        yield pending


def _target(record: RawRecord) -> str:
    return record.headers.get("warc-target-uri", "").strip("<>")  # GNU wget put them round it


def _normal(url: str) -> str:
    normal = normalise(url)
    return url if isinstance(normal, Verdict) else normal


def _hops(block: bytes) -> int | None:
    for line in block.decode("utf-8", "replace").splitlines():
        name, _, value = line.partition(":")
        if name.strip().lower() == "hopsfromseed" and value.strip().isdecimal():
            return min(int(value.strip()[:9]), 1_000_000)
    return None


def _answer(record: RawRecord, text: str, kind: str, largest_bytes: int) -> Received | Fault | None:
    place = f"byte {record.position}"
    if not text.lower().startswith(("http:", "https:")):
        return None  # a look-up of a name, a note of the archiving program
    url = normalise(text)
    if isinstance(url, Verdict):
        return Fault(place, f"{text[:200]}: {url.reason}")
    at = _moment(record.headers.get("warc-date", ""))
    if at is None:
        return Fault(place, f"{url}: it has no readable date (WARC-Date)")
    if kind == "resource":
        content_type = record.headers.get("content-type", "application/octet-stream")
        return Received(place, made_up(url, content_type, record.block), at)
    response = _http(url, record.block, largest_bytes, record.headers.get("warc-ip-address", ""))
    if isinstance(response, str):
        return Fault(place, f"{url}: {response}")
    response = replace(response, private=PRIVATE in record.headers)
    if kind == "response":
        return Received(place, response, at)
    same_as = record.headers.get("warc-refers-to-target-uri", "").strip("<>") or text
    if "not-modified" in record.headers.get("warc-profile", ""):
        return None  # it says that nothing is new
    same_at = _moment(record.headers.get("warc-refers-to-date", ""))
    return Received(place, response, at, None, "", same_as, same_at, record.headers.get("warc-payload-digest", ""))


def _http(url: Url, block: bytes, largest_bytes: int, address: str) -> Response | str:
    ends = [found + len(end) for end in (b"\r\n\r\n", b"\n\n") if (found := block.find(end, 0, HEAD_BYTES)) >= 0]
    cut = min(ends, default=len(block))
    head = read_head(block[:cut].splitlines(keepends=True))
    if head is None:
        return "it holds no HTTP answer"
    raw = block[cut:]
    if "chunked" in head.transfer_coding.lower():
        raw = unchunked(raw)
    return _decoded(Response(url, head.status, head.headers, head.text, raw, raw, b"", "", address, 0.0), largest_bytes)


def _decoded(response: Response, largest_bytes: int) -> Response | str:
    body = plain(response.headers.get("content-encoding", ""), response.raw, largest_bytes) if response.raw else b""
    if isinstance(body, Failure):
        return body.detail
    if len(body) > largest_bytes:
        return f"its body is larger than {largest_bytes} bytes (fetch.max_size_bytes)"
    return replace(response, body=body)


def with_body(response: Response, raw: bytes, largest_bytes: int) -> Response | str:
    """An answer of which only the head was kept, with the bytes that it shares."""
    return _decoded(replace(response, raw=raw, body=raw), largest_bytes)


def unchunked(raw: bytes) -> bytes:
    """The body without its chunks (RFC 9112 §7.1); as it is where it has none, whatever the head says."""
    parts: list[bytes] = []
    place = 0
    while place < len(raw):
        line, found, _ = raw[place : place + 200].partition(b"\r\n")
        try:
            size = int(line.partition(b";")[0], 16) if found else -1
        except ValueError:
            size = -1
        if size < 0:
            return b"".join(parts) if parts else raw
        place += len(line) + 2
        parts.append(raw[place : place + size])
        if size == 0:
            break
        place += size + 2
    return b"".join(parts)


# Tables.


def jsonl(stream: BinaryIO, largest_bytes: int) -> Iterator[Received | Fault]:
    longest = 8 * largest_bytes  # JSON may write every byte as six
    number = 0
    while line := stream.readline(longest):
        number += 1
        place = f"line {number}"
        if not line.endswith(b"\n") and len(line) == longest:
            while len(line) == longest and not line.endswith(b"\n"):
                line = stream.readline(longest)
            yield Fault(place, f"it is longer than {longest} bytes")
            continue
        if not (text := line.decode("utf-8", "replace").removeprefix("\ufeff").strip()):
            continue
        try:
            values = json.loads(text)
        except (ValueError, RecursionError) as error:
            yield Fault(place, f"it is not JSON ({error}): {_SEND}")
            continue
        yield _page(values, place, largest_bytes) if isinstance(values, dict) else Fault(place, f"no object: {_SEND}")


def csv_rows(stream: BinaryIO, largest_bytes: int) -> Iterator[Received | Fault]:
    csv.field_size_limit(largest_bytes)
    text = io.TextIOWrapper(stream, "utf-8-sig", "replace", newline="")
    try:
        yield from _rows(csv.reader(text), largest_bytes)
    finally:
        text.detach()


def _rows(rows: "_csv.Reader", largest_bytes: int) -> Iterator[Received | Fault]:
    names: list[str] = []
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            yield Fault(f"line {rows.line_num}", str(error))
            continue
        if row is None:
            return
        place = f"line {rows.line_num}"
        if not names:
            names = [name.strip().lower() for name in row]
            if "url" not in names or not {"text", "html"} & set(names):
                yield Fault(place, _NO_TABLE)
                return
        elif any(row) and len(row) != len(names):
            yield Fault(place, f"it has {len(row)} cells, the first row {len(names)}")
        elif any(row):
            cells = {name: unguarded(cell) for name, cell in zip(names, row, strict=True) if cell}
            yield _page(cells, place, largest_bytes)


def _page(values: Mapping[str, object], place: str, largest_bytes: int) -> Received | Fault:
    address, html, text = values.get("url"), values.get("html"), values.get("text")
    url = normalise(address) if isinstance(address, str) else Verdict(False, "url", f'"url" is missing: {_SEND}')
    if isinstance(url, Verdict):
        return Fault(place, url.reason)
    content = html if isinstance(html, str) and html else text
    if not isinstance(content, str):
        return Fault(place, f'{url}: there is neither "text" nor "html": {_SEND}')
    body = content.encode("utf-8", "replace")
    if len(body) > largest_bytes:
        return Fault(place, f"{url}: its body is larger than {largest_bytes} bytes (fetch.max_size_bytes)")
    kind = "text/html" if content is html else "text/plain"
    title, depth, moment = values.get("title"), values.get("depth"), values.get("fetched_at")
    return Received(
        place,
        made_up(url, f"{kind}; charset=utf-8", body),
        _moment(moment) if isinstance(moment, str) else None,
        int(str(depth)) if str(depth).isdecimal() and len(str(depth)) < 7 else None,
        _one_line(title) if isinstance(title, str) else "",
    )


def made_up(url: Url, content_type: str, body: bytes) -> Response:
    """An answer for a page that came without one: as little head as its readers need."""
    shown = "".join(c if c.isprintable() and c.isascii() else " " for c in content_type)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {shown}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    headers = {"content-type": shown, "content-length": str(len(body))}
    return Response(url, 200, headers, head, body, body, b"", "", "", 0.0)


def _one_line(title: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in title).split())[:1_000]


def _moment(text: str) -> float | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    try:
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (OverflowError, ValueError):
        return None
