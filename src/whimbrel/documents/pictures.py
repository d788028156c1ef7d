"""Pictures drawn small and grey in a helper process, which is confined as for documents and may be killed."""

import base64
from typing import Self

from msgspec import Struct

from whimbrel.documents import wire
from whimbrel.documents.contract import DEFAULT_LIMITS, LARGE, PICTURE, DocumentLimits, Unreadable
from whimbrel.documents.helper import Helper, HelperError


class DrawnPicture(Struct, frozen=True):
    """`width` and `height` are the picture's own; `greys` are `rows` × `columns` bytes. `images` is above 1 where it
    moves."""

    width: int
    height: int
    rows: int
    columns: int
    greys: bytes
    images: int


class PictureReader:
    """One helper at a time; one that dies is replaced, and what it died of is said."""

    def __init__(self, limits: DocumentLimits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._helper: Helper | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def end(self) -> None:
        if self._helper is not None:
            self._helper.end()

    def draw(self, body: bytes, large: bool = False) -> DrawnPicture | Unreadable:
        try:
            if self._helper is None or not self._helper.alive:
                self._helper = Helper(self._limits)
        except HelperError as error:
            return Unreadable("unavailable", str(error))
        outcome = self._helper.read(wire.Job(PICTURE, LARGE if large else "", body))
        return outcome if isinstance(outcome, Unreadable) else _drawn(outcome.title, outcome.text, outcome.pages)


def _drawn(sizes: str, text: str, images: int) -> DrawnPicture | Unreadable:
    """What a helper says is not trusted: it has read the picture."""
    try:
        width, height, columns, rows = map(int, sizes.split())
        greys = base64.b85decode(text)
    except ValueError:
        return Unreadable("crashed", "the helper process gave no picture")
    if len(greys) != rows * columns or not greys:
        return Unreadable("crashed", "the helper process gave no whole picture")
    return DrawnPicture(width, height, rows, columns, greys, images)
