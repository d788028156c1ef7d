"""SimHash as a peer: 64 bits over a text's words, near when at most three bits differ (Manku, Jain, Das Sarma 2007).

Of four blocks of 16 bits one is equal when at most three bits differ, so four tables find every pair. Counting the bits
of all words at once is ours, for speed: every word is a number of 64 lanes, and the sum holds all counts.
"""

from collections import defaultdict

from xxhash import xxh3_64_intdigest

BITS = 64
DISTANCE = 3
_LANE = 24
_BLOCKS = tuple(range(0, BITS, 16))
_MOST_WORDS = 200_000


class SimHashes:
    """Texts by number; each is told which earlier one is near."""

    def __init__(self) -> None:
        self._hashes: list[int] = []
        self._tables: dict[int, defaultdict[int, list[int]]] = {block: defaultdict(list) for block in _BLOCKS}
        self._spread: dict[bytes, int] = {}

    def take(self, words: list[bytes]) -> int | None:
        hash = self._simhash(words)
        near = next(
            (number for number in self._met(hash) if (self._hashes[number] ^ hash).bit_count() <= DISTANCE), None
        )
        number = len(self._hashes)
        self._hashes.append(hash)
        for block, table in self._tables.items():
            table[hash >> block & 0xFFFF].append(number)
        return near

    def _met(self, hash: int) -> list[int]:
        return [number for block, table in self._tables.items() for number in table.get(hash >> block & 0xFFFF, ())]

    def _simhash(self, words: list[bytes]) -> int:
        lanes = sum(map(self._lanes, words))
        half, hash = len(words) / 2, 0
        for bit in range(BITS):
            if lanes >> bit * _LANE & (1 << _LANE) - 1 > half:
                hash |= 1 << bit
        return hash

    def _lanes(self, word: bytes) -> int:
        if word not in self._spread:
            if len(self._spread) > _MOST_WORDS:
                self._spread.clear()
            hash = xxh3_64_intdigest(word)
            self._spread[word] = sum(1 << bit * _LANE for bit in range(BITS) if hash >> bit & 1)
        return self._spread[word]
