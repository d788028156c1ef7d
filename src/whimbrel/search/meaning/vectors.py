"""The vectors of all pages, in a file beside the word index, and which of them are nearest.

A page takes 264 bytes: its key and 256 numbers of a byte. What is common to all pages of an index says nothing about
one of them: their mean is taken from each, and from a question. The nearest are looked for by the first 64 numbers
alone, which by the way the weights were learned say most of it, and then judged by all; the first 64 are held in
memory, 26 MB for 100,000 pages.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whimbrel.rank.graph import Numbers, Shares
from whimbrel.search.book import Book
from whimbrel.search.meaning.sense import Vector

FILE = "meaning.npy"
COARSE = 64
LOOKED_AT = 4
"""Times as many as are wanted: so many by the first numbers are judged by all of them."""
SOME = 8_192
_LARGEST = 127.0


class Vectors:
    """As they were when the file was read."""

    def __init__(self, place: Path) -> None:
        self._path = place / FILE
        self._seen: tuple[int, int] | None = None
        self._forget()

    def __len__(self) -> int:
        return len(self._keys)

    def refresh(self) -> None:
        try:
            state = self._path.stat()
            seen = (state.st_mtime_ns, state.st_size)
            if seen != self._seen:
                self._take(np.load(self._path, mmap_mode="r", allow_pickle=False))
                self._seen = seen
        except (OSError, ValueError, EOFError, KeyError):
            # Words answer without it; the next catch-up writes the file.
            self._forget()

    def of(self, key: int) -> Vector | None:
        """The vector of a page; None where it has none."""
        at = int(np.searchsorted(self._keys, key))
        return _whole(self._rows[at : at + 1])[0] if at < len(self._keys) and self._keys[at] == key else None

    def nearest(self, vector: Vector, most: int) -> tuple[Numbers, Shares]:
        """The keys of the nearest pages, nearest first, and how near they are."""
        if not len(self._keys) or not vector.any():
            return self._keys[:0], np.zeros(0)
        near = self._coarse @ (vector - self._mean)[:COARSE]
        at = _highest(near, most * LOOKED_AT)
        exact = self._near(vector, at)
        best = np.lexsort((at, -exact))[:most]
        return self._keys[at[best]], exact[best]

    def near(self, vector: Vector, keys: Numbers) -> Shares:
        """How near each of these is, from 0, which is no nearer than pages are on average, to 1; 0 without a vector."""
        found = np.zeros(len(keys))
        if not len(self._keys) or not vector.any():
            return found
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        known = self._keys[at] == keys
        found[known] = self._near(vector, at[known])
        return found

    def _near(self, vector: Vector, at: NDArray[Any]) -> Shares:
        cosines = _units(_whole(self._rows[at]) - self._mean) @ _units((vector - self._mean)[None, :])[0]
        near: Shares = np.maximum(0.0, cosines.astype(np.float64))
        return near

    def _take(self, table: NDArray[Any]) -> None:
        rows = table["vector"]
        pieces = range(0, len(rows), SOME)
        total = sum((_whole(rows[at : at + SOME]).sum(0, dtype=np.float64) for at in pieces), np.zeros(rows.shape[1]))
        self._mean: Vector = (total / max(1, len(rows))).astype(np.float32)
        self._coarse = np.zeros((len(rows), min(COARSE, rows.shape[1])), np.float32)
        for at in pieces:
            self._coarse[at : at + SOME] = _units((_whole(rows[at : at + SOME]) - self._mean)[:, :COARSE])
        self._keys: Numbers = np.ascontiguousarray(table["key"])
        self._rows = rows

    def _forget(self) -> None:
        self._seen = None
        self._take(np.zeros(0, _row(COARSE)))


def packed(vector: Vector) -> bytes:
    """A byte for each number, by the largest: no angle moves by more than half a degree."""
    largest = float(np.abs(vector).max(initial=0.0))
    return np.rint(vector * (_LARGEST / largest)).astype(np.int8).tobytes() if largest else b""


def write_vectors(place: Path, book: Book) -> None:
    """What the book holds, by key."""
    part = place / f"{FILE}.part"
    table = np.fromiter(_rows_of(book), _row(book.vector_length()))
    with part.open("wb") as out:
        np.save(out, table)
    part.replace(place / FILE)


def _rows_of(book: Book) -> Iterable[tuple[int, NDArray[np.int8]]]:
    for key, vector in book.vectors():
        yield key, np.frombuffer(vector, np.int8)


def _row(length: int) -> Any:
    return np.dtype([("key", np.int64), ("vector", np.int8, (length,))])


def _whole(rows: NDArray[Any]) -> Vector:
    return _units(rows.astype(np.float32))


def _units(vectors: Vector) -> Vector:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def _highest(values: Vector, most: int) -> NDArray[Any]:
    if len(values) <= most:
        return np.arange(len(values))
    return np.argpartition(values, len(values) - most)[len(values) - most :]
