"""The nesting of elements, from the kept copy."""

from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.parse.tree import Node, tag_sequence, tree

MARKUP = st.lists(
    st.sampled_from(["<p>", "<div>", "</div>", "<b>", "</b>", "<table>", "<td>", "x", "<svg>", "<br>"]), max_size=60
)


def flat(node: Node) -> list[str]:
    return [node.tag, *(tag for child in node.children for tag in flat(child))]


def test_the_tree_holds_elements_only() -> None:
    body = b"<title>T</title><h1>a</h1>text<!-- c --><ul><li>1<li>2</ul>"
    expected = Node(
        "html",
        (
            Node("head", (Node("title"),)),
            Node("body", (Node("h1"), Node("ul", (Node("li"), Node("li"))))),
        ),
    )
    assert tree(body, "text/html") == expected
    assert tag_sequence(body, "text/html") == ["html", "head", "title", "body", "h1", "ul", "li", "li"]


def test_nothing_to_nest() -> None:
    assert tree(b"", "text/html") == Node("html", (Node("head"), Node("body")))
    assert tree(b"<p>", "text/plain") == Node("")
    assert tag_sequence(b"<p>", "text/plain") == []


def test_a_deep_tree_survives() -> None:
    node, depth = tree(b"<div>" * 3_000, "text/html"), 0
    while node.children:
        node, depth = node.children[-1], depth + 1
    assert depth > 500


@given(MARKUP)
@settings(max_examples=100)
def test_the_tree_flattened_is_the_sequence(parts: list[str]) -> None:
    body = "".join(parts).encode()
    assert flat(tree(body, "text/html")) == tag_sequence(body, "text/html")
