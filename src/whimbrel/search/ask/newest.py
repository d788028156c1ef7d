"""The index as it was last committed: opened when it is asked for, and anew when its writer has gone on."""

from pathlib import Path
from typing import Any

import tantivy
from msgspec import Struct

from whimbrel.parse.words import Analysers
from whimbrel.search.ask.asking import Asker
from whimbrel.search.ask.spelling import Speller
from whimbrel.search.book import Book
from whimbrel.search.places import WORDS
from whimbrel.search.schema import schema


class OpenedIndex(Struct):
    """One state of the index, until a newer one is committed."""

    stamp: tuple[int, int]
    index: Any
    searcher: Any
    book: Book
    asker: Asker
    speller: Speller


class NewestIndex:
    """`place` is the folder of the index."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._commit = place / WORDS / "meta.json"
        self._analysers = Analysers()
        self._state: OpenedIndex | None = None

    @property
    def exists(self) -> bool:
        return self._commit.exists()

    def opened(self) -> OpenedIndex:
        state = self._commit.stat()
        stamp = (state.st_mtime_ns, state.st_ino)
        if self._state is None or self._state.stamp != stamp:
            self._state = self._renewed(stamp)
        return self._state

    def close(self) -> None:
        if self._state is not None:
            self._state.book.close()
            self._state = None

    def _renewed(self, stamp: tuple[int, int]) -> OpenedIndex:
        self.close()
        index = tantivy.Index.open(str(self._place / WORDS))
        index.reload()
        searcher = index.searcher()
        book = Book(self._place)
        asker = Asker(schema(), searcher, self._analysers, book.languages())
        return OpenedIndex(stamp, index, searcher, book, asker, Speller(book, asker.pages_with))
