"""Shapes: what does not depend on size, place and rotation, and what a label may say."""

from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from whimbrel.shapes import outline, segment
from whimbrel.shapes.classes import LabelSays, classes_named, learned
from whimbrel.shapes.descriptors import zernike
from whimbrel.shapes.hashing import bits_apart, looks_alike, perceptual_hash
from whimbrel.shapes.shape import PictureShape, by_code, by_numbers, shape_of

Greys = NDArray[np.uint8]


def star(points: int, side: int = 120, turned: float = 0.0, inner: float = 0.45, scale: float = 0.45) -> Greys:
    """A dark star on white."""
    y, x = np.mgrid[:side, :side] - (side - 1) / 2
    angle = (np.arctan2(y, x) - turned) % (2 * pi / points) / (2 * pi / points)
    reach = scale * side * (inner + (1 - inner) * np.abs(2 * angle - 1))
    return np.where(np.hypot(x, y) <= reach, 20, 250).astype(np.uint8)


def shaped(grey: Greys) -> PictureShape:
    shape = shape_of(grey)
    assert shape is not None
    return shape


def test_a_square_is_walked_once_around() -> None:
    mask = np.zeros((6, 6), np.bool_)
    mask[1:4, 1:5] = True
    steps = outline.traced(mask)
    assert sorted(set(steps)) == [0, 2, 4, 6]
    assert len(steps) == 10
    assert np.abs(outline.points(steps)[-1]).max() == 0, "it ends where it began"


def test_one_pixel_and_none_have_no_outline() -> None:
    assert outline.traced(np.zeros((3, 3), np.bool_)) == []
    assert outline.traced(np.eye(1, dtype=np.bool_)) == []


@given(st.lists(st.integers(0, 7), min_size=2, max_size=24), st.integers(0, 7), st.integers(0, 23))
def test_a_normal_code_knows_neither_start_nor_rotation(code: list[int], turn: int, start: int) -> None:
    plain = np.array(code)
    other = np.roll((plain + turn) % 8, start)
    assert outline.normal(plain).tolist() == outline.normal(other).tolist()
    assert outline.apart(outline.normal(plain), outline.normal(other)) == 0.0


@given(st.lists(st.booleans(), min_size=64, max_size=64))
def test_opening_takes_away_and_closing_adds(bits: list[bool]) -> None:
    mask = np.pad(np.array(bits).reshape(8, 8), 2)
    opened, closed = segment.opened(mask), segment.closed(mask)
    assert not (opened & ~mask).any()
    assert not (mask & ~closed).any()
    assert (segment.opened(opened) == opened).all()
    assert (segment.closed(closed) == closed).all()
    assert segment.largest(mask).sum() <= mask.sum()


def test_the_largest_piece_counts_and_what_it_surrounds() -> None:
    mask = np.zeros((9, 9), np.bool_)
    mask[1:6, 1:6] = True
    mask[3, 3] = False
    mask[7:, 7:] = True
    assert segment.largest(mask).sum() == 24
    assert segment.filled(mask)[3, 3]


@pytest.mark.parametrize("points", [3, 5, 7])
def test_size_and_rotation_do_not_matter_and_the_shape_does(points: int) -> None:
    one = shaped(star(points))
    copy = shaped(star(points, side=200, turned=0.7, scale=0.35))
    others = [shaped(star(other)) for other in (3, 5, 7) if other != points]
    assert all(by_numbers(one, copy) < by_numbers(one, other) for other in others)
    assert by_code(one, one) == 0.0


def test_moments_of_a_disc_are_those_of_any_disc() -> None:
    def disc(side: int) -> NDArray[np.bool_]:
        y, x = np.mgrid[:side, :side] - (side - 1) / 2
        return np.hypot(x, y) <= side * 0.45

    assert np.abs(zernike(disc(60)) - zernike(disc(140))).max() < 0.05


@pytest.mark.parametrize(
    "grey", [np.full((50, 50), 200, np.uint8), np.zeros((1, 9), np.uint8), np.zeros((4, 4), np.uint8)]
)
def test_where_nothing_is_seen_nothing_is_told(grey: Greys) -> None:
    assert shape_of(grey) is None


def test_a_label_matches_contradicts_or_says_nothing() -> None:
    examples = {"triangle": [shaped(star(3))], "star": [shaped(star(7))]}
    classes = learned(examples, [0.05, 0.3])
    shown = shaped(star(3, side=150, turned=0.4))
    assert classes.nearest(shown).name == "triangle"
    assert classes.says("A triangle, drawn by hand", shown) is LabelSays.MATCHES
    assert classes.says("star_01.png", shown) is LabelSays.CONTRADICTS
    assert classes.says("our logo", shown) is LabelSays.NOTHING
    blot = shaped(star(4, inner=0.9))
    assert learned(examples, [1e-6]).says("star", blot) is LabelSays.NOTHING, "no example is near enough"


def test_a_class_is_named_by_a_word_and_not_by_a_part_of_one() -> None:
    assert classes_named("two-cats_and a catalogue.png", ["cat", "dog"]) == {"cat"}
    assert classes_named("catalogue", ["cat"]) == set()


def test_the_hash_stays_near_when_a_picture_is_resized_and_moves_away_for_another() -> None:
    noise = np.random.default_rng(3)
    base = noise.integers(0, 255, (16, 16)).astype(np.uint8)
    large, larger = np.kron(base, np.ones((8, 8), np.uint8)), np.kron(base, np.ones((13, 13), np.uint8))
    other = np.kron(noise.integers(0, 255, (16, 16)).astype(np.uint8), np.ones((8, 8), np.uint8))
    assert looks_alike(perceptual_hash(large), perceptual_hash(larger))
    assert not looks_alike(perceptual_hash(large), perceptual_hash(other))
    assert bits_apart(0b1011, 0b1000) == 2
