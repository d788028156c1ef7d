"""Which kind a document is: the bytes first, then the content type, then the URL."""

import papers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.documents import kind_of
from whimbrel.documents.kinds import NAMES

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@pytest.mark.parametrize(
    ("mime", "url", "start", "kind"),
    [
        ("application/pdf", "", b"", "pdf"),
        ("application/pdf", "", b"\n\njunk %PDF-1.4", "pdf"),
        ("text/html", "http://a.test/", b"%PDF-1.4", "pdf"),
        ("text/html", "http://a.test/x.pdf", b"<!doctype html>", None),
        ("text/html", "http://a.test/", b"<p>%PDF-1.4", None),
        ("application/pdf", "", b"<!doctype html>", "pdf"),
        ("application/octet-stream", "http://a.test/Paper.PDF?x=1.txt", b"", "pdf"),
        ("", "http://a.test/x.docx#top", b"", "docx"),
        ("", "http://a.pdf/x", b"", None),
        ("Text/Plain; charset=utf-8", "http://a.test/x", b"hello", "text"),
        ("text/plain", "http://a.test/x.pptx", b"PK\x03\x04", "pptx"),
        ("application/zip", "http://a.test/x.zip", b"PK\x03\x04", None),
        ("application/zip", "", papers.open_sheet()[:200], "ods"),
        ("application/zip", "", b"PK\x03\x04" + b"-" * 30 + b"word/document.xml", "docx"),
        ("application/msword", "", OLE, "doc"),
        (papers.DOCX, "", OLE, "docx"),
        ("", "", OLE, "doc"),
        ("text/plain", "", b"{\\rtf1", "rtf"),
        ("text/xml", "", b"<?xml version='1.0'?>\n<!-- x -->\n<rss version='2.0'>", "feed"),
        ("application/xml", "", b"<feed xmlns='http://www.w3.org/2005/Atom'>", "feed"),
        ("application/xml", "", b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>", None),
        ("application/rdf+xml", "", b"<rdf:RDF xmlns='http://purl.org/rss/1.0/'>", "feed"),
        ("text/html; charset=utf-8", "http://a.test/index.html", b"<html>", None),
        ("image/png", "http://a.test/a.txt", b"\x89PNG", None),
    ],
)
def test_kind(mime: str, url: str, start: bytes, kind: str | None) -> None:
    assert kind_of(mime, url, start) == kind


@given(st.text(max_size=40), st.text(max_size=40), st.binary(max_size=200))
def test_anything_may_be_asked(mime: str, url: str, start: bytes) -> None:
    assert kind_of(mime, url, start) in (*NAMES, None)
