"""Where links stand, and a page from above."""

import pytest

from whimbrel.parse import html
from whimbrel.parse.places import LEVELS, read
from whimbrel.records.page import BEGINNING

PAGE = b"""<html><body class=x><main class="wide dark"><ul class=menu><li><a href=/a>one <b>two</b></a><li>
<a class=on href=/b>three</a></ul><p><a href=#top>up</a></main><a href=/c>bare</a></body></html>"""


def shown(page: bytes) -> dict[str, tuple[str, str]]:
    made = read(page, "text/html", 9)[1]
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


def test_what_a_link_stands_for_shows_near_around_it_and_within_it() -> None:
    page = b"""<main><section><ul class=api><li><a class=ref href=/c>the <code class="x cls"><b>C</b><i>!</i></code></a>
<li><a href=/d>d</a></ul></section><a href=/e><img></a></main><a href=/f>f</a>"""
    made = read(page, "text/html", 9)[1]
    assert {href: made.standing(element) for href, element in made.links} == {
        "/c": "ul.api>li>a.ref>>code.x cls>b",
        "/d": "ul.api>li>a>",
        "/e": "main>a>>img",
        "/f": "a>",
    }


def test_plain_text_has_neither() -> None:
    page, made = read(b"<a href=/x>", "text/plain", 9)
    assert page == html.read(b"<a href=/x>", "text/plain")
    assert (made.steps, made.links) == ([], [])


def test_the_page_is_read_as_ever() -> None:
    markup = b"<title>T</title><script>a</script><p>x<noscript><a href=/n>n</a></noscript><template><a href=/t>"
    page, made = read(markup, "text/html", 9, assets=True)
    assert page == html.read(markup, "text/html", assets=True)
    assert "script" in [tag for _, tag, _ in made.steps]


@pytest.mark.parametrize("paragraphs", [0, 1, 399, 400, 401, 3_000])
def test_a_page_that_was_begun_and_read_on_is_the_same_page(paragraphs: int) -> None:
    written = "".join(
        f"<h2 id=h{at}>Part {at}</h2><p>tide <b>and</b> ebb {at}<script>no</script></p>" for at in range(paragraphs)
    )
    markup = f"<title>T</title><body>{written}<template><h3>no</h3></template><p>Last updated 3 May 2021".encode()
    whole = html.read(markup, "text/html")
    begun, made = read(markup, "text/html", 0, begins=True)
    assert whole.text.startswith(begun.text)
    assert len(begun.text) >= min(BEGINNING, len(whole.text))
    assert made.read_on(begun) == whole


def test_of_a_long_page_that_is_only_begun_most_text_is_left() -> None:
    markup = b"<p>tide and ebb" * 20_000
    assert len(read(markup, "text/html", 0, begins=True)[0].text) < 2 * BEGINNING
    page, made = read(b"plain words", "text/plain", 0, begins=True)
    assert made.read_on(page) == html.read(b"plain words", "text/plain")
