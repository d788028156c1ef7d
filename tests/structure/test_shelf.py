"""The shelf: bounded, rare structures stay longest, and what is asked for is taken down."""

from hypothesis import given, settings
from hypothesis import strategies as st
from structure_site import pages

from whimbrel.structure.shape import Shape
from whimbrel.structure.shelf import Shelf


def shape(kind: str) -> Shape:
    return next(made for own, made in pages(each=1) if own == kind)


def test_the_commonest_structure_goes_first_and_its_oldest_page() -> None:
    shelf: Shelf[str] = Shelf(most_pages=4)
    for key, kind in enumerate(["profile", "article", "article", "article", "article"]):
        assert shelf.put(key, shape(kind), kind, 100)
    assert [key in shelf for key in range(5)] == [True, False, True, True, True]
    assert (len(shelf), shelf.structures, shelf.dropped) == (4, 2, 1)


def test_what_matches_is_taken_down_rare_structures_first() -> None:
    shelf: Shelf[str] = Shelf()
    for key, kind in enumerate(["article", "article", "profile", "list"]):
        shelf.put(key, shape(kind), kind, 100)
    wanted = {shape("article"), shape("profile")}
    assert [page.kept for page in shelf.search(wanted.__contains__)] == ["profile", "article", "article"]
    assert len(shelf) == 1
    assert list(shelf.search(wanted.__contains__)) == []


def test_what_has_no_structure_or_is_too_large_is_not_kept() -> None:
    shelf: Shelf[None] = Shelf(most_bytes=10_000)
    assert not shelf.put(1, Shape(frozenset(), ()), None, 10)
    assert not shelf.put(2, shape("list"), None, 20_000)
    assert len(shelf) == shelf.size == 0


def test_a_page_put_again_replaces_its_copy() -> None:
    shelf: Shelf[str] = Shelf()
    shelf.put(1, shape("list"), "old", 100)
    shelf.put(1, shape("article"), "new", 100)
    taken = shelf.take(1)
    assert taken is not None
    assert taken.kept == "new"
    assert shelf.take(1) is None
    assert shelf.size == 0


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["article", "list", "profile"]), st.integers(0, 4_000))))
@settings(max_examples=60, deadline=None)
def test_neither_bound_is_ever_passed(puts: list[tuple[int, str, int]]) -> None:
    shelf: Shelf[str] = Shelf(most_pages=5, most_bytes=9_000)
    for key, kind, size in puts:
        shelf.put(key, shape(kind), kind, size)
        assert len(shelf) <= 5
        assert 0 <= shelf.size <= 9_000
