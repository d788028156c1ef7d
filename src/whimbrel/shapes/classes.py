"""Classes of shapes, learned from pictures whose class is known, and whether a picture's label says what it shows.

A picture is of the class of the example that it is nearest to. How near is near enough is learned: a picture that is
farther from every example than altered copies of examples are, as a rule, says nothing.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import mean, pstdev
from typing import NamedTuple

from msgspec import Struct

from whimbrel.records.picturing import LabelSays, PictureClass
from whimbrel.shapes.shape import PictureShape, by_numbers, from_numbers

Apart = Callable[[PictureShape, PictureShape], float]

CLEARLY = 0.7
"""The nearest example of another class contradicts a label when it is at most so far as the nearest of the label's."""
_WITHIN = 0.99
"""Of the altered copies."""
_FEW, _DEVIATIONS = 100, 3.0
_WORD = re.compile(r"[^\W\d_]+")


class Likeness(NamedTuple):
    """The nearest class, how far its nearest example is, and how far that of each class is."""

    name: str
    apart: float
    each: Mapping[str, float]


class ShapeClasses(Struct):
    """Examples by class; `reach` is how far a picture may be from an example to be told by it."""

    examples: dict[str, list[PictureShape]]
    reach: float
    apart: Apart = by_numbers

    def nearest(self, shape: PictureShape) -> Likeness:
        each = {
            name: min(self.apart(shape, one) for one in examples)
            for name, examples in self.examples.items()
            if examples
        }
        name = min(each, key=lambda one: each[one])
        return Likeness(name, each[name], each)

    def told(self, shape: PictureShape) -> str:
        """The class whose shape it is; "" where no example is near."""
        found = self.nearest(shape)
        return found.name if found.apart <= self.reach else ""

    def says(self, label: str, shape: PictureShape) -> LabelSays:
        """`label` is all that the page calls the picture: alt, title, name, file name, caption."""
        named = classes_named(label, self.examples)
        if not named or not self.examples:
            return LabelSays.NOTHING
        found = self.nearest(shape)
        if found.apart > self.reach:
            return LabelSays.NOTHING
        if found.name in named:
            return LabelSays.MATCHES
        nearest_named = min(found.each.get(name, float("inf")) for name in named)
        return LabelSays.CONTRADICTS if found.apart <= CLEARLY * nearest_named else LabelSays.NOTHING


def classes_of(kept: Sequence[PictureClass]) -> ShapeClasses:
    """The classes that a folder keeps, ready to tell pictures by."""
    examples = {one.name: [from_numbers(shape) for example in one.examples for shape in example.shapes] for one in kept}
    return learned(examples, (far for one in kept for example in one.examples for far in example.near))


def learned(
    examples: Mapping[str, Iterable[PictureShape]], copies: Iterable[float], apart: Apart = by_numbers
) -> ShapeClasses:
    """`copies` are distances between pictures and altered copies of them: what lies within them is near."""
    return ShapeClasses({name: list(shapes) for name, shapes in examples.items()}, _reach(sorted(copies)), apart)


def _reach(distances: Sequence[float]) -> float:
    """The farthest of a few says too little of what others may be: then it is told by how they spread."""
    if not distances:
        return float("inf")
    if len(distances) < _FEW:
        return mean(distances) + _DEVIATIONS * pstdev(distances)
    return distances[min(len(distances) - 1, int(_WITHIN * len(distances)))]


def classes_named(label: str, names: Iterable[str]) -> set[str]:
    """The classes whose names are among the words of a label, also in the plural."""
    words = {word.lower() for word in _WORD.findall(label)}
    return {name for name in names if name in words or f"{name}s" in words}


def class_name(text: str) -> str:
    """As labels are searched for it; "" where it is not one word."""
    name = text.strip().lower()
    return name if _WORD.fullmatch(name) else ""
