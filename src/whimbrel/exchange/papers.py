"""What the documents among the pages say: PDF, office files, feeds. Search reads them by the same readers, and what one
of the two has read the other finds."""

import sqlite3
from contextlib import suppress
from typing import Self

from whimbrel.documents import Extractor, kind_of
from whimbrel.documents.papers import Paper, Papers
from whimbrel.exchange.extras import MissingExtra, need
from whimbrel.flows.copies import decoded
from whimbrel.records.response import Failure
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import StoredPage


class Documents:
    """The documents of a folder, each read when it is asked for. Nothing is begun before the first of them."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._papers: Papers | None = None
        self._extractor: Extractor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._papers is not None:
            self._papers.close()
        if self._extractor is not None:
            self._extractor.close()

    def of(self, page: StoredPage) -> Paper | None:
        """What a document says, or why it says nothing; None for pages, which the crawl has read."""
        if page.reading or kind_of(page.mime, page.url, b"") is None:
            return None
        return self._known(page.digest) or self._read(page)

    def _known(self, digest: bytes) -> Paper | None:
        if self._papers is None:
            with suppress(OSError, sqlite3.OperationalError):  # a folder that nothing can be written to
                self._papers = Papers(self._reader.location.beside)
        return self._papers.of(digest) if self._papers is not None else None

    def _read(self, page: StoredPage) -> Paper:
        copy = decoded(self._reader.body(page.url))
        if isinstance(copy, Failure):
            return Paper("damaged", copy.detail, "", "", "")
        if self._extractor is None:
            with suppress(MissingExtra):  # then the reader says what it lacks
                need("search", "pypdfium2")
            self._extractor = Extractor()
        outcome = self._extractor.read(copy.body, copy.content_type or page.mime, page.url)
        if self._papers is None:
            return Paper.of(outcome)
        return self._papers.keep(page.digest, outcome)
