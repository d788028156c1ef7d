"""Shapes: what counts for the kind of a page and what does not."""

from whimbrel.records.outline import Step
from whimbrel.structure.shape import DEEPEST, FEWEST_PATHS, WORDS, Shape, Shaper, depth_of, signature

PAGE: list[Step] = [(0, "html", ""), (1, "body", ""), (2, "div", "post main"), (3, "p", ""), (3, "p", "")]


def shape(steps: list[Step]) -> Shape:
    return Shaper().shape(steps)


def test_how_often_something_is_repeated_does_not_count() -> None:
    assert shape(PAGE) == shape([*PAGE, (3, "p", ""), (3, "p", "")]) == shape(PAGE[:-1])
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


def test_a_part_is_the_same_wherever_it_stands() -> None:
    inner: list[Step] = [(0, "ul", "items"), (1, "li", ""), (2, "a", "")]

    def inside(depth: int) -> Shape:
        around: list[Step] = [(at, "div", f"wrap-{'abcdefgh'[at]}") for at in range(depth)]
        return shape([*around, *((depth + at, tag, classes) for at, tag, classes in inner)])

    shallow, deep = inside(2), inside(5)
    assert not {path for path in shallow.paths if depth_of(path) == 4} & deep.paths
    assert len(shallow.parts & deep.parts) == 3, "two of the wraps, and what stands in them"


def test_nothing_to_compare() -> None:
    assert shape([]).is_empty
    assert shape(PAGE[:2]).is_empty
    assert shape([*PAGE[:2], *[(2, "p", "")] * 9]).is_empty
    assert len(shape(PAGE).elements) == FEWEST_PATHS
    assert not shape(PAGE).is_empty


def said(*headings: str) -> frozenset[int]:
    words: list[Step] = [(3, "#h2", heading) for heading in headings]
    return shape([*PAGE, *words]).paths - shape(PAGE).paths


def test_a_heading_counts_whole_and_by_its_first_word() -> None:
    assert len(said("Header: vector")) == 2
    assert len(said("Header: vector") & said("Header: map")) == 1
    assert said("See also") == said("SEE also:")
    assert said("Part 1") == said("Part 27")
    assert len(said("Example")) == 1
    assert said("§") == frozenset()


def test_headings_of_another_rank_say_something_else() -> None:
    upper = shape([*PAGE, (3, "#h2", "Example")]).paths
    assert upper != shape([*PAGE, (3, "#h3", "Example")]).paths


def test_words_alone_are_no_page() -> None:
    headings: list[Step] = [(2, "#h2", word) for word in ("one", "two", "three", "four", "five")]
    assert {depth_of(path) for path in shape(headings).paths} == {WORDS}
    assert shape([*PAGE[:2], *headings]).is_empty
    assert shape([*PAGE, *headings]).skeleton == shape(PAGE).skeleton
    assert signature(shape([*PAGE, *headings])) == signature(shape(PAGE))
