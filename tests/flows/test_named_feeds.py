"""Feeds that pages name lead to pages that no link leads to; the feed of one page's remarks is not asked for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import folders
from folders import refreshed, rows
from whimbrel.repository.engines import open_reader
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb


def page(path: str, *links: str, feeds: tuple[str, ...] = ()) -> str:
    named = "".join(f'<link rel="alternate" type="application/rss+xml" href="{feed}">' for feed in feeds)
    anchors = "".join(f'<a href="{link}">{link}</a>' for link in links)
    return f"<title>{path}</title>{named}<p>What {path} says is said on no other page of this site.</p>{anchors}"


def feed(web: TinyWeb, *paths: str) -> Reply:
    items = "".join(f"<item><title>{path}</title><link>{web.url(path)}</link></item>" for path in paths)
    body = f'<rss version="2.0"><channel><title>Posts</title>{items}</channel></rss>'
    return Reply(body.encode(), headers=(("Content-Type", "application/rss+xml"),))


@pytest.fixture
def web() -> Iterator[TinyWeb]:
    with TinyWeb({"/robots.txt": "User-agent: *\nDisallow:\n"}) as tiny:
        feeds = ("/feed", f"/one/feed?{tiny.port}")
        tiny.pages |= {
            "/": page("/", "/one", "/two"), "/one": page("/one", feeds=feeds), "/two": page("/two", feeds=("/feed",)),
            "/hidden": page("/hidden"), "/feed": feed(tiny, "/one", "/hidden"),
        }  # fmt: skip
        yield tiny


def crawl(web: TinyWeb, folder: Path, **options: Any) -> set[str]:
    folders.crawl(folder, web.url("/"), migrants=1, **options)
    return kept(web, folder)


def kept(web: TinyWeb, folder: Path) -> set[str]:
    found = rows(folder, "SELECT url FROM url WHERE outcome IN ('fetched', 'unchanged') AND asset = 0")
    return {str(url).removeprefix(web.url("")) for (url,) in found}


def test_a_feed_of_the_site_is_followed_and_one_of_a_page_is_not(web: TinyWeb, tmp_path: Path) -> None:
    assert crawl(web, tmp_path / "folder") == {"/", "/one", "/two", "/hidden"}
    assert (web.count("/feed"), web.count(f"/one/feed?{web.port}")) == (1, 0)


def test_a_feed_that_stands_elsewhere_now_is_read_there_and_nothing_is_said_of_it(web: TinyWeb, tmp_path: Path) -> None:
    web.pages |= {"/feed": Reply(status=302, headers=(("Location", "/rss"),)), "/rss": feed(web, "/one", "/hidden")}
    assert crawl(web, tmp_path / "folder") >= {"/", "/one", "/two", "/hidden"}
    with open_reader(tmp_path / "folder") as reader:
        assert reader.sitemap_notes(0.0) == []


def test_a_feed_that_pages_ask_not_to_follow_is_no_page_where_a_named_one_leads_to_it(
    web: TinyWeb, tmp_path: Path
) -> None:
    """A wiki names its recent changes as a feed, which leads to an address that its pages have with `nofollow`."""
    web.pages |= {
        "/": page("/", "/one", "/two") + '<a rel="nofollow" href="/rss">Atom</a>',
        "/feed": Reply(status=302, headers=(("Location", "/rss"),)),
        "/rss": feed(web, "/one", "/hidden"),
    }
    assert crawl(web, tmp_path / "folder") == {"/", "/one", "/two", "/hidden"}
    assert rows(tmp_path / "folder", "SELECT asset, outcome FROM url WHERE url LIKE '%/rss'") == [(2, "fetched")]


def test_a_page_that_a_feed_gains_is_found_by_a_refresh_and_told_as_new(web: TinyWeb, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    crawl(web, folder)
    web.pages |= {"/young": page("/young"), "/feed": feed(web, "/young", "/one", "/hidden")}
    refreshed(folder)
    assert "/young" in kept(web, folder)
    assert rows(folder, "SELECT url FROM url WHERE news = 1") == [(web.url("/young"),)]


def test_who_wants_no_sitemaps_gets_no_feeds(web: TinyWeb, tmp_path: Path) -> None:
    assert crawl(web, tmp_path / "folder", sitemaps=False) == {"/", "/one", "/two"}
    assert web.count("/feed") == 0


def test_a_filter_keeps_a_feed_out(web: TinyWeb, tmp_path: Path) -> None:
    assert "/hidden" not in crawl(web, tmp_path / "folder", exclude=["/feed$"])
    assert web.count("/feed") == 0
