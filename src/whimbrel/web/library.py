"""Kept pages as the reader shows them: which copy, which files, which links, what changed."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from whimbrel.documents import Extractor, Unreadable, papers, title_called
from whimbrel.exchange.export import NOTHING_READ
from whimbrel.flows.copies import DecodedCopy, decoded
from whimbrel.flows.packing import unpack
from whimbrel.parse.document import is_plain
from whimbrel.readers.keeping import Favourite, WasAt
from whimbrel.records.response import Failure
from whimbrel.records.url import Url
from whimbrel.records.visit import Reading
from whimbrel.repository.contract import NothingThere
from whimbrel.repository.engines import open_reader
from whimbrel.repository.location import Where
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Detail, ListedUrl, Selection, Version
from whimbrel.search.ask.names import titles
from whimbrel.urls.normal import key as key_of
from whimbrel.web import copy as kept
from whimbrel.web import plain
from whimbrel.web.history import Happening
from whimbrel.web.plain import PlainBlock

Titled = TypeVar("Titled", Happening, Favourite, ListedUrl, WasAt)

LINKS_IN_SECONDS = 0.4
MOST_LINKS_SHOWN = 200
PAPER = "application/pdf"
MARKUP = ("text/html", "application/xhtml+xml")


class ShownLink(Struct, frozen=True):
    """`state` is what became of the URL: its outcome, or "" where the folder does not know it."""

    url: Url
    text: str
    state: str

    @property
    def kept(self) -> bool:
        return self.state in ("fetched", "unchanged", "duplicate")


class LinksIn(Struct, frozen=True):
    """Pages that link here, among the `looked` of `pages` pages that were looked through."""

    links: tuple[ShownLink, ...]
    looked: int
    pages: int


class Files(Struct, frozen=True):
    """How many of the files a page is shown with are kept."""

    wanted: int
    kept: int

    @property
    def dressed(self) -> bool:
        """Whether the copy looks somewhat as the page did."""
        return self.kept > 0 or self.wanted == 0


@contextmanager
def opened(where: Where) -> Iterator[Reader | None]:
    """A reader of the folder; None where no crawl has begun in it yet."""
    try:
        reader = open_reader(where)
    except NothingThere:
        yield None
        return
    with reader:
        yield reader


def chosen(detail: Detail, number: int | None) -> Version | None:
    """The version asked for, else the newest."""
    wanted = [version for version in detail.versions if version.number == number]
    return wanted[0] if wanted else detail.versions[-1] if detail.versions and number is None else None


def document(reader: Reader, url: Url, version: Version) -> DecodedCopy | Failure:
    return decoded(reader.body(url, version))


def is_markup(version: Version) -> bool:
    return version.mime in MARKUP or not version.mime


def is_paper(version: Version, copy: DecodedCopy) -> bool:
    """Whether it is a PDF, by what was said and by its beginning (ISO 32000-2 §7.5.2, and readers look that far)."""
    return version.mime == PAPER and b"%PDF-" in copy.body[:1024]


def title_of(reader: Reader, detail: Detail, version: Version) -> str:
    """What a version is called: by itself, by what its document says, by what the index or a link calls it."""
    if version.title or is_markup(version):
        return version.title
    read = papers.paper(reader.location.beside, version.digest)
    if read is not None and read.title:
        return read.title
    known = titles(reader.location.beside, [detail.listed.key]).get(detail.listed.key, "")
    return known or title_called(_calling(reader, detail))


def _calling(reader: Reader, detail: Detail) -> Iterator[str]:
    """What the page calls it through which it was found."""
    for via in detail.via[:1]:
        listed = detail_of(reader, via)
        read = read_of(listed) if listed is not None else NOTHING_READ
        yield from (text for url, text in zip(read.urls, read.anchors, strict=False) if url == detail.listed.url)


def titled(folder: Path, things: Iterable[Titled]) -> list[Titled]:
    """With the titles that the index knows where they have none."""
    given = list(things)
    known = titles(folder, [key_of(each.url) for each in given if not each.title])
    return [replace(each, title=each.title or known.get(key_of(each.url), "")) for each in given]


def is_kept(reader: Reader, url: Url) -> bool:
    listed = reader.one(url)
    return listed is not None and bool(listed.mime)


def files_of(reader: Reader, url: Url, copy: DecodedCopy) -> Files:
    wanted = kept.wanted_files(kept.read(copy.body, copy.content_type), url)
    return Files(len(wanted), sum(is_kept(reader, file) for file in wanted))


def text_of(folder: Path, url: Url, version: Version, copy: DecodedCopy) -> list[PlainBlock] | str:
    """Paragraphs of a page; of another document, what its reader makes of it, or why it makes nothing of it."""
    mime = copy.content_type or version.mime
    if is_markup(version) or is_plain(mime):
        return plain.blocks(copy.body, mime)
    # Reading it may take a minute; the index has done that for most.
    known = papers.paper(folder, version.digest)
    if known is not None:
        return known.reason if known.failure else plain.of_text(known.text)
    with Extractor() as extractor:
        read = extractor.read(copy.body, mime, url)
    return read.reason if isinstance(read, Unreadable) else plain.of_text(read.text)


def read_of(detail: Detail) -> Reading:
    return unpack(detail.reading) if detail.reading else NOTHING_READ


def links_out(reader: Reader, detail: Detail) -> tuple[list[ShownLink], int]:
    """The first of the newest copy's links, and how many there are."""
    read = read_of(detail)
    found = []
    for url, text in list(zip(read.urls, read.anchors, strict=False))[:MOST_LINKS_SHOWN]:
        listed = reader.one(url)
        found.append(ShownLink(url, text, listed.outcome if listed is not None else ""))
    return found, len(read.urls)


def links_in(reader: Reader, url: Url, budget_seconds: float = LINKS_IN_SECONDS) -> LinksIn:
    """Links are kept with the page they stand on, so pages are looked through, those nearest to a seed first."""
    until = time.monotonic() + budget_seconds
    found: list[ShownLink] = []
    looked = 0
    for page in reader.pages(Selection(outcomes=("fetched", "unchanged"))):
        looked += 1
        if page.reading and page.url != url:
            read = unpack(page.reading)
            if url in read.urls:
                found.append(ShownLink(page.url, page.title or page.url, page.outcome))
        if time.monotonic() > until or len(found) >= MOST_LINKS_SHOWN:
            break
    return LinksIn(tuple(found), looked, reader.counts().pages)


def detail_of(reader: Reader, url: Url) -> Detail | None:
    try:
        return reader.detail(url)
    except NothingThere:
        return None
