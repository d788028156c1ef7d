"""A picture rotated, resized and noised: what learning from one example takes.

One example says nothing of how far a copy of it may be. So its copies are made: some are learned beside it, others say
how far copies are.
"""

import numpy as np

from whimbrel.records.picturing import PictureExample
from whimbrel.shapes.segment import Grey
from whimbrel.shapes.shape import PictureShape, as_numbers, by_numbers, shape_of

LEARNED = ((37.0, 0.7), (151.0, 1.3), (283.0, 1.0))
TRIED = ((17.0, 1.5), (73.0, 0.8), (118.0, 1.1), (199.0, 0.6), (247.0, 1.2), (311.0, 0.9))
"""Degrees and sizes of the copies; set by hand so that none repeats another by an eighth of a turn."""
_NOISE = 12.0
_LEAST_SIDE = 8


def example_of(grey: Grey, source: str, chance: np.random.Generator) -> PictureExample | None:
    """All that is learned from a picture; None where it shows no shape."""
    shape = shape_of(grey)
    if shape is None:
        return None
    known = [shape, *_shapes(grey, LEARNED, chance)]
    tried = _shapes(grey, TRIED, chance)
    near = [min(by_numbers(one, copy) for one in known) for copy in tried]
    return PictureExample(source, [as_numbers(one) for one in known], near)


def _shapes(grey: Grey, copies: tuple[tuple[float, float], ...], chance: np.random.Generator) -> list[PictureShape]:
    shapes = [shape_of(altered(grey, degrees, size, chance)) for degrees, size in copies]
    return [shape for shape in shapes if shape is not None]


def altered(grey: Grey, degrees: float, size: float, chance: np.random.Generator) -> Grey:
    """The whole picture, turned, on the ground that most of its edge shows."""
    ground = int(np.median(np.concatenate([grey[0], grey[-1], grey[:, 0], grey[:, -1]])))
    sine, cosine = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
    height, width = grey.shape
    tall = max(_LEAST_SIDE, round(size * (abs(height * cosine) + abs(width * sine))))
    wide = max(_LEAST_SIDE, round(size * (abs(width * cosine) + abs(height * sine))))
    rows, columns = np.mgrid[0:tall, 0:wide].astype(np.float64)
    y, x = (rows - (tall - 1) / 2) / size, (columns - (wide - 1) / 2) / size
    from_row = np.rint(cosine * y - sine * x + (height - 1) / 2).astype(np.int64)
    from_column = np.rint(sine * y + cosine * x + (width - 1) / 2).astype(np.int64)
    inside = (from_row >= 0) & (from_row < height) & (from_column >= 0) & (from_column < width)
    turned = np.full((tall, wide), float(ground))
    turned[inside] = grey[from_row[inside], from_column[inside]]
    noised: Grey = np.clip(turned + chance.normal(0.0, _NOISE, turned.shape), 0, 255).astype(np.uint8)
    return noised
