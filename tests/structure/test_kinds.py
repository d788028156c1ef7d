"""A site's kinds, found by themselves, and an index that answers as a comparison with all would."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from structure_site import MAIN, pages

from whimbrel.structure.ground import Ground
from whimbrel.structure.shape import Shape
from whimbrel.structure.templates import PageKinds, kinds_among, kinds_shown

PATHS = st.frozensets(st.integers(0, 40), min_size=4, max_size=12)
TREE = ((0, "html", ""),)


def test_the_kinds_of_a_site_are_found() -> None:
    made = pages(each=30)
    kinds = kinds_among(Ground([shape for _, shape in made]))
    found = Counter((kind, kinds.nearest(shape).kind) for kind, shape in made)
    assert len(kinds) == len(MAIN)
    assert len(found) == len(MAIN), "every kind of the site is one kind of ours"
    assert set(found.values()) == {30}


def test_a_page_of_no_known_kind_makes_a_new_one() -> None:
    made = dict(pages(each=1))
    kinds = PageKinds(Ground([shape for _, shape in pages(each=5, seed=2)]))
    first = kinds.place(made["article"])
    assert kinds.place(made["article"]).kind == first.kind
    assert kinds.place(made["list"]).kind != first.kind
    assert len(kinds) == 2


def test_kinds_that_are_all_given_are_told_apart() -> None:
    examples = {kind: [shape for own, shape in pages(each=3, seed=2) if own == kind] for kind in MAIN}
    kinds = kinds_shown(examples.values(), Ground([shape for _, shape in pages(each=20, seed=3)]))
    names = [*examples]
    assert all(names[kinds.nearest(shape).kind or 0] == kind for kind, shape in pages(each=20, seed=4))


def test_nothing_is_nearest_where_nothing_is_shared() -> None:
    kinds = PageKinds(Ground([]))
    assert kinds.nearest(Shape(frozenset({16, 33}), ())).kind is None


def test_where_blocks_leave_two_kinds_equal_the_trees_decide() -> None:
    paths = frozenset({16, 33, 50, 66})
    pages = [Shape(paths, ((0, "html", ""), (1, tag, ""))) for tag in ("p", "div")]
    kinds = PageKinds(Ground(pages))
    for page in pages:
        kinds.new_kind(page)
    answers = [kinds.nearest(page) for page in pages]
    assert [answer.kind for answer in answers] == [0, 1]
    assert all(answer.by_tree for answer in answers)


@given(st.lists(PATHS, min_size=1, max_size=12), PATHS)
@settings(max_examples=200)
def test_the_index_answers_as_a_comparison_with_all(pages: list[frozenset[int]], asked: frozenset[int]) -> None:
    shapes = [Shape(paths, TREE) for paths in pages]
    kinds = PageKinds(Ground(shapes))
    for shape in shapes:
        kinds.new_kind(shape)
    assert kinds.nearest(Shape(asked, TREE)) == kinds.nearest_of_all(Shape(asked, TREE))
