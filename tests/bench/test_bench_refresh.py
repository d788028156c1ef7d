"""The refresh bench on a site of a few pages."""

import io
import tarfile
import time
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from whimbrel.bench.machine import MissingTool
from whimbrel.bench.refresh import RefreshBench
from whimbrel.bench.refresh_coverage import coverage_of
from whimbrel.bench.refresh_runs import Runs
from whimbrel.bench.refresh_site import ContentSaid, ServedSite, content_of, served, unpack

WORDS = ("tide", "marsh", "heath", "moor", "coast", "reed", "sand", "wing", "nest", "flock", "crab", "worm")


def pack(path: Path, root: str, pages: dict[str, str]) -> None:
    with tarfile.open(path, "w:xz") as packed:
        for name, body in pages.items():
            member = tarfile.TarInfo(f"{root}/{name}")
            member.size = len(body)
            packed.addfile(member, io.BytesIO(body.encode()))


def page(name: str, words: str, links: list[str]) -> str:
    items = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    body = f'<div class="body"><h1>{name}</h1><p>{words} {name} </p><p>{items}</p></div><div class="footer">x</div>'
    return f"<!doctype html><title>{name}</title>{body}"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    names = [f"{word}.html" for word in WORDS]
    old = {
        name: page(name, f"The old {name} of long ago, as it was written.", names) for name in ["index.html", *names]
    }
    new = {name: page(name, f"The young {name}, written anew and shorter.", names) for name in ["index.html", *names]}
    new["hidden.html"] = page("hidden", "Nothing leads to this page but a sitemap.", [])
    del new["worm.html"]
    folder = tmp_path / "data"
    folder.mkdir()
    pack(folder / "site-1.tar.xz", "one", old)
    pack(folder / "site-2.tar.xz", "two", new)
    return folder


def test_it_counts_what_was_fetched_and_told(data: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    site = ServedSite(unpack(data, work), work / "site", time.time())
    bench = RefreshBench(site, work, lambda words: None)
    with served(site.folder) as server:
        bench.crawl(server, work / "base")
        half = bench.step("half of the files", server, work / "base", 0.5)
    assert (half.pages, half.changed) == (13, 6)
    assert half.truth.loud == half.truth.found == 6
    assert half.truth.alarms == 0
    assert half.recrawl is not None
    assert half.ours.counted.bodies < half.recrawl.counted.bodies
    assert half.ours.counted.not_modified > 0
    assert 0 < half.needed_bytes < half.recrawl.counted.sent_bytes
    assert 0 < half.ours.counted.packed_bytes < half.recrawl.counted.packed_bytes
    assert 0 < half.ours.archived_bytes < half.recrawl.archived_bytes


def test_coverage_is_of_what_lies_on_the_server(data: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    site = ServedSite(unpack(data, work), work / "site", time.time())
    runs = Runs(work)
    with served(site.folder) as server:
        assert site.hide(1, 1) == ["hidden.html"]
        runs.crawl(server, work / "alone")
        site.list_pages(server.origin, but=frozenset({"tide.html", "marsh.html"}))
        runs.crawl(server, work / "both")
        cover = coverage_of(work / "alone", work / "both", site.releases.pages(site.folder), server.origin)
    assert (cover.on_server, cover.listed) == (14, 12)
    assert (cover.by_links.pages, cover.with_sitemap.pages, cover.through_sitemap.pages) == (13, 14, 12)
    assert cover.by_links.of_all == pytest.approx(13 / 14)
    assert cover.through_sitemap.of_all == pytest.approx(12 / 14)
    assert cover.with_sitemap.of_rank == pytest.approx(1.0)
    assert 0.5 < cover.by_links.of_rank < 1.0


def test_a_step_changes_files_and_times_or_neither(data: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    site = ServedSite(unpack(data, work), work / "site", time.time())
    file = site.folder / "tide.html"
    before, stat = file.read_bytes(), file.stat()
    step = site.advance(1.0, 1, keep_times=True)
    assert "tide.html" in step.changed
    assert file.read_bytes() != before
    assert (file.stat().st_mtime, file.stat().st_size) == (stat.st_mtime, stat.st_size)
    site.reset()
    first = site.advance(0.5, 1)
    site.reset()
    assert site.advance(0.5, 1) == first, "the seed decides"


def test_the_server_honours_conditions_and_counts(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>hello</p>")
    with served(tmp_path) as server:
        with urlopen(f"{server.origin}/") as answer:
            etag = answer.headers["ETag"]
        with pytest.raises(Exception, match="304"):
            urlopen(Request(f"{server.origin}/", headers={"If-None-Match": etag}))
        counted = server.take_count()
    assert (counted.requests, counted.bodies, counted.not_modified) == (2, 1, 1)


def test_content_is_what_the_reader_sees() -> None:
    one = b'<title>a 1</title><div class="body"><p>Some  words</p></div><div class="footer">1</div>'
    other = b'<title>a 2</title><div class="body">\n<p>Some words</p></div><div class="footer">2</div>'
    assert content_of(one) == content_of(other) == ContentSaid(b"Some words", b"", b"p p div")


def test_without_releases_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(MissingTool, match="no two releases"):
        unpack(tmp_path, tmp_path)
