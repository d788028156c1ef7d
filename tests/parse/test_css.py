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
    ],
)
def test_urls(css: str, found: list[str]) -> None:
    assert urls(css) == found


def test_blanks_without_end_are_read_once() -> None:
    assert urls("url(" + " " * 300_000 + "x y)" + "@import " + " " * 300_000 + "url('" * 50_000) == []


@given(st.text("url(@import'\"\\)/* \n;a0", max_size=200))
def test_any_text_gives_addresses_that_can_travel(css: str) -> None:
    found = urls(css)
    assert len(found) == len(set(found))
    assert all(url and url.encode() for url in found)
