"""Which texts share a band or a title: the hashes in two arrays, and nothing else.

A text takes 68 bytes of hashes and, at most two thirds full, 102 to 204 bytes of places: under 275 MB a million.
"""

from array import array
from collections import Counter
from collections.abc import Sequence

from whimbrel.dedupe.sketch import HASHES

MOST_ALIKE = 8
"""Texts found by one hash. What half a site shares is a template; its later pages are found by their other bands."""

_FIRST_PLACES = 1 << 12
_EMPTY = 0


class BandIndex:
    """Texts by number, from 0 up in the order in which they came. Memory is bounded by their number alone."""

    def __init__(self) -> None:
        self._hashes = array("I")
        self._places = array("I", [_EMPTY]) * _FIRST_PLACES
        self._taken = 0

    def __len__(self) -> int:
        return len(self._hashes) // HASHES

    @property
    def size_bytes(self) -> int:
        return self._hashes.itemsize * len(self._hashes) + self._places.itemsize * len(self._places)

    def meet(self, bands: Sequence[int]) -> list[tuple[int, int]]:
        """Takes a text in; returns the earlier ones that share a band with it and how many, most first."""
        first = len(self._hashes)
        self._hashes.extend(bands)
        if 3 * (self._taken + HASHES) > 2 * len(self._places):
            self._grow(first)
        found = self._place(first)
        return Counter(entry // HASHES for entry in found).most_common() if found else []

    def forget(self, number: int) -> None:
        """A text that is no longer found. Its places stay taken, so that nothing behind them is lost."""
        for at in range(number * HASHES, (number + 1) * HASHES):
            self._hashes[at] = _EMPTY

    def _place(self, first: int) -> list[int]:
        """Finds, for each hash of a text, the entries of its band with the same hash, and puts it behind them unless
        they are many."""
        hashes, places, mask, found = self._hashes, self._places, len(self._places) - 1, list[int]()
        for at in range(first, first + HASHES):
            hash = hashes[at]
            place, alike = hash & mask, 0
            while entry := places[place]:
                entry -= 1
                if hashes[entry] == hash and (at - entry) % HASHES == 0:
                    found.append(entry)
                    alike += 1
                    if alike == MOST_ALIKE:
                        break
                place = place + 1 & mask
            else:
                places[place] = at + 1
                self._taken += 1
        return found

    def _grow(self, known: int) -> None:
        size = 2 * len(self._places)
        self._places = array("I")  # given back before the larger one is taken
        self._places = array("I", [_EMPTY]) * size
        self._taken = 0
        for first in range(0, known, HASHES):
            if self._hashes[first]:  # not forgotten
                self._place(first)
