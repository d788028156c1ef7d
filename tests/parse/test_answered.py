"""What search endpoints answer."""

import pytest

from whimbrel.parse.answered import pages_answered
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict

ASKED = Url("https://search.example/api?q=x")
A, B = "https://a.example/1", "https://b.example/2"


@pytest.mark.parametrize(
    "body",
    [
        f'[{{"url": "{A}"}}, {{"url": "{B}"}}, {{"url": "{A}"}}]',
        f'{{"ads": [{{"url": "https://ad.example/"}}], "web": {{"results": [{{"link": "{A}"}}, {{"href": "{B}"}}]}}}}',
        f'{{"items": [{{"link": "{A}"}}, {{"link": "javascript:0"}}, 7, {{"link": null}}, {{"link": "{B}"}}]}}',
        f"<rss version='2.0'><channel><link>https://search.example/</link><item><link>{A}</link></item>"
        f"<item><link>{B}</link></item></channel></rss>",
        f"<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='{A}'/></entry>"
        f"<entry><link href='{B}'/></entry></feed>",
    ],
)
def test_pages_in_their_order(body: str) -> None:
    assert pages_answered(body.encode(), ASKED, 1.8e9) == [A, B]


@pytest.mark.parametrize("body", [b"", b"<!doctype html><p>a", b"sorry", b'{"results": [', b"[" * 100_000, b"<rss"])
def test_what_is_no_answer_is_said(body: bytes) -> None:
    assert isinstance(pages_answered(body, ASKED, 1.8e9), Verdict)


def test_an_answer_without_results_has_none() -> None:
    assert pages_answered(b'{"results": []}', ASKED, 1.8e9) == []
