"""Where links stand, and a page from above."""

from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.parse.document import tree_of
from whimbrel.parse.outline import outline_of
from whimbrel.parse.places import LEVELS, plan, upper

PAGE = b"""<html><body class=x><main class="wide dark"><ul class=menu><li><a href=/a>one <b>two</b></a><li>
<a class=on href=/b>three</a></ul><p><a href=#top>up</a></main><a href=/c>bare</a></body></html>"""


def shown(page: bytes) -> dict[str, tuple[str, str]]:
    made = plan(page, "text/html", 9)
    return {href: made.shown(element) for href, element in made.links}


def test_a_link_shows_its_words_and_the_elements_around_it() -> None:
    assert shown(PAGE) == {
        "/a": ("one two", "main.wide dark>ul.menu>li>a"),
        "/b": ("three", "main.wide dark>ul.menu>li>a.on"),
        "/c": ("bare", "a"),
    }


def test_only_the_nearest_elements_are_told() -> None:
    deep = b"".join(b"<div class=d%d>" % level for level in range(20)) + b"<a href=/x>x</a><i><a href=/y>y</a></i>"
    around = [f"div.d{level}" for level in range(20)]
    assert shown(deep)["/x"][1] == ">".join([*around[1 - LEVELS :], "a"])
    assert shown(deep)["/y"][1] == ">".join([*around[2 - LEVELS :], "i", "a"])


def test_plain_text_has_neither() -> None:
    made = plan(b"<a href=/x>", "text/plain", 9)
    assert (made.steps, made.links) == ([], [])


MARKUP = st.lists(st.sampled_from(["<div class='a b'>", "<p>", "</div>", "<table><tr><td>", "x", "<svg><a>", "<br>"]))


@given(MARKUP, st.integers(0, 9))
@settings(max_examples=100, deadline=None)
def test_the_upper_elements_are_those_of_the_outline(parts: list[str], deepest: int) -> None:
    document = tree_of("".join(parts).encode(), "text/html")[0]
    assert upper(document, deepest) == outline_of(document, deepest)
