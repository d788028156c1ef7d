"""`whimbrel bench overlap`."""

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from whimbrel.bench.crawling import Contents
from whimbrel.bench.logged import Arrival
from whimbrel.bench.overlap import CrawlSeen, OverlapTrial, conclude, faults_of, gathered, run
from whimbrel.bench.server import NGINX
from whimbrel.testing.reply import Reply
from whimbrel.testing.site import site

PAGES = 200
RANKS = {"/a": 0.4, "/b": 0.3, "/c": 0.2, "/d": 0.1}
HELD = Contents(4, 4, "d1")


def seen(*paths: str) -> CrawlSeen:
    arrivals = [Arrival(float(at), "127.0.0.1", 200, 10, path) for at, path in enumerate(paths)]
    return CrawlSeen(2, "breadth", 0, arrivals, 400, 1000, HELD)


def test_a_page_asked_for_twice_is_overlap_and_robots_is_no_page() -> None:
    once = conclude(seen("/robots.txt", "/a", "/b", "/c", "/d"), RANKS)
    twice = conclude(seen("/robots.txt", "/a", "/b", "/a", "/c", "/d", "/robots.txt"), RANKS)
    assert (once.overlap, twice.overlap) == (0.0, 0.25)
    assert faults_of([once]) == []
    assert faults_of([once, twice]) == ["2 migrants, breadth: 1 requests for a page asked for before"]
    assert faults_of([once, replace(twice, deaths=1)]) == []


def test_runs_that_hold_other_things_are_told() -> None:
    once = conclude(seen("/a", "/b", "/c", "/d"), RANKS)
    (fault,) = faults_of([once, replace(once, contents=Contents(5, 4, "d2"))])
    assert "5 URLs, 4 pages, not 4 and 4" in fault


def test_mass_is_that_of_the_first_pages() -> None:
    assert gathered(["/d", "/c", "/nowhere", "/d", "/b", "/a"], RANKS) == pytest.approx((0.0, 0.1, 0.3))
    assert gathered(list(RANKS), RANKS) == pytest.approx((0.0, 0.4, 0.7))


@pytest.mark.skipif(shutil.which("nginx") is None and not NGINX.exists(), reason="nginx is not installed")
def test_more_migrants_ask_for_no_page_twice(tmp_path: Path) -> None:
    folder, work = tmp_path / "site", tmp_path / "work"
    (folder / "page").mkdir(parents=True)
    (folder / "copy").mkdir()
    work.mkdir()
    for path, page in site(PAGES, duplicates=10).items():
        assert isinstance(page, Reply)
        file = folder / ("index.html" if path == "/" else path.removeprefix("/"))
        file.write_bytes(page.body.replace(b'href="/"', b'href="/index.html"'))
    report = run(OverlapTrial(folder, (1, 3), ("breadth",), work), lambda words: None)
    assert report.faults == []
    assert report.same
    assert [(one.migrants, one.order, one.pages, one.overlap) for one in report.runs] == [
        (migrants, "breadth", PAGES + 10, 0.0) for migrants in (1, 3)
    ]
    for one in report.runs:
        assert 0 < one.mass[0] < one.mass[1] < one.mass[2] < 1
        assert all(mine <= best + 1e-9 for mine, best in zip(one.mass, report.best_mass, strict=True))
        assert one.fetched_bytes > (PAGES + 10) * 500
        assert one.wire_bytes > 0
