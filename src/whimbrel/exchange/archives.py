"""Kept records as other archive tools read them: one WARC file, or a WACZ 1.1.1 with that file, an index and the pages.

Records are copied as they stand, compressed bytes and all. What was received of a site thus leaves with its requests,
redirects and robots.txt. A copy of one site alone stands on its own: where a record only points to the same bytes
on another site, the bytes are put in.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from isal import igzip, isal_zlib
from msgspec import Struct

from whimbrel import __version__
from whimbrel.exchange.tables import Wanted, iso
from whimbrel.fetch.head import Head, read_head
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.repository import warc as records
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.embedded.opening import ARCHIVE
from whimbrel.repository.embedded.reader import Reader
from whimbrel.urls.normal import authority, normalise

SOFTWARE = f"whimbrel/{__version__}"
WACZ_VERSION = "1.1.1"
DATA = "data.warc.gz"
LINES_A_BLOCK = 2_048
_CHUNK_BYTES = 1 << 16
_EXCHANGES = ("response", "revisit")
_DOCUMENTS = (200, 203)
_OLDEST_ZIP_DATE = (1980, 1, 1, 0, 0, 0)

Damage: Any = isal_zlib.error


class Record(Struct, frozen=True):
    """A record of the archive: `member` is what stands in the file, `text` the same decompressed."""

    file: str
    offset: int
    member: bytes
    text: bytes
    headers: dict[str, str]

    @property
    def kind(self) -> str:
        return self.headers.get("warc-type", "")

    @property
    def url(self) -> str:
        return self.headers.get("warc-target-uri", "")


class Entry(Struct, frozen=True):
    """A line of the index: what it says is the WACZ specification's, the values being texts."""

    url: str
    mime: str
    status: str
    digest: str
    length: str
    offset: str
    filename: str


def warc(reader: Reader, wanted: Wanted, out: BinaryIO) -> int:
    """One `.warc.gz`, a gzip member a record; returns how many documents it holds."""
    return _write(reader, wanted, out.write, lambda record, at, length: None)


def _write(
    reader: Reader, wanted: Wanted, write: Callable[[bytes], object], note: Callable[[Record, int, int], None]
) -> int:
    header = records.info(wanted.at, DATA, SOFTWARE)
    write(header)
    at = len(header)
    documents = 0
    for record in chosen(reader, wanted):
        write(record.member)
        note(record, at, len(record.member))
        at += len(record.member)
        documents += _is_document(record)
    return documents


def chosen(reader: Reader, wanted: Wanted) -> Iterator[Record]:
    site = wanted.selection.site
    for name, end in reader.overview().archives:
        for record in members(reader.folder / ARCHIVE / name, end):
            if record.kind == "warcinfo" or (site is not None and not _covers(site.covers, record.url)):
                continue
            elsewhere = record.headers.get("warc-refers-to-target-uri", "")
            if site is not None and elsewhere and not _covers(site.covers, elsewhere):
                record = _whole(record, reader)
            yield record


def _covers(covers: Callable[[str], bool], url: str) -> bool:
    return url.startswith(("http://", "https://")) and covers(url)


def members(path: Path, end: int) -> Iterator[Record]:
    """The records of one of our own files up to its committed end."""
    try:
        with path.open("rb") as file:
            yield from _members(file, path.name, end)
    except FileNotFoundError as error:
        raise RepositoryError(f"{path.name} is missing from {path.parent}; restore it from a copy") from error
    except Damage as error:
        raise RepositoryError(f"{path.name} is damaged: {error}; restore it from a copy") from error


def _members(file: BinaryIO, name: str, end: int) -> Iterator[Record]:
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
        yield Record(name, offset, member, whole, _headers(whole))
        offset += len(member)


def _headers(record: bytes) -> dict[str, str]:
    fields = {}
    for line in record.partition(b"\r\n\r\n")[0].decode("utf-8", "replace").split("\r\n")[1:]:
        name, _, value = line.partition(":")
        fields[name.strip().lower()] = value.strip()
    return fields


def _whole(record: Record, reader: Reader) -> Record:
    """The same answer with its bytes, where the record only says whose they are."""
    url = Url(record.url)
    places = [v for v in reader.versions(url) if (v.file, v.offset) == (record.file, record.offset)]
    if not places:
        return record
    content = reader.body(url, places[0])
    digest = record.headers.get("warc-payload-digest", "")
    member = records.response(url, places[0].at, "", "", content.head, content.payload, digest, records.record_id())
    text = isal_zlib.decompress(member, wbits=31)
    return Record(record.file, record.offset, member, text, _headers(text))


def _http_head(record: Record) -> Head | None:
    block = record.text.partition(b"\r\n\r\n")[2].partition(b"\r\n\r\n")[0]
    return read_head([*block.splitlines(keepends=True), b"\r\n", b"\r\n"])


def _is_document(record: Record) -> bool:
    if record.kind not in _EXCHANGES or record.url.endswith("/robots.txt"):
        return False
    head = _http_head(record)
    return head is not None and head.status in _DOCUMENTS


# WACZ.


def wacz(reader: Reader, wanted: Wanted, out: BinaryIO) -> int:
    """A ZIP that replay tools open as it is (WACZ 1.1.1): archive, index, list of pages, and the digests of all."""
    resources: list[dict[str, object]] = []
    index = sqlite3.connect("")  # on the disk and gone with the connection: sorting a large index needs no memory
    try:
        index.execute("CREATE TABLE line (text TEXT)")
        with ZipFile(out, "w", allowZip64=True) as package:
            # Pages first: those that a running crawl adds meanwhile are then in the archive without being listed.
            with _Member(package, "pages/pages.jsonl", ZIP_DEFLATED, resources) as part:
                _write_pages(reader, wanted, part.write)
            with _Member(package, f"archive/{DATA}", ZIP_STORED, resources) as part:
                count = _write(reader, wanted, part.write, lambda *seen: _note(index, *seen))
            _write_index(package, index, resources)
            _describe(package, wanted, resources)
        return count
    finally:
        index.close()


class _Member:
    """A file inside the ZIP that is hashed while it is written."""

    def __init__(self, package: ZipFile, path: str, method: int, resources: list[dict[str, object]]) -> None:
        info = ZipInfo(path, _OLDEST_ZIP_DATE)
        info.compress_type = method
        self._stream = package.open(info, "w", force_zip64=True)
        self._path, self._resources = path, resources
        self._hash, self.size = sha256(), 0

    def __enter__(self) -> "_Member":
        return self

    def write(self, data: bytes) -> None:
        self._stream.write(data)
        self._hash.update(data)
        self.size += len(data)

    def __exit__(self, *failure: object) -> None:
        self._stream.close()
        name = self._path.rpartition("/")[2]
        digest = f"sha256:{self._hash.hexdigest()}"
        self._resources.append({"name": name, "path": self._path, "hash": digest, "bytes": self.size})


def _note(index: sqlite3.Connection, record: Record, at: int, length: int) -> None:
    if record.kind not in _EXCHANGES:
        return
    head = _http_head(record)
    declared = head.headers.get("content-type", "") if head is not None else ""
    entry = Entry(
        url=record.url,
        mime="warc/revisit" if record.kind == "revisit" else declared.partition(";")[0].strip().lower(),
        status=str(head.status) if head is not None else "",
        digest=record.headers.get("warc-payload-digest", ""),
        length=str(length),
        offset=str(at),
        filename=DATA,
    )
    moment = "".join(c for c in record.headers.get("warc-date", "") if c.isdigit())[:14]
    values = {name: getattr(entry, name) for name in Entry.__struct_fields__}
    index.execute("INSERT INTO line VALUES (?)", (f"{search_key(record.url)} {moment} {json.dumps(values)}\n",))


def search_key(url: str) -> str:
    """The URL as archive indexes sort it (SURT): host turned round, all in lower case, parameters in order."""
    normal = normalise(url)
    if isinstance(normal, Verdict):
        return url.lower().replace(" ", "%20")
    name, _, port = authority(normal).removeprefix("www.").partition(":")
    path, mark, query = normal[normal.index("/", 8) :].lower().partition("?")
    turned = ",".join(reversed(name.split("."))) + (f":{port}" if port else "")
    return f"{turned}){path}{mark}{'&'.join(sorted(query.split('&')))}"


def _write_index(package: ZipFile, index: sqlite3.Connection, resources: list[dict[str, object]]) -> None:
    """Sorted lines in gzip blocks, and which block begins with what, so that a reader loads only the one it needs."""
    contents = ['!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n']
    lines = index.execute("SELECT text FROM line ORDER BY text")
    with _Member(package, "indexes/index.cdx.gz", ZIP_STORED, resources) as part:
        while block := [text for (text,) in lines.fetchmany(LINES_A_BLOCK)]:
            packed = igzip.compress("".join(block).encode())
            place = json.dumps({"offset": part.size, "length": len(packed), "digest": _labelled(packed)})
            contents.append(f"{' '.join(block[0].split(' ', 2)[:2])} {place}\n")
            part.write(packed)
    with _Member(package, "indexes/index.idx", ZIP_DEFLATED, resources) as part:
        part.write("".join(contents).encode())


def _write_pages(reader: Reader, wanted: Wanted, write: Callable[[bytes], object]) -> None:
    write(_line({"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}))
    for page in reader.pages(wanted.selection):
        write(_line({"id": page.digest.hex()[:32], "url": page.url, "ts": iso(page.fetched_at), "title": page.title}))


def _describe(package: ZipFile, wanted: Wanted, resources: list[dict[str, object]]) -> None:
    site = wanted.selection.site
    description = {
        "profile": "data-package",
        "wacz_version": WACZ_VERSION,
        "title": str(site) if site is not None else "All sites of a Whimbrel folder",
        "software": SOFTWARE,
        "created": iso(wanted.at),
        "resources": resources,
    }
    whole = json.dumps(description, indent=2).encode()
    digest = {"path": "datapackage.json", "hash": _labelled(whole)}
    for path, data in (("datapackage.json", whole), ("datapackage-digest.json", json.dumps(digest, indent=2).encode())):
        info = ZipInfo(path, _OLDEST_ZIP_DATE)
        info.compress_type = ZIP_DEFLATED
        package.writestr(info, data)


def _labelled(data: bytes) -> str:
    return f"sha256:{sha256(data).hexdigest()}"


def _line(values: dict[str, str]) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
