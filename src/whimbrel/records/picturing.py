"""A crawl for pictures alone: by which rules something is left out of it. And classes of pictures, by their shapes."""

from enum import StrEnum

from msgspec import Struct

from whimbrel.records.url import Url

IMAGES_RULE = "images"
"""What neither is a picture nor shows one. The links of such pages are followed."""

SMALL_RULE = "small"
"""Pictures that are drawn small: icons, spacers, pixels that count readers."""

CLASSES_FILE = "picture-classes.json"
"""Where a folder keeps the classes of pictures that it knows."""

LEAST_PIXELS = 64
"""In width and in height."""


class ShapeNumbers(Struct, frozen=True, array_like=True):
    """A shape as it travels and is kept: the normal chain code of its outline, and the numbers of outline and area."""

    code: list[int]
    outline: list[float]
    area: list[float]


class PictureExample(Struct, frozen=True, array_like=True):
    """A picture whose class is known: its shape and that of some altered copies, and how far other altered copies were
    from the nearest of these. `source` is the file or URL it came from."""

    source: str
    shapes: list[ShapeNumbers]
    near: list[float]


class PictureClass(Struct, frozen=True, array_like=True):
    """`name` is one word: the labels of pictures are searched for it."""

    name: str
    examples: list[PictureExample]


class LabelSays(StrEnum):
    """MATCHES raises the score of a page that shows the picture, CONTRADICTS lowers it."""

    MATCHES = "matches"
    CONTRADICTS = "contradicts"
    NOTHING = "nothing"


class PictureSeen(Struct, frozen=True, array_like=True):
    """A picture of a page as it was looked at. `called` are the classes that the page calls it by, `shaped` is the one
    whose shape it has, "" where it has that of none; `fault` is why its shape could not be seen, with `broken`
    since it is no whole picture."""

    url: Url
    called: tuple[str, ...]
    shaped: str
    says: LabelSays
    fault: str = ""
    broken: bool = False

    def words(self) -> str:
        """For a person to read."""
        called = f"called {' and '.join(self.called)}" if self.called else "called nothing that is known"
        if self.fault:
            return f"{self.url} is {called}; its shape cannot be seen: {self.fault}"
        shaped = f"shaped like a {self.shaped}" if self.shaped else "of no shape that is known"
        return f"{self.url} is {called} and {shaped}"
