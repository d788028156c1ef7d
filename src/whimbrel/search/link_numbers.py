"""Numbers by digest, in a file that has no name.

There are several digests a page, and nothing of them is needed but whether one was met before: a dictionary takes 110
bytes for each, a slot here 12, of which the system keeps in memory what it has room for.
"""

import mmap
import os
import tempfile
from pathlib import Path

FEWEST_SLOTS = 1 << 15
_DIGEST_BYTES, _NUMBER_BYTES = 8, 4
_PART = bytes(1 << 16)


class LinkNumbers:
    """Digests are of 64 bits, numbers of 32; neither is ever 0. One that finds its slot taken goes on to the next."""

    def __init__(self, folder: Path, expected: int = 0) -> None:
        self._folder = folder
        # Slots are chosen with a secret: without it links could be made up that all want the same one.
        self._secret = int.from_bytes(os.urandom(8), "big") | 1
        self._count = 0
        self._lay_out(max(FEWEST_SLOTS, 1 << (2 * expected).bit_length()))

    def number(self, digest: int, new: int) -> int:
        """The number of a digest, which is `new` from now on where it had none."""
        digests, last = self._digests, self._slots - 1
        slot = (digest * self._secret >> 32) & last
        while (found := digests[slot]) != digest:
            if not found:
                digests[slot], self._numbers[slot] = digest, new
                self._count += 1
                if 3 * self._count > 2 * self._slots:
                    self._widen()
                return new
            slot = (slot + 1) & last
        return self._numbers[slot]

    def _widen(self) -> None:
        digests, numbers = self._digests, self._numbers
        self._count = 0
        self._lay_out(2 * self._slots)
        for slot, digest in enumerate(digests):
            if digest:
                self.number(digest, numbers[slot])

    def _lay_out(self, slots: int) -> None:
        self._slots = slots
        size = slots * (_DIGEST_BYTES + _NUMBER_BYTES)
        with tempfile.TemporaryFile(dir=self._folder, buffering=0) as file:
            # Written, not left open: a disk that is full is an error here, and would be the end of the process later.
            for _ in range(0, size, len(_PART)):
                file.write(_PART)
            table = memoryview(mmap.mmap(file.fileno(), size))
        self._digests = table[: slots * _DIGEST_BYTES].cast("Q")
        self._numbers = table[slots * _DIGEST_BYTES :].cast("I")
