"""`check sitemap`: one line in, one line out."""

import json
from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.exchange.check import KINDS, answers
from whimbrel.exchange.check_sitemap import check_sitemap


def asked(body: bytes) -> dict[str, object]:
    return check_sitemap({"body_b64": b64encode(body).decode(), "url": "https://example.org/sitemap.xml"})


def test_what_is_listed_and_what_was_left_out() -> None:
    answer = asked(
        b"<urlset><url><loc>https://example.org/a?b&c</loc><lastmod>2020-01-01</lastmod><changefreq>daily</changefreq>"
        b"<priority>0.5</priority></url><url><loc>https://example.net/</loc></url><url><loc>/b</loc>"
        b"<lastmod>2999-01-01</lastmod></url></urlset>"
    )
    assert answer["kind"] == "urlset"
    assert answer["urls"] == [
        {"url": "https://example.org/a?b&c", "lastmod": 1577836800.0, "changefreq": "daily", "priority": 0.5},
        {"url": "https://example.org/b", "lastmod": None, "changefreq": None, "priority": None},
    ]
    assert answer["foreign"] == [{"url": "https://example.net/", "lastmod": None, "changefreq": None, "priority": None}]
    assert "lastmod in the future" in str(answer["notes"])


def test_what_is_no_sitemap_says_why() -> None:
    answer = asked(b"<html></html>")
    assert answer["error"] == "not a sitemap"
    assert "<html>" in str(answer["reason"])


def test_the_example_is_answered() -> None:
    (answer,) = answers("sitemap", [KINDS["sitemap"].example.encode()])
    assert json.loads(answer)["kind"] == "text"


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"body_b64": "", "url": 7},
        {"body_b64": "", "url": "example.org"},
        {"body_b64": None, "url": "https://example.org/"},
        {"body_b64": "%%%", "url": "https://example.org/"},
    ],
)
def test_what_cannot_be_used_is_answered_with_what_to_send(line: dict[str, object]) -> None:
    answer = check_sitemap(line)
    assert list(answer) == ["error"]
    assert "send {" in str(answer["error"])


@given(st.binary(max_size=200))
@settings(max_examples=50)
def test_any_bytes_give_an_answer_that_is_json(body: bytes) -> None:
    answer = asked(body)
    assert json.loads(json.dumps(answer)) == answer
