"""The outline of a shape, and its Freeman chain code (H. Freeman, "On the encoding of arbitrary geometric
configurations", 1961) without start, rotation and size.

    directions   3 2 1        a step is one of eight; the code of a step is how much it turns from the one before,
                 4 · 0        so a rotation by an eighth changes nothing; of all places to begin, the one that reads
                 5 6 7        smallest counts; the outline is walked in equal steps, as many whatever its size
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whimbrel.shapes.segment import Mask

Points: TypeAlias = NDArray[np.float64]
Code: TypeAlias = NDArray[np.int64]

STEPS = 64
_MOVES = ((0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0), (1, 1))


def traced(mask: Mask) -> list[int]:
    """The directions of the steps around the outer edge, from its first pixel (Moore's way round, to the left)."""
    rows, columns = np.nonzero(mask)
    if not len(rows):
        return []
    start = (int(rows[0]), int(columns[0]))
    height, width = mask.shape
    at, heading = start, 0
    steps: list[int] = []
    for _ in range(4 * mask.size):
        for turn in range(8):
            # From beside where we came from: the outside stays at the right hand.
            direction = (heading + 5 + turn) % 8
            row, column = at[0] + _MOVES[direction][0], at[1] + _MOVES[direction][1]
            if 0 <= row < height and 0 <= column < width and mask[row, column]:
                break
        else:
            return []
        if steps and at == start and direction == steps[0]:
            return steps
        at, heading = (row, column), direction
        steps.append(direction)
    return steps


def points(steps: list[int]) -> Points:
    """The places that the steps lead through."""
    moves = np.array(_MOVES, np.float64)[steps]
    return np.cumsum(moves, axis=0)


def evenly(path: Points, count: int) -> Points:
    """So many places at equal distances along a closed path."""
    ring = np.vstack([path, path[:1]])
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(ring, axis=0).T))])
    at = np.linspace(0.0, lengths[-1], count, endpoint=False)
    return np.column_stack([np.interp(at, lengths, ring[:, axis]) for axis in (0, 1)])


def chain_code(path: Points, count: int = STEPS) -> Code:
    """Directions in eight, of equal steps along the outline."""
    even = evenly(path, count)
    moves = np.roll(even, -1, axis=0) - even
    return np.rint(np.arctan2(-moves[:, 0], moves[:, 1]) / (np.pi / 4)).astype(np.int64) % 8


def normal(code: Code) -> Code:
    """Turns instead of directions, from where they read smallest."""
    turns = (code - np.roll(code, 1)) % 8
    begun = [tuple(np.roll(turns, -start).tolist()) for start in range(len(turns))]
    return np.array(min(begun, default=()), np.int64)


def apart(one: Code, other: Code) -> float:
    """How far two normal codes are from each other, from 0 to 1: by the place to begin at which they agree best."""
    around = np.stack([np.roll(other, start) for start in range(len(other))])
    gaps = np.abs(around - one) % 8
    return float(np.minimum(gaps, 8 - gaps).mean(axis=1).min()) / 4.0
