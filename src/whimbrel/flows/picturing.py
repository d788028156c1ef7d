"""Kept pictures by the shape that they show."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from whimbrel.documents.contract import Unreadable
from whimbrel.documents.pictures import DrawnPicture, PictureReader
from whimbrel.flows.copies import kept_copy
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict, refused
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import Selection
from whimbrel.shapes.hashing import looks_alike, perceptual_hash
from whimbrel.shapes.segment import Grey
from whimbrel.shapes.shape import PictureShape, by_code, by_numbers, shape_of


class ShownPicture(NamedTuple):
    """`apart` is 0 for the same shape; `apart_by_code` by the chain code alone. `same` where it looks like the very
    picture. `shown_on` is the page by which it was found."""

    url: Url
    apart: float
    apart_by_code: float
    same: bool
    width: int
    height: int
    shown_on: Url | None


class PictureLooks(NamedTuple):
    shape: PictureShape
    hash: int


def looks_of(body: bytes, pictures: PictureReader) -> PictureLooks | Verdict:
    drawn = pictures.draw(body)
    if isinstance(drawn, Unreadable):
        return refused(drawn.kind, drawn.reason)
    return _looks(drawn) or refused("shape", "nothing in it can be told from its background")


def alike(
    reader: Reader, shapes: Sequence[PictureShape], hash: int | None, selection: Selection, pictures: PictureReader
) -> Iterator[ShownPicture]:
    """Every kept picture in which a shape is seen, in the order of the folder, by the nearest of `shapes`. Others are
    passed over. `hash` is that of the very picture, where one is asked for."""
    for one in reader.urls(selection):
        if not one.mime.startswith("image/"):
            continue
        try:
            copy = kept_copy(reader.body(one.url))
        except RepositoryError:
            continue
        drawn = pictures.draw(copy.body) if copy is not None else None
        looks = _looks(drawn) if isinstance(drawn, DrawnPicture) else None
        if looks is not None and isinstance(drawn, DrawnPicture):
            yield ShownPicture(
                one.url, min(by_numbers(each, looks.shape) for each in shapes),
                min(by_code(each, looks.shape) for each in shapes),
                hash is not None and looks_alike(hash, looks.hash), drawn.width, drawn.height,
                reader.ways([one.key]).get(one.key),
            )  # fmt: skip


def _looks(drawn: DrawnPicture) -> PictureLooks | None:
    grey: Grey = np.frombuffer(drawn.greys, np.uint8).reshape(drawn.rows, drawn.columns)
    shape = shape_of(grey)
    return PictureLooks(shape, perceptual_hash(grey)) if shape is not None else None
