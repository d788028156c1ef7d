"""How likely a page was to have changed when a place says that it is as home knows it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from folders import crawl, refreshed
from whimbrel.api.travelling import expected_to_change
from whimbrel.records.visit import Outcome, Visit
from whimbrel.repository.engines import open_reader, open_writer
from whimbrel.repository.port.writer import Writer
from whimbrel.testing.web import TinyWeb, site

DAY = 86_400.0
YEAR = 365 * DAY


class Later:
    """Home's clock, so long after the crawl."""

    def __init__(self, at: float) -> None:
        self._at = at

    def time(self) -> float:
        return self._at

    monotonic = time


@pytest.fixture
def visited(tmp_path: Path) -> Iterator[tuple[Writer, list[Visit]]]:
    with TinyWeb(site(6, 2, seed=1)) as web:
        crawl(tmp_path, web.url("/"))
    with open_reader(tmp_path) as reader:
        visits = [
            Visit(one.key, one.url, 0, Outcome.UNCHANGED, "", "", 304, reader.versions(one.url)[-1].at, 0)
            for one in reader.urls()
            if one.outcome == "fetched"
        ]
    store = open_writer(tmp_path)
    try:
        yield store, visits
    finally:
        store.close()


def test_a_page_visited_a_moment_ago_is_not_expected_to_have_changed(visited: tuple[Writer, list[Visit]]) -> None:
    store, visits = visited
    crawled_at = max(visit.at for visit in visits)
    soon, day, late = (expected_to_change(store, visits, Later(crawled_at + wait)) for wait in (1.0, DAY, 10 * YEAR))
    for visit in visits:
        assert soon[visit.key] < 0.001 < 0.01 < day[visit.key] < 0.5 < 0.95 < late[visit.key]


def test_a_place_that_says_it_was_there_earlier_is_not_looked_at_less(visited: tuple[Writer, list[Visit]]) -> None:
    store, visits = visited
    later = Later(max(visit.at for visit in visits) + DAY)
    early = [structs.replace(visit, at=0.0) for visit in visits]
    assert expected_to_change(store, early, later) == expected_to_change(store, visits, later)


def test_what_is_said_to_be_gone_is_news_until_home_knows_it(tmp_path: Path) -> None:
    """Only then is it looked at as seldom as an unchanged page."""
    pages = site(6, 2, seed=1)
    path = sorted(pages)[-1]
    with TinyWeb(pages) as web:
        crawl(tmp_path, web.url("/"))
        with open_reader(tmp_path) as reader:
            page = next(one for one in reader.urls() if one.url == web.url(path))
        absent = [Visit(page.key, page.url, 0, Outcome.FAILED, "http_404", "", 404, 0.0, 0)]
        assert expects(tmp_path, absent) == set()
        del web.pages[path]
        refreshed(tmp_path)
        assert expects(tmp_path, absent) == {page.key}
        came_back = [structs.replace(absent[0], status=200, outcome=Outcome.FETCHED)]
        assert expects(tmp_path, came_back) == set()


def expects(folder: Path, visits: list[Visit]) -> set[int]:
    store = open_writer(folder)
    try:
        return set(expected_to_change(store, visits))
    finally:
        store.close()
