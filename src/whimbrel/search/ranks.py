"""Link ranks of the pages in the index: worked out from the book, kept in a file beside it."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whimbrel.rank.fuse import link_values
from whimbrel.rank.graph import Numbers, Shares
from whimbrel.rank.pagerank import settled
from whimbrel.search.book import Book
from whimbrel.search.citing import write_citations
from whimbrel.search.graph import Graph, graph_of

FILE = "ranks.npy"
TOLERANCE = 1e-6
"""Ranks are compared by their logarithm, to which a millionth of all of them together says nothing."""

_ROW = np.dtype([("key", np.int64), ("rank", np.float64)])


class Ranks:
    """Link ranks by key, as they were when the file was read."""

    def __init__(self, place: Path) -> None:
        self._path = place / FILE
        self._seen: tuple[int, int] | None = None
        self._take(np.zeros(0, _ROW))

    def refresh(self) -> None:
        try:
            state = self._path.stat()
            seen = (state.st_mtime_ns, state.st_size)
            if seen != self._seen:
                self._take(np.load(self._path, allow_pickle=False))
                self._seen = seen
        except (OSError, ValueError, EOFError):
            # Pages without a rank weigh nothing by links; the next catch-up writes the file.
            self._take(np.zeros(0, _ROW))
            self._seen = None

    def values(self, keys: Numbers) -> Shares:
        """Between 0 and 1, as `rank.fuse` wants them; 0 for a page without a rank."""
        if not len(self._keys):
            return np.zeros(len(keys))
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        ranks = np.where(self._keys[at] == keys, self._ranks[at], 0.0)
        return link_values(ranks, self._highest, len(self._keys))

    def _take(self, table: NDArray[Any]) -> None:
        # Each for itself: searching a column inside the table copies it, which takes longer than the search.
        self._keys: Numbers = np.ascontiguousarray(table["key"])
        self._ranks: Shares = np.ascontiguousarray(table["rank"])
        self._highest = float(self._ranks.max(initial=0.0))


def write_ranks(place: Path, book: Book) -> None:
    """With the links that they are made of, for whoever asks which pages cite which."""
    with graph_of(book, place) as graph:
        table = np.zeros(len(graph.keys), _ROW)
        table["key"] = graph.keys
        table["rank"] = ranks_of(graph)
        write_citations(place, graph)
    part = place / f"{FILE}.part"
    with part.open("wb") as out:
        np.save(out, table)
    part.replace(place / FILE)


def ranks_of(graph: Graph) -> Shares:
    """PageRank with a piece of the links in memory at a time."""
    return settled(graph.links_out, partial(_passed_on, graph), tolerance=TOLERANCE)


def _passed_on(graph: Graph, shares: Shares) -> Shares:
    """What pages are given by those that link to them, each of which gives its share along every link."""
    given: Shares = np.zeros(len(shares))
    for first, end, links in graph.pieces():
        # One after another in the order of the links, as `bincount` adds them: sums of pieces would be rounded apart.
        np.add.at(given, links, np.repeat(shares[first:end], graph.links_out[first:end]))
    return given
