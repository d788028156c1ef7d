"""Shapes: what counts for the kind of a page and what does not."""

from whimbrel.structure.matching import Step
from whimbrel.structure.shape import DEEPEST, FEWEST_PATHS, Shape, Shaper, depth_of, signature

PAGE: list[Step] = [(0, "html", ""), (1, "body", ""), (2, "div", "post main"), (3, "p", ""), (3, "p", "")]


def shape(steps: list[Step]) -> Shape:
    return Shaper().shape(steps)


def test_that_something_is_repeated_counts_and_how_often_does_not() -> None:
    assert shape(PAGE) == shape([*PAGE, (3, "p", ""), (3, "p", "")])
    assert shape(PAGE) != shape(PAGE[:-1])
    assert shape(PAGE).different == shape(PAGE[:-1]).paths == shape(PAGE[:-1]).different
    assert signature(shape(PAGE)) == signature(shape(PAGE[:-1]))
    assert [step[1] for step in shape(PAGE).skeleton] == ["html", "body", "div", "p"]


def test_classes_count_in_any_order_and_whatever_their_number() -> None:
    def classed(classes: str) -> Shape:
        return shape([*PAGE[:2], (2, "div", classes), *PAGE[3:]])

    assert classed("main  post") == shape(PAGE)
    assert classed("post-17") == classed("post-4")
    assert classed("other") != shape(PAGE)


def test_the_class_of_the_body_names_the_page_and_does_not_count() -> None:
    assert shape([PAGE[0], (1, "body", "page-about"), *PAGE[2:]]) == shape(PAGE)


def test_what_is_deep_inside_does_not_count() -> None:
    chain: list[Step] = [(depth, "div", "") for depth in range(DEEPEST + 1)]
    assert shape([*chain, (DEEPEST + 1, "b", "")]) == shape(chain)
    assert sorted(map(depth_of, shape(chain).paths)) == list(range(DEEPEST + 1))


def test_nothing_to_compare() -> None:
    assert shape([]).is_empty
    assert shape(PAGE[:2]).is_empty
    assert shape([*PAGE[:2], *[(2, "p", "")] * 9]).is_empty
    assert len(shape(PAGE).different) == FEWEST_PATHS
    assert not shape(PAGE).is_empty
