"""Sitemaps that are written keep to the protocol's limits."""

from hypothesis import given
from hypothesis import strategies as st

from whimbrel.cli.sitemap import in_parts, urlset
from whimbrel.records.url import Url

PAGES = st.lists(st.tuples(st.integers(1, 200).map(lambda length: Url("http://x.org/" + "a" * length)), st.just(1e9)))


@given(PAGES, st.integers(1, 6), st.integers(500, 1500))
def test_no_part_is_too_large_and_no_page_is_lost(pages: list[tuple[Url, float]], urls: int, size: int) -> None:
    parts = list(in_parts(pages, urls, size))
    assert [page for part in parts for page in part] == pages
    assert all(0 < len(part) <= urls for part in parts)
    assert all(len(urlset(part).encode()) <= size or len(part) == 1 for part in parts)
