"""A text's shingles as 96 small numbers from which resemblance is estimated, and 17 hashes by which it is found.

One permutation hashing (Li, Owen, Zhang 2012): a shingle's last byte chooses one of 96 bins, and each bin keeps its
least shingle. A bin that got none borrows from others in an order fixed for it, which keeps the estimate unbiased
(optimal densification, Shrivastava 2017). Six bins make a band; texts that share a band are candidates (Indyk, Motwani
1998).
"""

from array import array
from collections.abc import Iterator
from operator import eq

from xxhash import xxh3_64_intdigest, xxh32_intdigest

BANDS = 16
ROWS = 6
BINS = BANDS * ROWS
HASHES = BANDS + 1
"""By which a page is found: those of the bands and one of what its title names."""

_STEPS = 256
_NONE = 1 << 30
_SEEDS = (1 << 32) - 1
_ROW_BYTES = 4 * ROWS
_BIN_OF = bytes(byte * BINS >> 8 for byte in range(256))


def _walk(bin: int) -> Iterator[int]:
    for step in range(_STEPS):
        yield xxh3_64_intdigest(b"%d/%d" % (bin, step)) % BINS


_WALKS = tuple(tuple(_walk(bin)) for bin in range(BINS))


def least_of(shingles: "array[int]") -> list[int]:
    """The least shingle of every bin, whatever the order and however often each comes; without any, all zeros."""
    least = [_NONE] * BINS
    for shingle, bin in zip(shingles, shingles.tobytes()[::4].translate(_BIN_OF), strict=True):
        if shingle < least[bin]:
            least[bin] = shingle
    return _densified(least) if _NONE in least else least


def _densified(least: list[int]) -> list[int]:
    """What empty bins borrow. A walk that meets no full bin, as may be in a very short text, ends at the least."""
    rest = min(least)
    lender = rest if rest != _NONE else 0
    full = least.copy()
    for bin, shingle in enumerate(least):
        if shingle == _NONE:
            full[bin] = lender
            for other in _WALKS[bin]:
                if least[other] != _NONE:
                    full[bin] = least[other]
                    break
    return full


def packed(least: list[int]) -> bytes:
    """Sixteen bits of every bin, to be kept: two bins that differ look alike once in 65,536. Not the lowest, which say
    which bin it is, nor the highest, which are small in every long text."""
    return array("H", array("I", [shingle >> 8 for shingle in least]).tobytes())[::2].tobytes()


def estimate(one: bytes, other: bytes) -> float:
    """The resemblance of two texts by their packed sketches, within 0.05 two times in three."""
    alike: int = sum(map(eq, array("H", one), array("H", other)))
    return alike / BINS


def hashes_of(least: list[int], subject: str, *, short: bool = False) -> list[int]:
    """The hash of every band, and that of what the title names; never zero, which the index keeps for places that are
    empty. Of a short page most is its site's: its bands are hashed with the subject, so that it meets only its like."""
    data, named = array("I", least).tobytes(), subject.encode("utf-8", "surrogatepass")
    seed = xxh32_intdigest(named) if short else 0
    bands = [
        xxh32_intdigest(data[at : at + _ROW_BYTES], at + seed & _SEEDS) or 1 for at in range(0, len(data), _ROW_BYTES)
    ]
    return [*bands, xxh32_intdigest(named or data, len(data)) or 1]
