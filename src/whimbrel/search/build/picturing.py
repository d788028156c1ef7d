"""Kept pictures come into the index by what the pages say that show them.

Where no picture is kept, events are only looked through; with the first one everything is heard again from the
beginning, and pages are read for what they show.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

import msgspec
import xxhash
from msgspec import Struct

from whimbrel.documents.lettering import Lettering
from whimbrel.documents.papers import Papers
from whimbrel.flows.copies import copy_of
from whimbrel.parse.document import tree_of
from whimbrel.parse.pictures import PagePicture, file_words, pictures_of
from whimbrel.parse.words import Analysers, split
from whimbrel.records.picturing import ShapeNumbers
from whimbrel.records.url import Url
from whimbrel.repository.port.followed import Followed
from whimbrel.repository.views import Newest
from whimbrel.search.book import Book
from whimbrel.search.build.gathering import modified
from whimbrel.search.build.listening import BATCH
from whimbrel.search.picture_book import PictureBook, PictureRow, PictureShowing
from whimbrel.search.schema import parts_of_words
from whimbrel.urls.normal import authority, normalise
from whimbrel.urls.normal import key as key_of

_numbers = msgspec.msgpack.Decoder(ShapeNumbers)
_HTML = ("text/html", "application/xhtml+xml")


class PictureTexts:
    """What kept pictures show in letters, each read once: what was read stands among what documents said."""

    def __init__(self, source: Followed, papers: Papers, lettering: Lettering) -> None:
        self._source = source
        self._papers = papers
        self._lettering = lettering

    def of(self, key: int) -> str:
        picture = self._source.pictures([key]).get(key)
        mark = self._source.marks([picture.version]).get(picture.version) if picture is not None else None
        if picture is None or mark is None:
            return ""
        known = self._papers.of(mark.digest)
        if known is None:
            copy = copy_of(self._source, picture.version)
            if copy is None:
                return ""
            known = self._papers.keep(mark.digest, self._lettering.read(copy.body))
        return known.text


class ToldShape(Struct, frozen=True):
    """The class whose shape a picture has, and what its label says to that."""

    shaped: str = ""
    label: str = ""


class PictureShapes:
    """What shapes kept pictures show, each looked at once, and which classes these are of."""

    def __init__(self, source: Followed, book: PictureBook, folder: Path) -> None:
        # Imported here: shapes are calculated with arrays, and most folders know no classes.
        from whimbrel.documents.pictures import PictureReader
        from whimbrel.flows.picture_classes import read_classes
        from whimbrel.shapes.classes import classes_of

        classes = read_classes(folder)
        self._source = source
        self._book = book
        self._reader = PictureReader()
        self._classes = classes_of(classes)
        self.mark = xxhash.xxh3_64_intdigest(msgspec.msgpack.encode(classes)) >> 1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._reader.end()

    def of(self, key: int, label: str) -> ToldShape:
        from whimbrel.shapes.shape import from_numbers

        picture = self._source.pictures([key]).get(key)
        numbers = self._numbers(key, picture.version) if picture is not None else b""
        if not numbers or not self._classes.examples:
            return ToldShape()
        shape = from_numbers(_numbers.decode(numbers))
        return ToldShape(self._classes.told(shape), self._classes.says(label, shape))

    def _numbers(self, key: int, version: int) -> bytes:
        known = self._book.shape(key, version)
        if known is None:
            known = self._seen(version)
            self._book.keep_shape(key, version, known)
        return known

    def _seen(self, version: int) -> bytes:
        from whimbrel.flows.picturing import PictureLooks, looks_of
        from whimbrel.shapes.shape import as_numbers

        copy = copy_of(self._source, version)
        looks = looks_of(copy.body, self._reader) if copy is not None else None
        return msgspec.msgpack.encode(as_numbers(looks.shape)) if isinstance(looks, PictureLooks) else b""


class PictureListener:
    """`book` says in which language a page is: pictures are heard of after pages."""

    def __init__(
        self, source: Followed, book: Book, pictures: PictureBook, analysers: Analysers,
        texts: PictureTexts | None = None, shapes: PictureShapes | None = None,
    ) -> None:  # fmt: skip
        self._shapes = shapes
        self._texts = texts
        self._source = source
        self._book = book
        self._pictures = pictures
        self._analysers = analysers

    def hear(self, limit: int | None) -> None:
        """What the book of pages has heard of; at most so many events."""
        pictures, end, heard = self._pictures, self._book.number("done"), 0
        self._mind_classes()
        while (limit is None or heard < limit) and (done := pictures.number("done")) < end:
            events = [one for one in self._source.events(done, BATCH) if one.seq <= end]
            if not events:
                break
            keys = {event.url for event in events}
            kept = self._source.pictures(keys)
            with pictures:
                if kept and not pictures.number("any"):
                    pictures.note("any", 1)
                    pictures.note("done", 0)
                    continue
                if pictures.number("any"):
                    self._take_in(keys, kept)
                pictures.note("done", events[-1].seq)
            if self._source.forgot(done, events[-1].seq):
                pictures.purge()
            heard += len(events)

    def _mind_classes(self) -> None:
        """With other classes all pictures are told anew, by the shapes that were seen before."""
        mark = self._shapes.mark if self._shapes is not None else 0
        if self._pictures.number("classes") != mark:
            with self._pictures as pictures:
                pictures.note("classes", mark)
                pictures.note("done", 0)

    def _take_in(self, keys: set[int], kept: dict[int, Newest]) -> None:
        pictures = self._pictures
        touched = pictures.leave(keys) | keys
        for showing in self._shown(keys):
            pictures.show(showing)
            touched.add(showing.picture)
        pictures.drop(keys - kept.keys())
        ways = self._source.ways(kept)
        for one in kept.values():
            pictures.put(_row(one, ways.get(one.key)))
        self._index(touched | pictures.stand_ins(keys))

    def _shown(self, keys: Iterable[int]) -> Iterator[PictureShowing]:
        rows = self._book.rows(keys)
        for one in self._source.newest(keys).values():
            copy = copy_of(self._source, one.version) if one.mime in _HTML else None
            if copy is None:
                continue
            document, _ = tree_of(copy.body, copy.content_type or one.mime)
            first = document.find("base")
            base = normalise((first.attr("href") if first is not None else "") or "", one.url)
            row = rows.get(one.key)
            title, language = (row.title, row.language) if row is not None else (one.title, one.language)
            for picture in pictures_of(document):
                yield from _showings(picture, one, base if isinstance(base, str) else one.url, title, language)

    def _index(self, keys: Iterable[int]) -> None:
        pictures = self._pictures
        rows = pictures.rows(keys)
        pictures.unsay(keys)
        for row in rows.values():
            showings = pictures.showings(row.key)
            mains = {one.instead_of for one in showings}
            if showings and None not in mains and pictures.rows(key for key in mains if key is not None):
                continue  # smaller, or in another format, beside the picture itself
            self._say(row, showings)

    def _say(self, row: PictureRow, showings: list[PictureShowing]) -> None:
        name = file_words(row.url)
        best = max(showings, key=lambda one: (len(one.alt) + len(one.caption) + len(one.title), one.page), default=None)
        language = best.language if best is not None else ""
        alts = _distinct(text for one in showings for text in (one.alt, one.title))
        captions = _distinct(one.caption for one in showings)
        shows = self._texts.of(row.key) if self._texts is not None else ""
        around = _distinct((*(one.around for one in showings), " ".join(shows.split())))
        told = self._shapes.of(row.key, " ".join((*alts, *captions, name))) if self._shapes is not None else ToldShape()
        analyser = self._analysers.of(language)
        self._pictures.put(
            PictureRow(
                key=row.key, url=row.url, site=row.site, language=language,
                title=next(iter((*alts, *captions)), "") or name,
                says=" … ".join((*captions, *around)),
                shown_on=best.url if best is not None else row.shown_on,
                versions=row.versions, fetched_at=row.fetched_at, modified_at=row.modified_at,
                changed_at=row.changed_at, twins=row.twins, mime=row.mime, shaped=told.shaped, label=told.label,
            )
        )  # fmt: skip
        said = [" ".join(alts), " ".join(captions), name, " ".join(around), " ".join(_titles(showings))]
        self._pictures.say(row.key, [analyser.joined(split(text) + parts_of_words(text)) for text in said])


def _row(one: Newest, way: Url | None) -> PictureRow:
    return PictureRow(
        key=one.key, url=one.url, site=authority(one.url), language="", title=file_words(one.url), says="",
        shown_on=way,
        versions=one.versions, fetched_at=one.visited_at, modified_at=modified(one.last_modified, one.at),
        changed_at=one.at if one.versions > 1 else None, twins=one.twins, mime=one.mime,
    )  # fmt: skip


def _showings(picture: PagePicture, page: Newest, base: Url, title: str, language: str) -> Iterator[PictureShowing]:
    urls = [url for url in (normalise(address, base) for address in picture.addresses) if isinstance(url, str)]
    keys = list(dict.fromkeys(key_of(url) for url in urls))
    for key in keys:
        yield PictureShowing(
            key, page.key, None if key == keys[0] else keys[0], page.url, title, language, picture.alt, picture.title,
            picture.caption, picture.around,
        )  # fmt: skip


def _titles(showings: list[PictureShowing]) -> list[str]:
    return _distinct(one.page_title for one in showings)


def _distinct(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))
