"""`whimbrel bench scale`."""

import os
import shutil
from pathlib import Path

import pytest

from whimbrel.bench.crawling import Contents, contents, crawling
from whimbrel.bench.figures import PeerRun
from whimbrel.bench.machine import MissingTool
from whimbrel.bench.scale import ONE, TWO, ScaleTrial, cpu_times, run
from whimbrel.bench.server import NGINX
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb, site

PAGES = 120
needs_nginx = pytest.mark.skipif(shutil.which("nginx") is None and not NGINX.exists(), reason="nginx is not installed")
needs_cores = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core only")


def test_cpu_is_compared_within_a_round() -> None:
    """The second round cost ten times as much; across rounds the ratio would say nothing."""
    costs = {(ONE, 0): 1.0, (TWO, 0): 1.2, (TWO, 1): 11.0, (ONE, 1): 10.0}
    runs = [PeerRun(name, number, 100, 5.0, cpu, 0) for (name, number), cpu in costs.items()]
    found = cpu_times(runs)
    assert found is not None
    assert found.least == pytest.approx(1.1)
    assert found.most == pytest.approx(1.2)
    assert cpu_times(runs[:1]) is None


def test_one_core_is_refused(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>one page</p>")
    ours = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(ours)})
    try:
        with pytest.raises(MissingTool, match="two cores"):
            run(ScaleTrial(tmp_path, 1, tmp_path), lambda words: None)
    finally:
        os.sched_setaffinity(0, ours)


def crawled(pages: dict[str, Reply], folder: Path) -> Contents:
    folder.mkdir()
    with TinyWeb(pages) as web, crawling([web.url()], folder, os.sched_getaffinity(0)) as crawl:
        ended = crawl.wait()
        assert (ended.exit_code, ended.faults) == (0, ())
        assert ended.answer["ended"] == "finished"
        assert not crawl.migrants()
        return contents(crawl.folder, web.url("").removesuffix("/"))


def test_a_page_with_other_bytes_makes_other_contents(tmp_path: Path) -> None:
    pages = {path: page for path, page in site(8).items() if isinstance(page, Reply)}
    first = crawled(pages, tmp_path / "first")
    assert (first.urls, first.pages) == (9, 8), "the usual place of a sitemap is known too"
    other = pages | {"/page/3.html": Reply(pages["/page/3.html"].body + b"<p>and more</p>")}
    changed = crawled(other, tmp_path / "other")
    assert (changed.urls, changed.pages) == (9, 8)
    assert changed.digest != first.digest


@needs_nginx
@needs_cores
def test_a_tiny_site_is_the_same_on_one_core_and_on_two(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    (folder / "page").mkdir(parents=True)
    for path, page in site(PAGES).items():
        assert isinstance(page, Reply)
        file = folder / ("index.html" if path == "/" else path.removeprefix("/"))
        file.write_bytes(page.body.replace(b'href="/"', b'href="/index.html"'))
    work = tmp_path / "work"
    work.mkdir()
    report = run(ScaleTrial(folder, 1, work), lambda words: None)
    assert (report.expected_pages, report.faults) == (PAGES, [])
    assert [way.pages for way in report.ways] == [PAGES, PAGES]
    assert report.same
    assert report.ceiling.times > 0
    assert report.ceiling.cpu_times > 0
    assert report.ratio is not None
    assert report.ratio.times.median > 0
    assert report.cpu_times is not None
    assert all(0 < one.cpu_seconds < 60 for one in report.runs)
    assert list(work.iterdir()) == []
