"""Numbers that say a shape, whatever its size, place and rotation.

Fourier descriptors tell the outline: the outline's places as complex numbers, transformed; the absolute values of the
low terms over the first one's (C. Zahn, R. Roskies, 1972; G. Granlund, 1972). Zernike moments tell the area: its
projections on the Zernike polynomials of the circle around it (A. Khotanzad, Y. Hong, 1990). A rotation changes only
the phase of either.
"""

from functools import cache
from math import factorial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whimbrel.shapes.outline import Points, evenly
from whimbrel.shapes.segment import Mask

Numbers: TypeAlias = NDArray[np.float64]

TERMS = 12
ORDER = 10
_PLACES = 128


def fourier(path: Points) -> Numbers:
    even = evenly(path, _PLACES)
    terms = np.abs(np.fft.fft(even[:, 1] + 1j * even[:, 0]))
    low = np.concatenate([terms[1 : TERMS + 1], terms[-TERMS:]])
    # Whichever way round it was walked, the larger of the first terms is the circle nearest to it.
    first = max(terms[1], terms[-1], 1e-9)
    if terms[-1] > terms[1]:
        low = np.concatenate([terms[-1 : -TERMS - 1 : -1], terms[TERMS:0:-1]])
    found: Numbers = low[1:] / first
    return found


def zernike(mask: Mask) -> Numbers:
    rows, columns = np.nonzero(mask)
    if not len(rows):
        return np.zeros(len(_terms()))
    y, x = rows - rows.mean(), columns - columns.mean()
    radius = max(float(np.hypot(x, y).max()), 1e-9)
    distance, angle = np.hypot(x, y) / radius, np.arctan2(y, x)
    values = []
    for order, turns, polynomial in _terms():
        radial = sum(weight * distance**power for weight, power in polynomial)
        values.append(np.abs((radial * np.exp(-1j * turns * angle)).sum()) * (order + 1) / np.pi)
    area = len(rows)
    found: Numbers = np.array(values) / area
    return found


@cache
def _terms() -> tuple[tuple[int, int, tuple[tuple[float, int], ...]], ...]:
    """Order, turns, and the radial polynomial as weights and powers. The first two say nothing but size and place."""
    return tuple(
        (order, turns, tuple(_radial(order, turns)))
        for order in range(2, ORDER + 1)
        for turns in range(order % 2, order + 1, 2)
    )


def _radial(order: int, turns: int) -> list[tuple[float, int]]:
    return [
        (
            (-1) ** k
            * factorial(order - k)
            / (factorial(k) * factorial((order + turns) // 2 - k) * factorial((order - turns) // 2 - k)),
            order - 2 * k,
        )
        for k in range((order - turns) // 2 + 1)
    ]
