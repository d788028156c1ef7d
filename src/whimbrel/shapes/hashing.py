"""A hash by which pictures that look alike are near: of 64 bits, few differ when one is the other resized or packed
anew (the low terms of the cosine transform, above or below their median)."""

import numpy as np
from numpy.typing import NDArray

from whimbrel.shapes.segment import Grey

_SIDE, _LOW = 32, 8
ALIKE_BITS = 10
"""Of 64: more than these are another picture."""


def perceptual_hash(grey: Grey) -> int:
    low = (_BASE @ shrunken(grey, _SIDE, _SIDE) @ _BASE.T).ravel()
    bits = low > np.median(low[1:])
    return int(np.packbits(bits).view(">u8")[0])


def bits_apart(one: int, other: int) -> int:
    return (one ^ other).bit_count()


def looks_alike(one: int, other: int) -> bool:
    return bits_apart(one, other) <= ALIKE_BITS


def shrunken(grey: Grey, height: int, width: int) -> NDArray[np.float64]:
    """Means of equal parts."""
    rows, columns = (
        np.linspace(0, length, parts + 1).astype(np.int64)
        for length, parts in zip(grey.shape, (height, width), strict=True)
    )
    sums = np.pad(np.cumsum(np.cumsum(grey.astype(np.float64), axis=0), axis=1), ((1, 0), (1, 0)))
    top, left = rows[:-1], columns[:-1]
    bottom, right = np.maximum(rows[1:], top + 1), np.maximum(columns[1:], left + 1)
    bottom, right = np.minimum(bottom, grey.shape[0]), np.minimum(right, grey.shape[1])
    whole = (
        sums[np.ix_(bottom, right)] - sums[np.ix_(top, right)] - sums[np.ix_(bottom, left)] + sums[np.ix_(top, left)]
    )
    sizes = np.maximum(np.outer(bottom - top, right - left), 1)
    means: NDArray[np.float64] = whole / sizes
    return means


_BASE = np.cos(np.pi / _SIDE * (np.arange(_SIDE) + 0.5) * np.arange(_LOW)[:, None])
