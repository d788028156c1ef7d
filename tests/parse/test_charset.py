"""Byte order mark, content type, meta, guess: in this order."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.parse.charset import canonical, decode, label
from whimbrel.parse.html import read

UMLAUT = "<meta charset=koi8-r><p>Grüße"


@pytest.mark.parametrize(
    ("content_type", "name"),
    [
        ("text/html; charset=utf-8", "utf-8"),
        ('text/html;x=y; Charset = "latin1"', "latin1"),
        ("text/html; charset='big5'", "big5"),
        ("text/html; charset=nonsense", None),
        ("text/html; charset=utf-7", None),
        ("text/html; charset=", None),
        ("text/html", None),
        ("", None),
    ],
)
def test_label_of_a_content_type(content_type: str, name: str | None) -> None:
    assert label(content_type) == name


def test_the_mark_wins_over_the_content_type() -> None:
    page = read(b"\xef\xbb\xbf" + UMLAUT.encode(), "text/html; charset=koi8-r")
    assert (page.text, page.charset) == ("Grüße", "UTF-8")
    page = read(UMLAUT.encode("utf-16"), "text/html; charset=koi8-r")
    assert (page.text, page.charset) == ("Grüße", "UTF-16LE")


def test_the_content_type_wins_over_the_meta() -> None:
    page = read(UMLAUT.encode(), "text/html; charset=UTF8")
    assert (page.text, page.charset) == ("Grüße", "UTF-8")
    assert read("Grüße".encode("latin-1"), "text/html; charset=iso-8859-1").charset == "windows-1252"


def test_the_meta_wins_over_a_guess() -> None:
    page = read(
        "<meta http-equiv=content-type content='text/html; charset=koi8-r'>Привет".encode("koi8-r"), "text/html"
    )
    assert (page.text, page.charset) == ("Привет", "KOI8-R")


def test_without_a_word_it_is_guessed() -> None:
    assert read("<p>Grüße".encode(), "text/html").charset == "UTF-8"
    page = read("<p>Привет мир, как дела сегодня у вас".encode("cp1251"), "text/html")
    assert (page.text[:6], page.charset) == ("Привет", "windows-1251")


def test_a_meta_that_says_utf_16_was_read_as_ascii_and_cannot_be_right() -> None:
    page = read("<meta charset=utf-16><p>Grüße".encode(), "text/html")
    assert (page.text, page.charset) == ("Grüße", "UTF-8")


def test_a_bad_label_is_no_label() -> None:
    page = read("<meta charset=nonsense><p>Grüße".encode(), "text/html; charset=also-nonsense")
    assert (page.text, page.charset) == ("Grüße", "UTF-8")


def test_bad_bytes_are_replaced() -> None:
    assert read(b"<p>a\xffb\xc3", "text/html; charset=utf-8").text == "a\ufffdb\ufffd"


@pytest.mark.parametrize(
    ("body", "content_type", "text", "charset"),
    [
        ("Grüße".encode(), "text/plain", "Grüße", "UTF-8"),
        ("Grüße".encode("latin-1"), "text/plain; charset=latin1", "Grüße", "windows-1252"),
        (b"\xef\xbb\xbfGr\xc3\xbc", "text/plain; charset=latin1", "Grü", "UTF-8"),
        ("Grü".encode("utf-16"), "text/plain", "Grü", "UTF-16LE"),
        (b"a\xff", "text/plain; charset=utf-8", "a\ufffd", "UTF-8"),
        (b"", "text/plain", "", "UTF-8"),
    ],
)
def test_plain_text(body: bytes, content_type: str, text: str, charset: str) -> None:
    assert decode(body, content_type) == (text, charset)


def test_unknown_names_have_no_canonical_spelling() -> None:
    assert canonical("LATIN1") == "windows-1252"
    assert canonical("nonsense") == canonical("") == canonical("a\0b") == ""


@given(st.binary(max_size=200), st.text(max_size=30))
@settings(max_examples=150)
def test_decoding_never_fails(body: bytes, name: str) -> None:
    text, charset = decode(body, f"text/plain; charset={name}")
    assert text.encode()[:0] == b""
    assert canonical(charset) == charset
