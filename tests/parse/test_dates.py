"""When a page says that it was written, and where its headings can be linked to."""

from datetime import UTC, datetime

import pytest

from whimbrel.parse.html import read

LONG = "<p>" + "words and more words " * 200 + "</p>"


def day(html: str) -> str:
    at = read(f"<!doctype html><html>{html}".encode(), "text/html; charset=utf-8").written_at
    return datetime.fromtimestamp(at, UTC).date().isoformat() if at else ""


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ('<script type="application/ld+json">{"datePublished": "2021-03-04T10:00:00Z"}</script>', "2021-03-04"),
        (
            '<script type="application/ld+json">{"datePublished":"2021-03-04","dateModified":"2022-05-06"}</script>',
            "2022-05-06",
        ),
        ('<meta property="article:published_time" content="2020-01-02T03:04:05+00:00">', "2020-01-02"),
        (
            '<meta name="date" content="2019-01-02"><meta property="article:modified_time" content="2019-02-03">',
            "2019-02-03",
        ),
        ('<p>by me, <time datetime="2018-07-08">last summer</time></p>', "2018-07-08"),
        ('<time datetime="2018-07-08">a</time> <time datetime="2018-07-09">b</time>', ""),
        ("<p><time>2017-01-01</time></p>", "2017-01-01"),
        ("<p><time>12:30</time></p>", ""),
        (f"{LONG}<footer>Last updated on Nov 05, 2024. Created using Sphinx.</footer>", "2024-11-05"),
        (f"<p>Published: 3 May 2021</p>{LONG}", "2021-05-03"),
        (f"<p>Published 3 May 2021. Updated: 2022-06-07</p>{LONG}", "2022-06-07"),
        (f"<p>The war ended on 8 May 1945.</p>{LONG}", ""),
        ('<meta name="date" content="soon">', ""),
        ("<p>nothing</p>", ""),
    ],
)
def test_what_a_page_says_of_its_date(html: str, said: str) -> None:
    assert day(html) == said


def test_headings_are_marked_by_themselves_by_an_anchor_or_by_what_begins_with_them() -> None:
    page = read(
        b"""<main id=m><h1 id=top>One</h1>
        <section id=a><h2>Two</h2><p>text</p><h3>Three</h3></section>
        <div id=b><div><h2>Four</h2></div></div>
        <h2><a name=c></a>Five</h2><h2>Six</h2></main>""",
        "text/html",
    )
    assert page.headings.split("\n") == ["One", "Two", "Three", "Four", "Five", "Six"]
    assert page.marks == ["top", "a", "", "b", "c", ""]
