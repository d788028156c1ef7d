"""`check page`: one line in, one line out."""

import json
from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whimbrel.exchange.check_page import check_page


def asked(markup: str, url: str = "https://example.org/d/e.html", **more: object) -> dict[str, object]:
    return check_page({"html_b64": b64encode(markup.encode()).decode(), "url": url, **more})


def test_a_page() -> None:
    answer = asked(
        "<html lang=en-GB><title>A page</title><p>Some words.</p>"
        "<a href='../x?b#c'>x</a><a href=/x?b>again</a><a href=HTTP://Other.example:80>o</a><a href=mailto:a@b>m</a>"
    )
    assert answer == {
        "title": "A page",
        "text": "Some words. x again o m",
        "main_text": answer["main_text"],
        "links": ["https://example.org/x?b", "http://other.example/"],
        "language": "en",
        "charset": "UTF-8",
        "cut": [],
    } | {"charset": answer["charset"]}
    assert "Some words." in str(answer["main_text"])


@pytest.mark.parametrize(
    ("base", "link"),
    [
        ("/b/", "https://example.org/b/x"),
        ("//other.example/c/d", "https://other.example/c/x"),
        ("https://[", "https://example.org/d/x"),
        ("", "https://example.org/d/x"),
    ],
)
def test_links_start_from_the_base(base: str, link: str) -> None:
    assert asked(f"<base href='{base}'><a href=x>x</a>")["links"] == [link]


def test_plain_text_has_no_links() -> None:
    answer = asked("<a href=x>x</a>", content_type="text/plain")
    assert (answer["links"], answer["text"]) == ([], "<a href=x>x</a>")


def test_what_was_cut_is_said() -> None:
    assert asked("<div>" * 100_000)["cut"] == ["nested deeper than 512: 99488 tags left out"]


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"html_b64": "", "url": None},
        {"html_b64": 7, "url": "https://example.org/"},
        {"html_b64": "%%%", "url": "https://example.org/"},
        {"html_b64": "é", "url": "https://example.org/"},
        {"html_b64": "", "url": "example.org"},
        {"html_b64": "", "url": "ftp://example.org/"},
        {"html_b64": "", "url": "https://example.org/", "content_type": 1},
    ],
)
def test_what_cannot_be_used_is_answered_with_what_to_send(line: dict[str, object]) -> None:
    answer = check_page(line)
    assert list(answer) == ["error"]
    assert "send {" in str(answer["error"])


@given(st.binary(max_size=200))
@settings(max_examples=50)
def test_any_bytes_give_an_answer_that_is_json(body: bytes) -> None:
    answer = check_page({"html_b64": b64encode(body).decode(), "url": "https://example.org/"})
    assert json.loads(json.dumps(answer)) == answer
    assert "error" not in answer
