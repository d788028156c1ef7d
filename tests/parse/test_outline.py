"""The elements of a page in order, with depth and class."""

from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.parse.outline import outline, upper
from whimbrel.parse.tree import tag_sequence
from whimbrel.records.outline import WORDS_MARK

PAGE = b'<title>T</title><div class="a  b">text<p class>1<p>2<b class=c>x</b></div>'


def test_elements_in_order() -> None:
    assert outline(PAGE, "text/html") == [
        (0, "html", ""), (1, "head", ""), (2, "title", ""), (1, "body", ""), (2, "div", "a  b"), (3, "p", ""),
        (3, "p", ""), (4, "b", "c"),
    ]  # fmt: skip
    assert [tag for _, tag, _ in outline(PAGE, "text/html")] == tag_sequence(PAGE, "text/html")


def test_down_to_a_depth() -> None:
    assert [tag for _, tag, _ in upper(PAGE, "text/html", 2)] == ["html", "head", "title", "body", "div"]


def said(markup: bytes) -> list[tuple[str, str]]:
    return [(tag, words) for _, tag, words in upper(markup, "text/html", 9) if tag.startswith(WORDS_MARK)]


def test_headings_say_their_words() -> None:
    page = b"<h1> Title </h1><h3>See <i>also</i></h3><table><caption>Sizes<tr><th>Name<td>x</table><p>See also</p>"
    assert said(page) == [("#h1", "Title"), ("#h3", "See also"), ("#caption", "Sizes"), ("#th", "Name")]


def test_headings_of_the_pages_own_say_nothing() -> None:
    page = b"<h2>impl <a href=/c>Clone</a></h2><h2><code>len</code></h2><h2></h2><h2>" + b"long " * 17 + b"</h2>"
    assert said(page) == []


def test_a_mark_to_link_to_a_heading_is_no_word() -> None:
    assert said("<h2>Fields<a href=#fields>§</a></h2>".encode()) == [("#h2", "Fields§")]


def test_words_are_a_step_below_their_heading() -> None:
    steps = upper(b"<h2>Fields</h2>", "text/html", 2)
    assert steps[-2:] == [(2, "h2", ""), (3, "#h2", "Fields")]


MARKUP = st.lists(st.sampled_from(["<div class='a b'>", "<h2>", "</div>", "<table><tr><td>", "x", "<svg><a>", "<br>"]))


@given(MARKUP, st.integers(0, 9))
@settings(max_examples=100)
def test_the_upper_elements_are_those_of_the_outline(parts: list[str], deepest: int) -> None:
    markup = "".join(parts).encode()
    elements = [step for step in upper(markup, "text/html", deepest) if not step[1].startswith(WORDS_MARK)]
    assert elements == [step for step in outline(markup, "text/html") if step[0] <= deepest]


def test_no_markup_no_elements() -> None:
    assert outline(PAGE, "text/plain") == upper(PAGE, "text/plain", 9) == []
