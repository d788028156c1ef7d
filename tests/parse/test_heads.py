"""What elements of a page's head may say, told by their names."""

import pytest
from turbohtml import Element, parse

from whimbrel.parse import heads
from whimbrel.parse.heads import LinkSays, MetaSays, link_says, meta_says

NOTHING = MetaSays(False, False, False)


def first(markup: str, tag: str) -> Element:
    found = parse(markup).find(tag)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ("name=viewport", NOTHING),
        ("charset=utf-8", NOTHING),
        ("name=' ROBOTS '", MetaSays(True, False, False)),
        ("name=whimbrel", MetaSays(True, False, False)),
        ("property=robots", NOTHING),
        ("http-equiv=refresh", MetaSays(False, True, False)),
        ("name=Date", MetaSays(False, False, True)),
        ("itemprop=dateModified", MetaSays(False, False, True)),
        ("property=article:published_time name=viewport", MetaSays(False, False, True)),
        ("property=og:title name=date", NOTHING),
        ("property='' name=date", MetaSays(False, False, True)),
    ],
)
def test_a_meta_is_read_for_what_its_names_promise(names: str, says: MetaSays) -> None:
    for _ in range(2):
        assert meta_says(first(f"<meta {names} content=x>", "meta")) == says


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ("rel=stylesheet", LinkSays(False, False)),
        ("", LinkSays(False, False)),
        ("rel='shortlink CANONICAL'", LinkSays(True, False)),
        ("rel=alternate type='application/RSS+xml; charset=utf-8'", LinkSays(False, True)),
        ("rel=feed type=application/atom+xml", LinkSays(False, True)),
        ("rel=alternate type=text/html", LinkSays(False, False)),
        ("type=application/rss+xml", LinkSays(False, False)),
    ],
)
def test_a_link_is_read_for_what_its_names_promise(names: str, says: LinkSays) -> None:
    for _ in range(2):
        assert link_says(first(f"<link {names} href=x>", "link")) == says


def test_what_is_remembered_is_bounded() -> None:
    for number in range(heads.MOST_REMEMBERED + 10):
        meta_says(first(f"<meta name=n{number}>", "meta"))
    assert len(heads._METAS) <= heads.MOST_REMEMBERED
    padded = " " * heads.LONGEST_REMEMBERED + "robots"
    assert meta_says(first(f"<meta name='{padded}'>", "meta")).directives
    assert all(padded not in names for names in heads._METAS)
