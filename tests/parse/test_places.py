"""Where links stand, and a page from above."""

from whimbrel.parse import html
from whimbrel.parse.places import LEVELS, read

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
