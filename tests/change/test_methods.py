"""The paper's four methods, with the examples whose numbers were checked."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.change.checksum import checksum, checksum_of, importance
from whimbrel.change.fingerprint import Fingerprint, fingerprint
from whimbrel.change.rms import rms, rms_of
from whimbrel.change.tree import compare
from whimbrel.parse.tree import Node, tag_sequence, tree

DOG = "The quick brown fox jumps over the lazy dog"
COG = "The quick brown fox jumps over the lazy cog"


def node(tag: str, *children: Node) -> Node:
    return Node(tag, children)


BEFORE = node(
    "html",
    node("head", node("title")),
    node(
        "body",
        node("center", node("h1")),
        node("center", node("b"), node("br")),
        node("center"),
        node("center", node("h3")),
        node("p", node("br"), node("br"), node("center", node("b"))),
        node("h2"),
    ),
)
AFTER = node(
    "html",
    node("head", node("title")),
    node(
        "body",
        node("center", node("h1")),
        node("center", node("b"), node("br")),
        node("center"),
        node("center", node("b")),
        node("center", node("h3")),
        node("p"),
        node("h2"),
    ),
)


def test_the_papers_tree() -> None:
    change = compare(BEFORE, AFTER)
    assert (change.before, change.after) == ((1, 2, 7, 7, 1), (1, 2, 8, 5, 0))
    assert (change.levels, change.degree) == ((3, 4, 5), "major")


def test_only_leaves_are_a_minor_change() -> None:
    change = compare(node("html", node("body", node("p"))), node("html", node("body", node("p"), node("p"))))
    assert (change.degree, change.levels) == ("minor", (3,))


def test_a_node_that_gained_a_child_is_still_there() -> None:
    change = compare(node("body", node("ul", node("li"))), node("body", node("ul", node("li"), node("li"))))
    assert (change.degree, change.levels) == ("minor", (3,))


def test_a_deep_page_is_compared() -> None:
    deep = tree(b"<div>" * 400 + b"x", "text/html")
    deeper = tree(b"<div>" * 401 + b"x", "text/html")
    change = compare(deep, deeper)
    assert (change.degree, change.levels) == ("minor", (403,))


@given(st.recursive(st.builds(node, st.sampled_from("abc")), lambda inner: st.builds(node, st.just("d"), inner, inner)))
@settings(max_examples=50)
def test_a_tree_does_not_differ_from_itself(root: Node) -> None:
    assert compare(root, root).degree == "none"
    assert compare(node("x", root), node("x", root, root)).degree != "none"


def test_the_papers_fingerprint() -> None:
    assert fingerprint(["html", "head", "title", "body"]) == Fingerprint("hhtb", "ldey")
    assert fingerprint(tag_sequence(b"<title>T</title>", "text/html")) == Fingerprint("hhtb", "ldey")


@given(st.lists(st.text("abcdeh1", min_size=1, max_size=5)))
def test_both_strings_are_of_equal_length(tags: list[str]) -> None:
    made = fingerprint(tags)
    assert len(made.first) == len(made.last) == len(tags)


def test_the_papers_root_mean_square() -> None:
    assert (round(rms(DOG), 3), round(rms(COG), 3)) == (127.329, 129.820)


def test_what_the_root_mean_square_cannot_see() -> None:
    assert rms("dog") == rms("god") == rms(" D o\tG\n")
    assert rms("") == rms(" ") == 0.0


def test_the_root_mean_square_of_page_and_paragraphs() -> None:
    both = rms_of([DOG, COG])
    assert both.paragraphs == (rms(DOG), rms(COG))
    assert both.page == rms(DOG + COG)


def test_the_papers_checksum() -> None:
    assert (round(checksum(DOG, 12), 4), round(checksum(COG, 12), 4)) == (4.5996, 4.5984)


def test_headings_weigh_more() -> None:
    assert importance("h1") == 24
    page = checksum_of([("h1", DOG), ("p", DOG)])
    assert page.paragraphs[0] == pytest.approx(2 * page.paragraphs[1])
    assert page.page == sum(page.paragraphs)
