"""The thing in a picture, told from what it stands on (P4 §3: opening, closing, boundary)."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Grey: TypeAlias = NDArray[np.uint8]
Mask: TypeAlias = NDArray[np.bool_]

SIDE = 128
"""Pictures are looked at this large: an outline then has some hundred steps."""
MOST_SIDE = 192
"""What is larger is made smaller first."""
_LEAST_SHARE = 0.01
"""Of the picture, below which a mask shows nothing."""


def silhouette(grey: Grey) -> Mask | None:
    """The largest thing that is not background, filled; None where there is none. Background is what most of the edge
    shows. Drawings that are lines alone are filled before specks are taken away, or nothing would be left of them."""
    edge = np.concatenate([grey[0], grey[-1], grey[:, 0], grey[:, -1]])
    ground = int(np.median(edge))
    apart = np.abs(np.pad(grey, 4, constant_values=ground).astype(np.int16) - ground)
    mask = largest(opened(filled(closed(apart > threshold(apart.astype(np.uint8))))))
    return mask if mask.mean() >= _LEAST_SHARE else None


def filled(mask: Mask) -> Mask:
    """With all that it surrounds: what cannot be reached from the corner."""
    labels = _labelled(~mask)
    inside: Mask = labels != labels[0, 0]
    return mask if mask[0, 0] else inside


def threshold(grey: Grey) -> int:
    """Otsu's: the grey that parts the others best in two."""
    counts = np.bincount(grey.ravel(), minlength=256).astype(np.float64)
    below, sums = np.cumsum(counts), np.cumsum(counts * np.arange(256))
    above = below[-1] - below
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (sums[-1] * below / below[-1] - sums) ** 2 / (below * above)
    return int(np.nanargmax(np.where(above > 0, between, 0.0)))


def grown(mask: Mask) -> Mask:
    """Dilation by a square of three."""
    rows = mask.copy()
    rows[1:] |= mask[:-1]
    rows[:-1] |= mask[1:]
    wide = rows.copy()
    wide[:, 1:] |= rows[:, :-1]
    wide[:, :-1] |= rows[:, 1:]
    return wide


def shrunk(mask: Mask) -> Mask:
    """Erosion by the same; what lies beyond the edge counts as part of it."""
    return ~grown(~mask)


def opened(mask: Mask) -> Mask:
    """Without specks and threads."""
    return grown(shrunk(mask))


def closed(mask: Mask) -> Mask:
    """Without cracks and pinholes."""
    return shrunk(grown(mask))


def largest(mask: Mask) -> Mask:
    """The largest piece that hangs together."""
    if not mask.any():
        return mask
    labels = _labelled(mask)
    piece: Mask = labels == int(np.bincount(labels[mask]).argmax())
    return piece


def _labelled(mask: Mask) -> NDArray[np.int64]:
    """Pieces that hang together have one number, what is outside 0: numbers are carried along rows and columns until
    they agree."""
    labels = np.where(mask, np.arange(1, mask.size + 1).reshape(mask.shape), 0)
    while True:
        before = labels
        for axis in (0, 1):
            for step in (1, -1):
                labels = _swept(labels, mask, axis, step)
        if np.array_equal(before, labels):
            return labels


def _swept(labels: NDArray[np.int64], mask: Mask, axis: int, step: int) -> NDArray[np.int64]:
    """The highest number of a run is passed on to all that follow in it."""
    lines = np.moveaxis(labels, axis, 0)[::step].copy()
    inside = np.moveaxis(mask, axis, 0)[::step]
    for at in range(1, len(lines)):
        both = inside[at] & inside[at - 1]
        lines[at][both] = np.maximum(lines[at], lines[at - 1])[both]
    return np.moveaxis(lines[::step], 0, axis)


def framed(mask: Mask, side: int = SIDE) -> Mask:
    """Cut to what it shows and brought to one size, its proportions kept."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    cut = mask[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    longest = max(cut.shape)
    height, width = (max(1, round(side * length / longest)) for length in cut.shape)
    down = (np.arange(height) * cut.shape[0] // height).astype(np.int64)
    across = (np.arange(width) * cut.shape[1] // width).astype(np.int64)
    frame = np.zeros((side + 2, side + 2), np.bool_)
    frame[1 : height + 1, 1 : width + 1] = cut[np.ix_(down, across)]
    return largest(frame)
