"""Classes learned from one example each: altered copies are told, and labels are held against them."""

import numpy as np
import pytest

from whimbrel.records.picturing import LabelSays, PictureClass, PictureExample
from whimbrel.shapes.altering import altered, example_of
from whimbrel.shapes.classes import ShapeClasses, class_name, classes_of
from whimbrel.shapes.segment import Grey
from whimbrel.shapes.shape import shape_of


def chance() -> np.random.Generator:
    return np.random.default_rng(1)


def cross() -> Grey:
    grey = np.full((120, 120), 255, np.uint8)
    grey[50:70, 15:105] = 0
    grey[15:105, 50:70] = 0
    return grey


def bar() -> Grey:
    grey = np.full((120, 120), 255, np.uint8)
    grey[50:70, 15:105] = 0
    return grey


def learned(grey: Grey, source: str) -> PictureExample:
    example = example_of(grey, source, chance())
    assert example is not None
    return example


@pytest.fixture(scope="module")
def classes() -> ShapeClasses:
    return classes_of(
        [PictureClass("cross", [learned(cross(), "cross.png")]), PictureClass("bar", [learned(bar(), "bar.png")])]
    )


@pytest.mark.parametrize("degrees", [5.0, 95.0, 222.0])
@pytest.mark.parametrize("size", [0.65, 1.4])
def test_altered_copies_are_told(classes: ShapeClasses, degrees: float, size: float) -> None:
    for name, grey in {"cross": cross(), "bar": bar()}.items():
        shape = shape_of(altered(grey, degrees, size, np.random.default_rng(int(degrees))))
        assert shape is not None
        assert classes.told(shape) == name
        assert classes.says(f"a {name}", shape) is LabelSays.MATCHES
        other = "bar" if name == "cross" else "cross"
        assert classes.says(f"two {other}s", shape) is LabelSays.CONTRADICTS
        assert classes.says("a tree", shape) is LabelSays.NOTHING


def test_what_is_like_no_example_is_of_no_class(classes: ShapeClasses) -> None:
    disk = np.hypot(*np.mgrid[-60:60, -60:60]) < 40
    shape = shape_of(np.where(disk, 0, 255).astype(np.uint8))
    assert shape is not None
    assert classes.told(shape) == ""
    assert classes.says("a cross", shape) is LabelSays.NOTHING


def test_an_empty_picture_teaches_nothing() -> None:
    assert example_of(np.full((80, 80), 200, np.uint8), "blank.png", chance()) is None


@pytest.mark.parametrize(("text", "name"), [("Cat", "cat"), (" Eule ", "eule"), ("two words", ""), ("x1", "")])
def test_a_name_is_one_word(text: str, name: str) -> None:
    assert class_name(text) == name
