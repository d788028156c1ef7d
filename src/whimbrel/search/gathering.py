"""What a page is indexed by, brought together: its row, its text, its headings, and what links call it."""

from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from types import TracebackType

import msgspec
from isal import igzip_lib
from msgspec import Struct

from whimbrel.documents import DocumentText, Extractor, kind_of
from whimbrel.search.book import Book, Row
from whimbrel.search.headings import headings
from whimbrel.search.languages import language_of
from whimbrel.search.schema import Material
from whimbrel.search.source import Kept, Place, Source
from whimbrel.search.words import split
from whimbrel.urls.normal import authority

TYPES = {
    "pdf": "pdf", "text": "text", "feed": "feed", "docx": "document", "odt": "document", "doc": "document",
    "rtf": "document", "pptx": "slides", "odp": "slides", "ppt": "slides", "ods": "sheet", "xlsx": "sheet",
    "xls": "sheet",
}  # fmt: skip
_HTML = ("text/html", "application/xhtml+xml")


def row_of(kept: Kept, links: bytes, was: Row | None) -> Row:
    """A page as the book notes it, to be indexed; a language told by the words stays while the page is the same."""
    same = was is not None and was.version == kept.version
    title = was.title if same and was is not None and not kept.title else kept.title
    return Row(
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
    if not said:
        return kept_at
    try:
        at = parsedate_to_datetime(said).timestamp()
    except (ValueError, OverflowError):
        return kept_at
    return at if 0 < at <= kept_at else kept_at


class _TextAlone(Struct, frozen=True, array_like=True, gc=False):
    """The first field of a `Reading`; what follows is skipped, not built."""

    text: str


_text_alone = msgspec.msgpack.Decoder(_TextAlone)


def text_of(reading: bytes) -> str:
    """The text of a packed reading, without its links."""
    return _text_alone.decode(igzip_lib.decompress(reading, igzip_lib.DECOMP_GZIP)).text


def pack_text(text: str) -> bytes:
    return bytes(igzip_lib.compress(text.encode("utf-8", "replace"), 1, igzip_lib.COMP_GZIP))


def unpack_text(packed: bytes) -> str:
    return bytes(igzip_lib.decompress(packed, igzip_lib.DECOMP_GZIP)).decode("utf-8", "replace")


def pending_of(source: Source, book: Book) -> int:
    """Pages with events nobody read yet, and pages that the word index does not hold as they are."""
    return source.waiting(book.number("done")) + book.count("stale = 1")


class Gatherer:
    """Reads what the word index is to be given. What it finds out on the way is kept when `keep_findings` is called."""

    def __init__(self, source: Source, book: Book) -> None:
        self._source = source
        self._book = book
        self._extractor: Extractor | None = None
        self._languages: list[tuple[int, str]] = []
        self._texts: list[tuple[int, str, str, bytes]] = []

    def __enter__(self) -> "Gatherer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._extractor is not None:
            self._extractor.close()

    def material(self, rows: list[Row]) -> Iterator[tuple[Row, Material]]:
        readings = self._source.readings(row.version for row in rows)
        places = self._source.places(row.version for row in rows)
        twins = self._book.twins(rows)
        called = self._book.anchors([row.key for row in rows] + [key for those in twins.values() for key, _ in those])
        for row in rows:
            keys = [row.key, *(key for key, _ in twins.get(row.key, ()))]
            anchors = [text for key in keys for text in called.get(key, ())]
            packed, place = readings.get(row.version, b""), places.get(row.version)
            if packed:
                heads = self._headings(row, place)
                told, words = self._told(row, text_of(packed))
            else:
                heads = []
                told, words = self._document(row, place)
            yield told, Material(words, heads, list(dict.fromkeys(anchors)))

    def keep_findings(self) -> None:
        for key, language in self._languages:
            self._book.tell(key, language)
        for finding in self._texts:
            self._book.keep_text(*finding)
        self._languages.clear()
        self._texts.clear()

    def _headings(self, row: Row, place: Place | None) -> list[str]:
        if row.mime not in _HTML or place is None:
            return []
        copy = self._source.body(place)
        return headings(copy.body, place.charset) if copy is not None else []

    def _told(self, row: Row, text: str) -> tuple[Row, list[str]]:
        words = split(text)
        language = language_of(words, row.language)
        if language == row.language:
            return row, words
        self._languages.append((row.key, language))
        return msgspec.structs.replace(row, language=language), words

    def _document(self, row: Row, place: Place | None) -> tuple[Row, list[str]]:
        """A document that is no page: read once a version, by a helper process; one that gives no text is found by its
        address and by what links call it."""
        if row.text is not None:
            return self._told(row, unpack_text(row.text))
        copy = self._source.body(place) if place is not None and row.type != "other" else None
        if copy is None:
            return row, []
        if self._extractor is None:
            self._extractor = Extractor()
        said = self._extractor.read(copy.body, row.mime, row.url)
        if not isinstance(said, DocumentText):
            return row, []
        row = msgspec.structs.replace(row, title=row.title or said.title, language=row.language or said.language)
        told, words = self._told(row, said.text)
        self._texts.append((row.key, told.title, told.language, pack_text(said.text)))
        return told, words
