"""What a page is indexed by, brought together: its row, its text, its headings, and what links call it."""

from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TypeAlias

import msgspec

from whimbrel.documents import DocumentLimits, Extractor, kind_of, title_called
from whimbrel.documents.papers import Paper, Papers
from whimbrel.flows.copies import copy_of
from whimbrel.flows.packing import words_of
from whimbrel.parse.embedded import data_in, types_in
from whimbrel.parse.language import language_of
from whimbrel.parse.words import Spoken, spoken
from whimbrel.repository.port.followed import Followed
from whimbrel.repository.views import BodyMark, Newest
from whimbrel.search.book import Book, BookRow
from whimbrel.search.build.bodies import Bodies
from whimbrel.search.schema import Material
from whimbrel.urls.normal import authority

TYPES = {
    "pdf": "pdf", "text": "text", "feed": "feed", "docx": "document", "odt": "document", "doc": "document",
    "rtf": "document", "pptx": "slides", "odp": "slides", "ppt": "slides", "ods": "sheet", "xlsx": "sheet",
    "xls": "sheet",
}  # fmt: skip
_HTML = ("text/html", "application/xhtml+xml")
MOST_TYPES = 100
HELD_BYTES = 1 << 19
"""Of the texts of pages, while their words are looked up together."""

OLDEST = 631_152_000.0
"""1990: no page is older than the web."""
A_DAY = 86_400.0
"""A day may have begun where the page was written and not yet here."""

_Told: TypeAlias = tuple[BookRow, Spoken, str]


def row_of(kept: Newest, links: bytes, was: BookRow | None) -> BookRow:
    """A page as the book notes it, to be indexed; a language told by the words stays while the page is the same."""
    same = was is not None and was.version == kept.version
    title = was.title if same and was is not None and not kept.title else kept.title
    return BookRow(
        key=kept.key,
        role="page" if kept.survivor else "twin",
        stale=True,
        url=kept.url,
        site=authority(kept.url),
        type=type_of(kept.mime, kept.url),
        language=was.language if same and was is not None else kept.language,
        title=title,
        version=kept.version,
        versions=kept.versions,
        fetched_at=kept.visited_at,
        modified_at=modified(kept.last_modified, kept.at),
        changed_at=kept.at if kept.versions > 1 else None,
        twins=kept.twins,
        mime=kept.mime,
        links=links,
    )


def type_of(mime: str, url: str) -> str:
    if mime in _HTML:
        return "html"
    return TYPES.get(kind_of(mime, url, b"") or "", "other")


def modified(said: str, kept_at: float) -> float:
    """What the server said, where that is a date and not in the future; else when the state was first kept."""
    at = _moment(said) if said else 0.0
    return at if 0 < at <= kept_at else kept_at


@lru_cache(4096)
def _moment(said: str) -> float:
    """0 where it is no date. Pages of one site were often written at one moment."""
    try:
        return parsedate_to_datetime(said).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def pending_of(source: Followed, book: Book) -> int:
    """Pages with events nobody read yet, and pages that the word index does not hold as they are."""
    return source.urls_after(book.number("done")) + book.count("stale = 1")


class Gatherer:
    """Reads what the word index is to be given."""

    def __init__(
        self,
        source: Followed,
        book: Book,
        papers: Papers,
        bodies: Bodies,
        limits: DocumentLimits,
    ) -> None:
        self._source = source
        self._book = book
        self._papers = papers
        self._bodies = bodies
        self._limits = limits
        self._extractor: Extractor | None = None

    def __enter__(self) -> "Gatherer":
        return self

    def __exit__(self, *error: object) -> None:
        if self._extractor is not None:
            self._extractor.close()

    def material(self, rows: list[BookRow]) -> Iterator[tuple[BookRow, Material]]:
        readings = self._source.readings(row.version for row in rows)
        marks = self._source.marks(row.version for row in rows if row.version not in readings)
        twins = self._book.twins(rows)
        called = self._book.anchors([row.key for row in rows] + [key for those in twins.values() for key, _ in those])
        for told in self._told(rows, readings, marks):
            bodies = self._bodies.tokens([(row.language, said) for row, said, _ in told])
            for (row, _, heads), body in zip(told, bodies, strict=True):
                keys = [row.key, *(key for key, _ in twins.get(row.key, ()))]
                anchors = [text for key in keys for text in called.get(key, ())]
                if not row.title and row.type not in ("html", "other"):
                    row = msgspec.structs.replace(row, title=title_called(anchors))
                has = self._described(row) if row.version in readings else ()
                yield row, Material(body, heads, list(dict.fromkeys(anchors)), has)

    def _described(self, row: BookRow) -> tuple[str, ...]:
        """The kinds of things that a page describes for machines, as `has:` finds them."""
        copy = copy_of(self._source, row.version)
        if copy is None:
            return ()
        types = types_in(data_in(copy.body, copy.content_type or row.mime))
        return tuple(dict.fromkeys(name.casefold() for name in types[:MOST_TYPES]))

    def _told(
        self, rows: list[BookRow], readings: dict[int, bytes], marks: dict[int, BodyMark]
    ) -> Iterator[list[_Told]]:
        """A few pages at a time: each as its text tells of it, the text, and its headings."""
        some: list[_Told] = []
        size = 0
        for row in rows:
            if packed := readings.get(row.version, b""):
                text, headings, written_at = words_of(packed)
                some.append((*_heard(_dated(row, written_at), text, row.language), headings))
            else:
                some.append((*self._document(row, marks.get(row.version)), ""))
            size += len(some[-1][1])
            if size >= HELD_BYTES:
                yield some
                some, size = [], 0
        if some:
            yield some

    def _document(self, row: BookRow, mark: BodyMark | None) -> tuple[BookRow, Spoken]:
        """A document that is no page. One that gives no text is found by its address and by what links call it."""
        paper = self._paper(row, mark) if mark is not None and row.type != "other" else None
        if paper is None or paper.failure:
            return row, b""
        row = msgspec.structs.replace(row, title=row.title or paper.title)
        return _heard(row, paper.text, row.language or paper.language)

    def _paper(self, row: BookRow, mark: BodyMark) -> Paper | None:
        """What it says, read by a helper process unless these bytes were read before."""
        known = self._papers.of(mark.digest)
        copy = copy_of(self._source, row.version) if known is None else None
        if copy is None:
            return known
        if self._extractor is None:
            self._extractor = Extractor(self._limits)
        return self._papers.keep(mark.digest, self._extractor.read(copy.body, row.mime, row.url))


def _dated(row: BookRow, written_at: float) -> BookRow:
    """What the page says of its date comes before what its server says, unless it cannot be."""
    if not OLDEST <= written_at <= row.fetched_at + A_DAY or written_at == row.modified_at:
        return row
    return msgspec.structs.replace(row, modified_at=written_at)


def _heard(row: BookRow, text: str, declared: str) -> tuple[BookRow, Spoken]:
    language = language_of(text, declared)
    return row if language == row.language else msgspec.structs.replace(row, language=language), spoken(text)
