"""Headings are cut out without parsing, and are those that a parser finds."""

from itertools import islice
from pathlib import Path

import pytest

from whimbrel.parse.document import tree_of
from whimbrel.search.headings import MOST_HEADINGS, headings
from whimbrel.search.words import split

SITES = (
    Path("/usr/share/doc/openjdk-17-jre-headless/api"),
    Path("/usr/share/doc/postgresql-doc-15/html"),
    Path("/usr/share/cppreference/doc/html/en"),
)
PAGES = 60


def parsed(body: bytes) -> str:
    document, _ = tree_of(body, "text/html; charset=utf-8")
    found = document.iter_elements(("h1", "h2", "h3", "h4"))
    return "".join(word for heading in islice(found, MOST_HEADINGS) for word in split(heading.text))


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.parts[4] if "doc" in site.parts[3] else site.parts[3])
def test_they_are_those_that_a_parser_finds(site: Path) -> None:
    if not site.is_dir():
        pytest.skip(f"{site} is not here: install its Debian package")
    pages = sorted(site.rglob("*.html"))
    for page in pages[:: max(1, len(pages) // PAGES)]:
        body = page.read_bytes()[: 1 << 17]
        # Without spaces: to the parser's `text`, a line break inside of a heading parts no words.
        assert "".join(split(headings(body, "utf-8"))) == parsed(body), page


def test_a_tag_that_only_begins_like_a_heading_is_none() -> None:
    assert headings(b"<h1x>no</h1><header>no</header><hr><h2\tid=a>yes</h2>", "utf-8").split() == ["yes"]


def test_an_opening_tag_that_is_missing_or_far_away_ends_nothing() -> None:
    assert headings(b"</h1><h2>" + b"x " * 3_000 + b"</h2><h3>near</h3>", "utf-8").split() == ["near"]


def test_one_that_is_never_closed_takes_no_other_with_it() -> None:
    assert headings(b"<h2>open<p>text</p><h3>closed</h3><h1>" + b"<b>x</b>" * 500 + b"</h1>", "") == "closed"


def test_an_unknown_character_set_is_read_as_utf_8() -> None:
    assert headings("<h1>Möwe</h1>".encode(), "no-such-charset") == "Möwe"
