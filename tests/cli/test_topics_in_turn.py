"""One topic after the other in the same folder."""

from pathlib import Path

from commands import run
from whimbrel.testing.web import TinyWeb

PAGES = {
    "/": "<title>Door</title><p>Ways on.</p><a href=/tides>tides</a> <a href=/both>both</a> <a href=/bread>bread</a>",
    "/tides": "<title>Tides</title><p>Tides rise and tides fall: spring tides and neap tides.</p>",
    "/both": "<title>Tides and bread</title><p>Between spring tides and neap tides a baker bakes bread.</p>",
    "/bread": "<title>Bread</title><p>Bread rises: rye bread, sour bread and white bread.</p>",
}


def test_what_showed_the_former_topic_shows_no_other(tmp_path: Path) -> None:
    with TinyWeb(PAGES) as web:
        first = ("--topic", "tides", "--examples", web.url("/tides"))
        told = run("crawl", web.url("/"), *first, "--repo", tmp_path / "folder", "--json")
        assert told.returncode == 0, told.stderr
        other = run("crawl", "--topic", "bread", "--repo", tmp_path / "folder")
        assert other.returncode == 0, other.stderr  # and not: no page given says 'bread'
        same = run("crawl", "--topic", "tides", "--repo", tmp_path / "folder", "--json")
    assert same.returncode == 0, same.stderr
