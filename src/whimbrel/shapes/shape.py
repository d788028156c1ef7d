"""All that is known of the shape in a picture, and how far two are apart."""

import numpy as np
from msgspec import Struct

from whimbrel.records.picturing import ShapeNumbers
from whimbrel.shapes import outline
from whimbrel.shapes.descriptors import Numbers, fourier, zernike
from whimbrel.shapes.hashing import shrunken
from whimbrel.shapes.outline import Code
from whimbrel.shapes.segment import MOST_SIDE, Grey, framed, silhouette

AREA_WEIGHT = 4.0
"""Of the area beside the outline, which noise frays first; chosen on the pictures of `bench images`."""
_FEWEST_STEPS = 16
_SMALLEST_SIDE = 8


class PictureShape(Struct, frozen=True, eq=False):
    """`code` is the normal chain code; `numbers` are what is compared first: outline and area together."""

    code: Code
    outline: Numbers
    area: Numbers

    @property
    def numbers(self) -> Numbers:
        return np.concatenate([self.outline, AREA_WEIGHT * self.area])


def shape_of(grey: Grey) -> PictureShape | None:
    """None where the picture shows no thing that could be told from its background."""
    if max(grey.shape) > MOST_SIDE:
        factor = MOST_SIDE / max(grey.shape)
        height, width = (max(8, round(factor * length)) for length in grey.shape)
        grey = shrunken(grey, height, width).astype(np.uint8)
    mask = silhouette(grey) if min(grey.shape) >= _SMALLEST_SIDE else None
    if mask is None:
        return None
    mask = framed(mask)
    steps = outline.traced(mask)
    if len(steps) < _FEWEST_STEPS:
        return None
    path = outline.points(steps)
    return PictureShape(outline.normal(outline.chain_code(path)), fourier(path), zernike(mask))


def as_numbers(shape: PictureShape) -> ShapeNumbers:
    """As it is kept: five digits tell shapes apart that nobody could."""
    around, area = (np.round(numbers, 5).tolist() for numbers in (shape.outline, shape.area))
    return ShapeNumbers(shape.code.tolist(), around, area)


def from_numbers(kept: ShapeNumbers) -> PictureShape:
    return PictureShape(np.array(kept.code, np.int64), np.array(kept.outline), np.array(kept.area))


def by_code(one: PictureShape, other: PictureShape) -> float:
    return outline.apart(one.code, other.code)


def by_numbers(one: PictureShape, other: PictureShape) -> float:
    return float(np.linalg.norm(one.numbers - other.numbers))
