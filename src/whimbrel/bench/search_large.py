"""The large index of `bench search`: all pages of several real sites, and then pages made of two of them.

A made page has the first half of one page's text and the second half of another's; title, headings and links are the
first one's, on a host of their own. Words and their shares are those of real pages, so lists of pages are as long as
they would be; only links to made pages say nothing new.
"""

import shutil
import time
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

import msgspec
from msgspec import Struct

from whimbrel.bench.machine import Say
from whimbrel.bench.search_speed import Speed, memory_of, speed
from whimbrel.flows.packing import pack, unpack
from whimbrel.records.event import EventKind
from whimbrel.records.url import Url
from whimbrel.repository.contract import ArchivePiece, FoundUrl, Kept, NewEvent, Plan, Settled
from whimbrel.repository.engines import open_reader, open_writer
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Newest as Page
from whimbrel.urls.normal import authority, host
from whimbrel.urls.normal import key as key_of

BATCH = 500
STEP = 7_919
"""How far away the page is whose second half is taken: a prime, so that every page gets its turn."""


class LargeIndex(Struct, frozen=True):
    """`real` of the `documents` are pages of sites as they were crawled, the others are made of two of them."""

    documents: int
    real: int
    sites: int
    speed: Speed


class _Made(Struct, frozen=True, gc=False):
    """A page to be: whose text ends it, and which copy of its site it belongs to (0 is the site itself)."""

    site: int
    copy: int
    page: Page
    rest: Page


def scaled(folders: list[Path], large: Path, documents: int, say: Say) -> LargeIndex:
    """A repository of so many documents, made from crawled ones and indexed."""
    shutil.rmtree(large, ignore_errors=True)
    sources = [open_reader(folder) for folder in folders]
    store = open_writer(large)
    try:
        pages = [_read(source) for source in sources]
        wanted = islice(_plan(pages), documents)
        while batch := list(islice(wanted, BATCH)):
            store.commit(_filled(batch, sources), time.time())
    finally:
        store.close()
        for source in sources:
            source.close()
    real = min(documents, sum(map(len, pages)))
    say(f"{documents:,} documents: {real:,} pages of {len(folders)} sites, {documents - real:,} made of two of them")
    measured = speed("large", large)
    say(f"indexed at {measured.pages_a_second:.0f} pages per second of CPU, {memory_of(measured)}")
    return LargeIndex(documents, real, len(folders), measured)


def _read(source: Reader) -> list[Page]:
    """Every kept page that the crawl could read, twins left out."""
    kept = source.newest({event.url for event in source.events(0, 1 << 40)}).values()
    read = source.marks(one.version for one in kept if one.survivor and one.mime == "text/html")
    return [one for one in kept if one.version in read]


def _plan(pages: list[list[Page]]) -> Iterator[_Made]:
    """Sites whole, then one copy of each after another."""
    for copy in count():
        for site, mine in enumerate(pages):
            for at, page in enumerate(mine):
                yield _Made(site, copy, page, mine[(at + copy * STEP) % len(mine)])


def _filled(batch: list[_Made], sources: list[Reader]) -> Plan:
    plan = Plan()
    for site, source in enumerate(sources):
        mine = [one for one in batch if one.site == site]
        readings = source.readings({page.version for one in mine for page in (one.page, one.rest)})
        for one in mine:
            packed = readings.get(one.page.version)
            if packed:
                record = source.record(one.page.version)
                _add(plan, one, packed, readings.get(one.rest.version, packed), record)
    return plan


def _add(plan: Plan, one: _Made, mine: bytes, others: bytes, record: bytes) -> None:
    reading, page = unpack(mine), one.page
    text, old, name = reading.text, authority(page.url), _name(one)
    if one.copy:
        other = unpack(others).text
        text = text[: len(text) // 2] + other[len(other) // 2 :]
    url = _moved(page.url, old, name)
    changed = msgspec.structs.replace(reading, text=text, urls=[_moved(link, old, name) for link in reading.urls])
    key, now, index = key_of(url), 1.0, len(plan.kept)
    digest = key.to_bytes(8, "big", signed=True)
    plan.pieces.append(ArchivePiece(record, len(record)))
    plan.found.append(FoundUrl(key, url, host(url), 0, 0, 0, False, None, now, "fetched", "", ""))
    plan.kept.append(
        Kept(key, url, now, 200, page.mime, "utf-8", page.language, page.title, "", digest, digest, len(text),
             len(text), "", page.last_modified, "", index, True, digest, pack(changed))
    )  # fmt: skip
    plan.settled.append(Settled(key, "fetched", "", "", 200, now, None, index))
    plan.survivors[digest] = key
    plan.events.append(NewEvent(key, EventKind.KEPT, index))


def _name(one: _Made) -> str:
    return f"site-{one.site}.example" if not one.copy else f"copy-{one.copy}.site-{one.site}.example"


def _moved(url: Url, old: str, new: str) -> Url:
    rest = url.partition("://")[2]
    there, slash, path = rest.partition("/")
    return Url(f"http://{new}{slash}{path}") if there == old else url
