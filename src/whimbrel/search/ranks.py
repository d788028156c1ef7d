"""Link ranks of the pages in the index: worked out from the book, kept in a file beside it."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whimbrel.rank.fuse import link_values
from whimbrel.rank.graph import Numbers, Shares, distinct
from whimbrel.rank.pagerank import pagerank
from whimbrel.search.book import Book

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
    keys, sources, targets = link_graph(book)
    table = np.zeros(len(keys), _ROW)
    table["key"] = keys
    table["rank"] = pagerank(sources, targets, len(keys), tolerance=TOLERANCE)
    part = place / f"{FILE}.part"
    with part.open("wb") as out:
        np.save(out, table)
    part.replace(place / FILE)


def link_graph(book: Book) -> tuple[Numbers, Numbers, Numbers]:
    """The keys of the indexed pages, sorted, and every link among them as two positions. A link to a URL that redirects
    leads to where that does, and one to a twin to the page that stands for it."""
    numbered, rows = book.graph()
    target_of = np.zeros(len(numbered) + 1, np.int64)
    if numbered:
        both = np.array(numbered, np.int64)
        target_of = np.zeros(int(both[:, 0].max()) + 1, np.int64)
        target_of[both[:, 0]] = both[:, 1]
    pages = [row for row in rows if row[1] == "page"]
    keys = np.array([row[0] for row in pages], np.int64)
    if not pages:
        return keys, keys, keys
    links = [np.frombuffer(row[3], np.uint32) for row in pages]
    sources = np.repeat(np.arange(len(pages)), [len(one) for one in links])
    arrived = _led_on(target_of[np.concatenate(links)], book.moves())
    goals = _led_on(arrived, _standing_for(rows))
    at = np.minimum(np.searchsorted(keys, goals), len(keys) - 1)
    inside = keys[at] == goals
    return keys, *distinct(sources[inside], at[inside], len(keys))


def _standing_for(rows: list[tuple[int, str, bytes, bytes]]) -> dict[int, int]:
    stands = {twins: key for key, role, twins, _ in rows if role == "page" and twins}
    return {key: stands[twins] for key, role, twins, _ in rows if role == "twin" and twins in stands}


def _led_on(goals: Numbers, leads: dict[int, int]) -> Numbers:
    if not leads:
        return goals
    table = np.array(sorted(leads.items()), np.int64)
    at = np.minimum(np.searchsorted(table[:, 0], goals), len(table) - 1)
    return np.where(table[at, 0] == goals, table[at, 1], goals)
