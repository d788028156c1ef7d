"""Kept records as other archive tools read them: one WARC file, or a WACZ 1.1.1 with that file, an index and the pages.

Records are copied as they stand, compressed bytes and all. What was received of a site thus leaves with its requests,
redirects and robots.txt. A copy of one site alone stands on its own: where a record only points to the same bytes
on another site, the bytes are put in.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Set
from hashlib import sha256
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, ZIP_STORED

from isal import igzip
from msgspec import Struct

from whimbrel import __version__
from whimbrel.exchange.packages import Outgrown, Package
from whimbrel.exchange.tables import ExportCount, ExportWanted, iso
from whimbrel.fetch.head import Head, read_head
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.repository import warc as records
from whimbrel.repository.members import Record, record_of
from whimbrel.repository.port.reader import Reader
from whimbrel.urls.normal import authority, normalise

SOFTWARE = f"whimbrel/{__version__}"
WACZ_VERSION = "1.1.1"
DATA = "data.warc.gz"
LINES_A_BLOCK = 2_048
_EXCHANGES = ("response", "revisit")
_DOCUMENTS = (200, 203)


class CdxEntry(Struct, frozen=True):
    """A line of the index: what it says is the WACZ specification's, the values being texts."""

    url: str
    mime: str
    status: str
    digest: str
    length: str
    offset: str
    filename: str


def warc(reader: Reader, wanted: ExportWanted, out: BinaryIO) -> ExportCount:
    """One `.warc.gz`, a gzip member a record; returns how many documents it holds."""
    return ExportCount(documents=_write(reader, wanted, out.write, lambda record, at, length: None))


def _write(
    reader: Reader, wanted: ExportWanted, write: Callable[[bytes], object], note: Callable[[Record, int, int], None]
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


def chosen(reader: Reader, wanted: ExportWanted) -> Iterator[Record]:
    site = wanted.selection.site
    for record in reader.records():
        if record.kind == "warcinfo" or (site is not None and not _covers(site.covers, record.url)):
            continue
        if not wanted.selection.private and records.PRIVATE in record.headers:
            continue
        elsewhere = record.headers.get("warc-refers-to-target-uri", "")
        left_out = site is not None and not _covers(site.covers, elsewhere)
        hidden = not wanted.selection.private and bool(elsewhere) and reader.has_private(Url(elsewhere))
        yield _whole(record, reader) if elsewhere and (left_out or hidden) else record


def _covers(covers: Callable[[str], bool], url: str) -> bool:
    return url.startswith(("http://", "https://")) and covers(url)


def _whole(record: Record, reader: Reader) -> Record:
    """The same answer with its bytes, where the record only says whose they are."""
    url = Url(record.url)
    stands = reader.stands(url)
    of_it = [version for version in reader.versions(url) if stands.get(version.number) == record.stand]
    if not of_it:
        return record
    content = reader.body(url, of_it[0])
    digest = record.headers.get("warc-payload-digest", "")
    member = records.response(url, of_it[0].at, "", "", content.head, content.payload, digest, records.record_id())
    return record_of(record.stand, member)


def _http_head(record: Record) -> Head | None:
    block = record.text.partition(b"\r\n\r\n")[2].partition(b"\r\n\r\n")[0]
    return read_head([*block.splitlines(keepends=True), b"\r\n", b"\r\n"])


def _is_document(record: Record) -> bool:
    if record.kind not in _EXCHANGES or record.url.endswith("/robots.txt"):
        return False
    head = _http_head(record)
    return head is not None and head.status in _DOCUMENTS


# WACZ.


def wacz(reader: Reader, wanted: ExportWanted, out: BinaryIO) -> ExportCount:
    """A ZIP that replay tools open as it is (WACZ 1.1.1): archive, index, list of pages, and the digests of all."""
    large: set[str] = set()
    while True:
        try:
            return ExportCount(documents=_wacz(reader, wanted, out, large))
        except Outgrown as outgrown:
            large.add(outgrown.path)
            out.seek(0)
            out.truncate()


def _wacz(reader: Reader, wanted: ExportWanted, out: BinaryIO, large: Set[str]) -> int:
    index = sqlite3.connect("")  # on the disk and gone with the connection: sorting a large index needs no memory
    try:
        index.execute("CREATE TABLE line (text TEXT)")
        with Package(out, large) as package:
            # Pages first: those that a running crawl adds meanwhile are then in the archive without being listed.
            with package.member("pages/pages.jsonl", ZIP_DEFLATED) as part:
                _write_pages(reader, wanted, part.write)
            with package.member(f"archive/{DATA}", ZIP_STORED) as part:
                count = _write(reader, wanted, part.write, lambda *seen: _note(index, *seen))
            _write_index(package, index)
            _describe(package, wanted)
        return count
    finally:
        index.close()


def _note(index: sqlite3.Connection, record: Record, at: int, length: int) -> None:
    if record.kind not in _EXCHANGES:
        return
    head = _http_head(record)
    declared = head.headers.get("content-type", "") if head is not None else ""
    entry = CdxEntry(
        url=record.url,
        mime="warc/revisit" if record.kind == "revisit" else declared.partition(";")[0].strip().lower(),
        status=str(head.status) if head is not None else "",
        digest=record.headers.get("warc-payload-digest", ""),
        length=str(length),
        offset=str(at),
        filename=DATA,
    )
    moment = "".join(c for c in record.headers.get("warc-date", "") if c.isdigit())[:14]
    values = {name: getattr(entry, name) for name in CdxEntry.__struct_fields__}
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


def _write_index(package: Package, index: sqlite3.Connection) -> None:
    """Sorted lines in gzip blocks, and which block begins with what, so that a reader loads only the one it needs."""
    contents = ['!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}\n']
    lines = index.execute("SELECT text FROM line ORDER BY text")
    with package.member("indexes/index.cdx.gz", ZIP_STORED) as part:
        while block := [text for (text,) in lines.fetchmany(LINES_A_BLOCK)]:
            packed = igzip.compress("".join(block).encode())
            place = json.dumps({"offset": part.size, "length": len(packed), "digest": _labelled(packed)})
            contents.append(f"{' '.join(block[0].split(' ', 2)[:2])} {place}\n")
            part.write(packed)
    with package.member("indexes/index.idx", ZIP_DEFLATED) as part:
        part.write("".join(contents).encode())


def _write_pages(reader: Reader, wanted: ExportWanted, write: Callable[[bytes], object]) -> None:
    write(_line({"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}))
    for page in reader.pages(wanted.selection):
        write(_line({"id": page.digest.hex()[:32], "url": page.url, "ts": iso(page.fetched_at), "title": page.title}))


def _describe(package: Package, wanted: ExportWanted) -> None:
    site = wanted.selection.site
    description = {
        "profile": "data-package",
        "wacz_version": WACZ_VERSION,
        "title": str(site) if site is not None else "All sites of a Whimbrel folder",
        "software": SOFTWARE,
        "created": iso(wanted.at),
        "resources": package.resources,
    }
    whole = json.dumps(description, indent=2).encode()
    digest = {"path": "datapackage.json", "hash": _labelled(whole)}
    for path, data in (("datapackage.json", whole), ("datapackage-digest.json", json.dumps(digest, indent=2).encode())):
        package.add(path, data)


def _labelled(data: bytes) -> str:
    return f"sha256:{sha256(data).hexdigest()}"


def _line(values: dict[str, str]) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
