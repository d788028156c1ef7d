"""How likely a page was to have changed when a place calls it unchanged, by what home knows of its visits."""

from pathlib import Path

from folders import crawl
from whimbrel.api.travelling import expected_to_change
from whimbrel.records.visit import Outcome, Visit
from whimbrel.repository.engines import open_reader, open_writer
from whimbrel.testing.web import TinyWeb, site

YEAR = 365 * 86_400.0


def test_a_page_visited_a_moment_ago_is_not_expected_to_have_changed(tmp_path: Path) -> None:
    with TinyWeb(site(6, 2, seed=1)) as web:
        crawl(tmp_path, web.url("/"))
    with open_reader(tmp_path) as reader:
        pages = [
            (one.url, one.key, reader.versions(one.url)[-1].at) for one in reader.urls() if one.outcome == "fetched"
        ]
    later = [1.0, 10 * YEAR, *([86_400.0] * (len(pages) - 2))]
    visits = [
        Visit(key, url, 0, Outcome.UNCHANGED, "", "", 304, at + wait, 0)
        for (url, key, at), wait in zip(pages, later, strict=True)
    ]
    store = open_writer(tmp_path)
    try:
        expected = expected_to_change(store, visits)
    finally:
        store.close()
    soon, late, *others = (expected[visit.key] for visit in visits)
    assert soon < 0.001
    assert late > 0.95
    assert all(0.01 < day < 0.5 for day in others)
