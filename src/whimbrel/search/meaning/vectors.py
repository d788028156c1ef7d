"""The vectors of all passages, in a file beside the word index, and which pages are nearest.

A passage takes 392 bytes: its page's key and 384 numbers of a byte; those of a page stand together. What is common to
all passages of an index says nothing about one of them: their mean is taken from each, and from a question. A page is
as near as its nearest passage. Which pages may be nearest is looked for in the 64 directions in which passages differ
most, held in memory, 256 bytes each; then all numbers judge.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whimbrel.rank.graph import Numbers, Shares
from whimbrel.search.meaning.encoder import Vector, units
from whimbrel.search.meaning.encoder import Vectors as Rows
from whimbrel.search.meaning.meanings import Meanings

FILE = "passages.npy"
COARSE = 64
SAMPLE = 4_096
"""Passages that the directions are taken from."""
LOOKED_AT = 4
"""Times as many as are wanted: so many by some directions are judged by all numbers."""
SOME = 8_192


class Vectors:
    """As they were when the file was read."""

    def __init__(self, place: Path) -> None:
        self._path = place / FILE
        self._seen: tuple[int, int] | None = None
        self._forget()

    def __len__(self) -> int:
        """Pages."""
        return len(self._keys)

    def refresh(self) -> None:
        try:
            state = self._path.stat()
            seen = (state.st_mtime_ns, state.st_size)
            if seen != self._seen:
                self._take(np.load(self._path, mmap_mode="r", allow_pickle=False))
                self._seen = seen
        except (OSError, ValueError, EOFError, KeyError, IndexError):
            # Words answer without it; the next catch-up writes the file.
            self._forget()

    def of(self, key: int) -> Vector | None:
        """What a page is about: the mean of its passages; None where it has none."""
        at = int(np.searchsorted(self._keys, key))
        if at == len(self._keys) or self._keys[at] != key:
            return None
        rows = units(self._rows[self._starts[at] : self._starts[at + 1]].astype(np.float32))
        mean: Vector = units(rows.mean(0, keepdims=True))[0]
        return mean

    def nearest(self, vector: Vector, most: int) -> tuple[Numbers, Shares]:
        """The keys of the nearest pages, nearest first, and how near they are."""
        if not len(self._keys) or not vector.any():
            return self._keys[:0], np.zeros(0)
        near = np.maximum.reduceat(self._coarse @ ((vector - self._mean) @ self._directions), self._starts[:-1])
        at = np.sort(_highest(near, most * LOOKED_AT))
        exact = self._near(vector, at)
        best = np.lexsort((at, -exact))[:most]
        return self._keys[at[best]], exact[best]

    def near(self, vector: Vector, keys: Numbers) -> Shares:
        """How near each of these is, from 0, which is no nearer than passages are on average, to 1; nan where it is not
        known."""
        found = np.full(len(keys), np.nan)
        if not len(self._keys) or not vector.any():
            return found
        at = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        known = self._keys[at] == keys
        found[known] = self._near(vector, at[known])
        return found

    def _near(self, vector: Vector, at: NDArray[Any]) -> Shares:
        """Of pages by their places."""
        if not len(at):
            return np.zeros(0)
        firsts, counts = self._starts[at], self._starts[at + 1] - self._starts[at]
        begins = np.cumsum(counts) - counts
        rows = np.arange(int(counts.sum())) + np.repeat(firsts - begins, counts)
        asked = units((vector - self._mean)[None, :])[0]
        along = (self._rows[rows].astype(np.float32) @ asked) * self._scales[rows] - asked @ self._mean
        near: Shares = np.maximum.reduceat(along / self._lengths[rows], begins).astype(np.float64)
        return np.maximum(0.0, near)

    def _take(self, table: NDArray[Any]) -> None:
        rows = table["vector"]
        keys: Numbers = np.ascontiguousarray(table["key"])
        new = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1))
        pieces = range(0, len(rows), SOME)
        total = sum((_whole(rows[at : at + SOME]).sum(0, dtype=np.float64) for at in pieces), np.zeros(rows.shape[1]))
        self._mean: Vector = (total / max(1, len(rows))).astype(np.float32)
        some = _whole(rows[:: max(1, len(rows) // SAMPLE)]) - self._mean
        self._directions: Rows = np.linalg.eigh(some.T @ some)[1][:, -COARSE:].astype(np.float32)
        self._coarse: Rows = np.zeros((len(rows), self._directions.shape[1]), np.float32)
        self._scales, self._lengths = np.zeros(len(rows), np.float32), np.ones(len(rows), np.float32)
        for at in pieces:
            numbers = rows[at : at + SOME].astype(np.float32)
            self._scales[at : at + SOME] = 1 / np.maximum(1.0, np.linalg.norm(numbers, axis=1))
            own = numbers * self._scales[at : at + SOME, None] - self._mean
            self._lengths[at : at + SOME] = np.maximum(1e-6, np.linalg.norm(own, axis=1))
            self._coarse[at : at + SOME] = own @ self._directions / self._lengths[at : at + SOME, None]
        self._keys: Numbers = keys[new]
        self._starts: Numbers = np.append(new, len(keys))
        self._rows = rows

    def _forget(self) -> None:
        self._seen = None
        self._take(np.zeros(0, _row(COARSE)))


def write_vectors(place: Path, meanings: Meanings) -> None:
    """What is kept of all pages, by key."""
    part = place / f"{FILE}.part"
    rows = list(meanings.rows())
    table = np.zeros(len(rows), _row(len(rows[0][1]) if rows else COARSE))
    for at, row in enumerate(rows):
        table[at] = row
    with part.open("wb") as out:
        np.save(out, table)
    part.replace(place / FILE)


def _row(length: int) -> Any:
    return np.dtype([("key", np.int64), ("vector", np.int8, (length,))])


def _whole(rows: NDArray[Any]) -> Rows:
    return units(rows.astype(np.float32))


def _highest(values: Vector, most: int) -> NDArray[Any]:
    if len(values) <= most:
        return np.arange(len(values))
    return np.argpartition(values, len(values) - most)[len(values) - most :]
