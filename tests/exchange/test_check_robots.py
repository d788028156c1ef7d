from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.exchange.check_robots import check_robots

ROBOTS = b"User-agent: *\nDisallow: /tmp\nCrawl-delay: 3\nSitemap: https://example.org/s.xml\n"


def line(url: str, body: bytes = ROBOTS) -> dict[str, object]:
    return {"robots_b64": b64encode(body).decode(), "agent": "whimbrel", "url": url}


def test_a_refusal_names_the_line() -> None:
    assert check_robots(line("https://example.org/tmp/x")) == {
        "allowed": False,
        "rule": "Disallow: /tmp (line 2)",
        "crawl_delay": 3.0,
        "sitemaps": ["https://example.org/s.xml"],
    }


def test_where_no_line_speaks_the_rule_is_null() -> None:
    answer = check_robots(line("https://example.org/a"))
    assert (answer["allowed"], answer["rule"]) == (True, None)


@pytest.mark.parametrize(
    ("broken", "word"),
    [
        ({}, "robots_b64"),
        ({"robots_b64": "", "agent": "a"}, "url"),
        ({"robots_b64": "", "agent": 3, "url": "x"}, "agent"),
        ({"robots_b64": "not base64!", "agent": "a", "url": "x"}, "not base64"),
        ({"robots_b64": "YQ", "agent": "a", "url": "x"}, "not base64"),
        ({"robots_b64": "é", "agent": "a", "url": "x"}, "not base64"),
        ([], "not a JSON object"),
    ],
)
def test_a_line_it_cannot_use_is_told_what_to_send(broken: dict[str, object], word: str) -> None:
    error = str(check_robots(broken)["error"])
    assert word in error
    assert 'send {"robots_b64"' in error


@given(st.binary(max_size=100), st.text(max_size=30))
def test_any_bytes_and_any_url_get_an_answer(body: bytes, url: str) -> None:
    assert isinstance(check_robots(line(url, body))["allowed"], bool)
