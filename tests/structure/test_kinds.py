"""A site's kinds, found by themselves, and an index that answers as a comparison with all would."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from structure_site import MAIN, pages

from whimbrel.structure.index import Index
from whimbrel.structure.shape import Shape
from whimbrel.structure.templates import Kinds, kinds_among, kinds_shown
from whimbrel.structure.weights import Weights

PATHS = st.frozensets(st.integers(0, 40), min_size=1, max_size=12)


def test_the_kinds_of_a_site_are_found() -> None:
    made = pages(each=30)
    kinds = kinds_among([shape for _, shape in made], Weights([shape.paths for _, shape in made]))
    found = Counter((kind, kinds.nearest(shape).kind) for kind, shape in made)
    assert len(kinds) == len(MAIN)
    assert len(found) == len(MAIN), "every kind of the site is one kind of ours"
    assert set(found.values()) == {30}


def test_a_page_of_no_known_kind_makes_a_new_one() -> None:
    made = dict(pages(each=1))
    kinds = Kinds(Weights([shape.paths for shape in made.values()]))
    first = kinds.place(made["article"])
    assert kinds.place(made["article"]).kind == first.kind
    assert kinds.place(made["list"]).kind != first.kind
    assert len(kinds) == 2


def test_kinds_that_are_all_given_are_told_apart() -> None:
    examples = {kind: [shape for own, shape in pages(each=3, seed=2) if own == kind] for kind in MAIN}
    kinds = kinds_shown(examples.values(), [shape for _, shape in pages(each=20, seed=3)])
    names = [*examples]
    assert all(names[kinds.nearest(shape).kind or 0] == kind for kind, shape in pages(each=20, seed=4))


def test_what_a_page_lacks_counts_where_most_have_it() -> None:
    """Nine of ten pages have the path 16. It weighs more than the path 33 that all have, and less than a rare one."""
    weights = Weights([frozenset({16, 33}) if page else frozenset({33}) for page in range(10)])
    assert weights[33] < weights[16] < weights[48]


def test_nothing_is_nearest_where_nothing_is_shared() -> None:
    kinds = Kinds(Weights([]))
    assert kinds.nearest(Shape(frozenset({16, 33}), ())).kind is None


def test_where_paths_leave_two_kinds_equal_the_trees_decide() -> None:
    kinds = Kinds(Weights([]))
    paths = frozenset({16, 33, 50, 66})
    skeletons = [((0, "html", ""), (1, tag, "")) for tag in ("p", "div")]
    for skeleton in skeletons:
        kinds.new_kind(Shape(paths, skeleton))
    answers = [kinds.nearest(Shape(paths, skeleton)) for skeleton in skeletons]
    assert [answer.kind for answer in answers] == [0, 1]
    assert all(answer.by_tree for answer in answers)


@given(st.lists(st.lists(PATHS, min_size=1, max_size=4), max_size=12), PATHS, st.lists(PATHS, max_size=6))
@settings(max_examples=200)
def test_the_index_answers_as_a_comparison_with_all(
    groups: list[list[frozenset[int]]], asked: frozenset[int], background: list[frozenset[int]]
) -> None:
    index = Index(Weights(background))
    for first, *others in groups:
        group = index.new_group(first)
        for other in others:
            index.add(group, other)
    assert index.nearest(asked) == index.against_all(asked)


@given(PATHS, PATHS, st.lists(PATHS, max_size=6))
@settings(max_examples=100)
def test_likeness_of_paths_is_symmetric(a: frozenset[int], b: frozenset[int], background: list[frozenset[int]]) -> None:
    weights = Weights(background)
    assert abs(weights.similarity(a, b) - weights.similarity(b, a)) < 1e-12
    assert 0.0 <= weights.similarity(a, b) <= 1.0 + 1e-12
    assert weights.similarity(a, a) == 1.0
