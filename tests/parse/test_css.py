"""Addresses in style sheets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.parse.css import urls


@pytest.mark.parametrize(
    ("css", "found"),
    [
        ("@import 'a.css'; @import url(b.css) print; @IMPORT \"c.css\";", ["a.css", "b.css", "c.css"]),
        ("p{background:url( 'd e.png' )} q{background:URL(f.png)}", ["d e.png", "f.png"]),
        ("p{background:url(a.png)} q{background:url(a.png)}", ["a.png"]),
        ("/* url(no.png) */ p{background:url(a.png)} /* url(never", ["a.png"]),
        (r"p{background:url(a\29 b.png)} q{background:url('c\'d.png')}", ["a)b.png", "c'd.png"]),
        ("p{background:url(data:image/png;base64,AA==)} q{background:url()}", []),
        ("@font-face{src:url(a.woff2) format('woff2'),url(a.woff)}", ["a.woff2", "a.woff"]),
        ("important 'no'; curl x; p{color:red}", []),
        (r"p{background:url('\110000 \0 \d800')}", ["\ufffd\ufffd\ufffd"]),
        (r"p{background:\75 rl(a.png)} q{background:ur\6c('b.png')} @im\70ort 'c.css';", ["a.png", "b.png", "c.css"]),
        (
            "@import/**/'a.css'; @im/**/port 'no.css'; @import x 'no.css'; @import url('b.css') layer(x)",
            ["a.css", "b.css"],
        ),
        (
            "p{background:image-set('a.png' type('image/png') 1x, url(b.png) 2x, src('c.png') 3x)}",
            ["a.png", "b.png", "c.png"],
        ),
        ("@namespace svg url(http://www.w3.org/2000/svg); @namespace 'no'; p{content:'no.png'}", []),
        ("p{background:url(a b.png);c:url(d'e.png);f:1url(no.png);g:url(h.png", ["h.png"]),
        ("p{--x:url(a.png);b:src(var(--x)) unheard-of('no.png')}", ["a.png"]),
        ('p{a:\'\n;b:url(c.png)} q{a:"\\\n";b:url(d.png)}', ["c.png", "d.png"]),
    ],
)
def test_urls(css: str, found: list[str]) -> None:
    assert urls(css) == found


def test_blanks_without_end_are_read_once() -> None:
    assert urls("url(" + " " * 300_000 + "x y)" + "@import " + " " * 300_000 + "url('" * 50_000) == ["url("]


def test_a_bracket_after_another_is_read_once() -> None:
    deep = "image-set(url(" * 40_000 + "src('" * 40_000
    assert urls(deep + "{[(" * 40_000) == []
    assert urls("image-set(" * 40_000 + "'a.png'") == ["a.png"]


@given(st.text("url(@import'\"\\)/* \n;a0", max_size=200))
def test_any_text_gives_addresses_that_can_travel(css: str) -> None:
    found = urls(css)
    assert len(found) == len(set(found))
    assert all(url and url.encode() for url in found)
