"""The links between the indexed pages: worked out piece by piece, and kept in a file that has no name.

A page has dozens of links and pages come by the million: what is held in memory is a few numbers a page, and one for
every link that is not like another. All else is read a piece at a time.
"""

import tempfile
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import IO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whimbrel.rank.graph import Numbers, distinct
from whimbrel.search.book import Book

PIECE_LINKS = 1 << 18
"""At once: the arrays made of them take some ten megabytes."""

_ROWS = 1 << 14
_LINK_BYTES = 4
_NOWHERE = -1

Few: TypeAlias = NDArray[np.int32]
"""Positions of pages, of which no index has two billion."""


class Graph:
    """`keys` are those of the indexed pages, sorted; `links_out` counts the links of each to others of them. A link to
    a URL that redirects leads to where that does, and one to a twin to the page that stands for it."""

    def __init__(self, book: Book, file: IO[bytes]) -> None:
        self._file = file
        self._read(book)

    def pieces(self) -> Iterator[tuple[int, int, Few]]:
        """From which page to which (not included), and where their links lead, those of a page together."""
        for first, end, links in self._pieces(self.links_out):
            yield first, end, links.view(np.int32)

    def _read(self, book: Book) -> None:
        keys, counts = array("q"), array("q")
        for key, links in book.linked():
            keys.append(key)
            counts.append(len(links) // _LINK_BYTES)
            self._file.write(links)
        self.keys: Numbers = np.array(keys, np.int64)
        self.links_out: Numbers = np.array(counts, np.int64)
        if len(self.keys):
            self._lead(self._positions(book))

    def _positions(self, book: Book) -> Few:
        """Where links lead, by their numbers: the position of a page, or nowhere."""
        leads = [_table(book.moved()), _table(book.standing_for())]
        most = book.most_links()
        found: Few = np.full(most + 1, _NOWHERE, np.int32)
        targets = book.targets(most)
        while some := list(islice(targets, _ROWS)):
            numbers, goals = np.array(some, np.int64).T
            for lead in leads:
                goals = _led_on(goals, lead)
            at = np.minimum(np.searchsorted(self.keys, goals), len(self.keys) - 1)
            found[numbers] = np.where(self.keys[at] == goals, at, _NOWHERE)
        return found

    def _lead(self, positions: Few) -> None:
        """Writes where links lead over their numbers: there are never more of the one than of the other."""
        written = 0
        for first, end, numbers in self._pieces(self.links_out.copy()):
            goals = positions[numbers]
            inside = goals != _NOWHERE
            sources = np.repeat(np.arange(first, end), self.links_out[first:end])[inside]
            sources, targets = distinct(sources, goals[inside].astype(np.int64), len(self.keys))
            self.links_out[first:end] = np.bincount(sources - first, minlength=end - first)
            self._file.seek(written)
            written += self._file.write(targets.astype(np.int32).tobytes())

    def _pieces(self, counts: Numbers) -> Iterator[tuple[int, int, NDArray[np.uint32]]]:
        after = np.cumsum(counts)
        first = before = 0
        while first < len(counts):
            end = max(first + 1, int(np.searchsorted(after, before + PIECE_LINKS, side="right")))
            self._file.seek(before * _LINK_BYTES)
            links = self._file.read((int(after[end - 1]) - before) * _LINK_BYTES)
            yield first, end, np.frombuffer(links, np.uint32)
            first, before = end, int(after[end - 1])


@contextmanager
def graph_of(book: Book, folder: Path | None = None) -> Iterator[Graph]:
    """With its file in `folder`, or where files go that nobody keeps."""
    with tempfile.TemporaryFile(dir=folder) as file:
        yield Graph(book, file)


def link_graph(book: Book) -> tuple[Numbers, Numbers, Numbers]:
    """The keys of the indexed pages, sorted, and every link among them as two positions."""
    with graph_of(book) as graph:
        targets = [links.astype(np.int64) for _, _, links in graph.pieces()]
        sources = np.repeat(np.arange(len(graph.keys)), graph.links_out)
        return graph.keys, sources, np.concatenate([*targets, np.zeros(0, np.int64)])


def _table(leads: Iterable[tuple[int, int]]) -> Numbers:
    return np.fromiter(chain.from_iterable(leads), np.int64).reshape(-1, 2)


def _led_on(goals: Numbers, leads: Numbers) -> Numbers:
    """`leads` are pairs of keys, sorted by the first: what is the first of one becomes the second."""
    if not len(leads):
        return goals
    at = np.minimum(np.searchsorted(leads[:, 0], goals), len(leads) - 1)
    return np.where(leads[at, 0] == goals, leads[at, 1], goals)
