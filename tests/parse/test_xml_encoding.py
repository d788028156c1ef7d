"""The encoding that an XML declaration names, in pages sent as HTML and as XHTML."""

import pytest

from whimbrel.parse import html

HTML, XHTML = "text/html", "application/xhtml+xml"


def document(encoding: str, *, declared: str, meta: str = "") -> bytes:
    head = f'<meta charset="{meta}"/>' if meta else ""
    text = (
        f'<?xml version="1.0" encoding="{declared}"?>\n<html><head>{head}<title>Привет</title></head><p>мир</p></html>'
    )
    return text.encode(encoding)


@pytest.mark.parametrize(
    ("body", "content_type", "charset"),
    [
        (document("iso8859-5", declared="ISO-8859-5"), HTML, "ISO-8859-5"),
        (document("iso8859-5", declared="ISO-8859-5"), XHTML, "ISO-8859-5"),
        (document("iso8859-5", declared="cyrillic").replace(b'"', b"'"), HTML, "ISO-8859-5"),
        (document("koi8-r", declared="ISO-8859-5", meta="koi8-r"), HTML, "KOI8-R"),  # the page's own word is nearer
        (document("iso8859-5", declared="ISO-8859-5", meta="koi8-r"), XHTML, "ISO-8859-5"),  # to XML it is no word
        (document("koi8-r", declared="ISO-8859-5"), "text/html; charset=koi8-r", "KOI8-R"),
        (document("koi8-r", declared="ISO-8859-5"), "application/xhtml+xml; charset=koi8-r", "KOI8-R"),
        (b"\xef\xbb\xbf" + document("utf-8", declared="ISO-8859-5"), HTML, "UTF-8"),
        (document("utf-8", declared="utf-16"), HTML, "UTF-8"),
        (document("utf-16-le", declared="utf-16"), HTML, "UTF-16LE"),
        (document("utf-16-be", declared="utf-16"), XHTML, "UTF-16BE"),
        (document("utf-8", declared="no-such-thing", meta="utf-8"), HTML, "UTF-8"),
        (document("utf-8", declared="ISO-8859-5").replace(b"<?xml", b"<!-- --><?xml", 1) + "ы".encode() * 99, HTML,
         "UTF-8"),
    ],
)  # fmt: skip
def test_the_declaration_counts_where_the_standard_says_so(body: bytes, content_type: str, charset: str) -> None:
    page = html.read(body, content_type)
    assert page.charset == charset
    assert page.title == "Привет"
    assert "мир" in page.text


def test_a_meta_in_a_comment_is_none() -> None:
    body = document("iso8859-5", declared="ISO-8859-5").replace(b"<head>", b"<head><!-- <meta charset=koi8-r> -->")
    assert html.read(body, HTML).title == "Привет"
