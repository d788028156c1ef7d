"""The elements of a page in order, with depth and class."""

from whimbrel.parse.outline import outline
from whimbrel.parse.tree import tag_sequence

PAGE = b'<title>T</title><div class="a  b">text<p class>1<p>2<b class=c>x</b></div>'


def test_elements_in_order() -> None:
    assert outline(PAGE, "text/html") == [
        (0, "html", ""), (1, "head", ""), (2, "title", ""), (1, "body", ""), (2, "div", "a  b"), (3, "p", ""),
        (3, "p", ""), (4, "b", "c"),
    ]  # fmt: skip
    assert [tag for _, tag, _ in outline(PAGE, "text/html")] == tag_sequence(PAGE, "text/html")


def test_down_to_a_depth() -> None:
    assert [tag for _, tag, _ in outline(PAGE, "text/html", 2)] == ["html", "head", "title", "body", "div"]


def test_no_markup_no_elements() -> None:
    assert outline(PAGE, "text/plain") == []
