"""Follows the pages of the index with their vectors: works out those that are not there yet, a few pages at a time.

An encoder reads ten pages or fewer a second, so nobody waits for it: words answer meanwhile, and whoever ends it loses
the pages in hand.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

from msgspec import Struct

from whimbrel.documents.papers import Papers
from whimbrel.flows.copies import copy_of
from whimbrel.flows.packing import words_of
from whimbrel.parse.reading import main_text
from whimbrel.repository.port.followed import Followed
from whimbrel.search.book import Book, BookRow
from whimbrel.search.meaning.meanings import FILE as MEANINGS
from whimbrel.search.meaning.meanings import Meanings
from whimbrel.search.meaning.passages import Passage, passages
from whimbrel.search.meaning.sense import NoWeights, Sense
from whimbrel.search.meaning.vectors import FILE, write_vectors

TOGETHER = 8
"""Pages whose vectors are worked out and kept at once."""
MOST_CHARACTERS = 400_000
"""Of a page or document: its first sections are in them."""


class Understood(Struct, frozen=True):
    """Pages whose vectors were worked out, and how many still wait; why it could not go on, for a person."""

    pages: int = 0
    left: int = 0
    note: str = ""


def forget(place: Path, keys: list[int]) -> None:
    """Nothing of these pages is left, whether the extra is here or not."""
    if not (place / MEANINGS).exists():
        return
    with closing(Meanings(place)) as meanings:
        meanings.drop(keys)
        if (place / FILE).exists():
            write_vectors(place, meanings)


class Understanding:
    """The vectors of one folder's pages; the same writer as the word index's, and the same lock."""

    def __init__(self, place: Path, source: Followed, papers: Papers, sense: Sense) -> None:
        self._place = place
        self._source = source
        self._papers = papers
        self._sense = sense
        self._complete_at = -1
        """The last event when no page waited."""

    def follow(self, book: Book, enough: Callable[[], bool], most: int | None) -> Understood:
        """Until it is `enough`; not at all where more than `most` pages wait."""
        event = self._source.last_event()
        if event == self._complete_at and (self._place / FILE).exists():
            return Understood()
        with closing(Meanings(self._place)) as meanings:
            return self._followed(book, meanings, event, enough, most)

    def _followed(
        self, book: Book, meanings: Meanings, event: int, enough: Callable[[], bool], most: int | None
    ) -> Understood:
        here = meanings.versions()
        pages = {key: version for key, version, language in book.versions() if self._sense.knows(language)}
        gone = here.keys() - pages.keys()
        meanings.drop(gone)
        waiting = sorted((version, key) for key, version in pages.items() if here.get(key) != version)
        if most is not None and len(waiting) > most:
            return Understood(left=len(waiting))
        done, note, rest = 0, "", iter(key for _, key in waiting)
        while not enough() and (some := list(islice(rest, TOGETHER))):
            try:
                self._put(meanings, list(book.rows(some).values()))
            except NoWeights as error:
                note = str(error)
                break
            done += len(some)
        left = len(waiting) - done
        if not left and (done or gone or not (self._place / FILE).exists()):
            write_vectors(self._place, meanings)
        self._complete_at = event if not left else -1
        return Understood(done, left, note)

    def _put(self, meanings: Meanings, rows: list[BookRow]) -> None:
        told = [list(one) for one in self._told(rows)]
        vectors = self._sense.of_passages([passage for those in told for passage in those])
        ends = [0]
        for those in told:
            ends.append(ends[-1] + len(those))
        meanings.put(
            (row.key, row.version, vectors[first:end]) for row, first, end in zip(rows, ends, ends[1:], strict=False)
        )

    def _told(self, rows: list[BookRow]) -> Iterator[list[Passage]]:
        readings = self._source.readings(row.version for row in rows)
        marks = self._source.marks(row.version for row in rows if row.version not in readings)
        for row in rows:
            text, headings = "", ""
            if row.version in readings:
                copy = copy_of(self._source, row.version)
                text = main_text(copy.body, copy.content_type or row.mime, quick=True) if copy is not None else ""
                headings = words_of(readings[row.version])[1]
            elif row.version in marks and (paper := self._papers.of(marks[row.version].digest)) is not None:
                text = paper.text
            yield passages(row.title, headings.split("\n"), text[:MOST_CHARACTERS].split("\n"))
