"""A crawl for pictures alone: what is kept, what is left out, and why."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from whimbrel.repository.engines import open_reader
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb


def png(side: int) -> Reply:
    """Its head is all that is looked at."""
    size = side.to_bytes(4) + side.to_bytes(4)
    return Reply(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + size + bytes(20), content_type="image/png")


PAGES = {
    "/": "<title>Door</title><p>Nothing but ways on.</p><link rel=stylesheet href=/look.css><a href=/shore>shore</a>"
    "<a href=/words>words</a><a href=/paper.pdf>paper</a>",
    "/shore": "<title>Shore</title><p>Birds by the sea.</p><img src=/i/one.png alt=One><img src=/i/two.png width=640 "
    "srcset='/i/two-small.png 1x'><img src=/i/icon.png width=16 height=16><img src=/i/dot.png>"
    "<img src=/i/thumbnail.png width=40><img src=/i/lie.png><a href=/large>the large one</a>",
    "/large": "<title>Large</title><p>The same picture, larger.</p><img src=/i/thumbnail.png width=900>",
    "/words": "<title>Words</title><p>Only words.</p><img src=/i/icon.png width=16 height=16>",
    "/look.css": Reply(b"body { background: url(/i/two.png) }", content_type="text/css"),
    "/paper.pdf": Reply(b"%PDF-1.4", content_type="application/pdf"),
    "/i/one.png": png(300), "/i/two.png": png(640), "/i/two-small.png": png(100), "/i/icon.png": png(16),
    "/i/dot.png": png(1), "/i/thumbnail.png": png(900),
    "/i/lie.png": "<title>Not here</title><p>No picture at all.</p>",
}  # fmt: skip


def crawl(web: TinyWeb, folder: Path, *options: str) -> tuple[int, str, dict[str, Any]]:
    command = [sys.executable, "-m", "whimbrel", "crawl", web.url("/"), "--repo", str(folder), "--json", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stderr, json.loads(done.stdout) if done.stdout else {}


def outcomes(web: TinyWeb, folder: Path) -> dict[str, tuple[str, str]]:
    with open_reader(folder) as reader:
        return {"/" + one.url.split("/", 3)[3]: (one.outcome, one.rule) for one in reader.urls()}


def test_pictures_of_some_size_are_kept_and_the_pages_that_show_them(tmp_path: Path) -> None:
    with TinyWeb(PAGES) as web:
        code, said, _ = crawl(web, tmp_path / "folder", "--only", "images")
        assert code == 0, said
        found = outcomes(web, tmp_path / "folder")
        never = [web.count(path) for path in ("/look.css", "/i/icon.png", "/i/two-small.png")]
    kept = {path for path, (outcome, _) in found.items() if outcome == "fetched" and "robots" not in path}
    assert kept == {"/shore", "/large", "/i/one.png", "/i/two.png", "/i/thumbnail.png"}
    left = {path: said for path, said in found.items() if path not in kept and "sitemap" not in path}
    assert left == {
        "/": ("refused", "images"), "/words": ("refused", "images"), "/paper.pdf": ("refused", "images"),
        "/i/icon.png": ("out_of_scope", "small"), "/i/dot.png": ("refused", "small"),
        "/i/lie.png": ("refused", "images"),
    }  # fmt: skip
    assert never == [0, 0, 0]


def test_the_limit_counts_pictures_and_a_later_crawl_goes_on(tmp_path: Path) -> None:
    with TinyWeb(PAGES) as web:
        code, _, said = crawl(web, tmp_path / "folder", "--only", "images", "--limit", "2", "--migrants", "1")
        assert (code, said["ended"], said["words"]) == (0, "limit", "the limit of 2 pictures is reached")
        assert sum(path.startswith("/i/") for path in kept_in(web, tmp_path / "folder")) == 2
        crawl(web, tmp_path / "folder", "--only", "images", "--limit", "9", "--migrants", "1")
        assert sum(path.startswith("/i/") for path in kept_in(web, tmp_path / "folder")) == 3
        crawl(web, tmp_path / "folder")
        assert {"/", "/words"} <= kept_in(web, tmp_path / "folder")


def kept_in(web: TinyWeb, folder: Path) -> set[str]:
    return {path for path, (outcome, _) in outcomes(web, folder).items() if outcome in ("fetched", "unchanged")}


@pytest.mark.parametrize(("options", "words"), [
    (("--assets",), "do not go together"),
    (("--collection", "5"), "do not go together"),
])  # fmt: skip
def test_what_contradicts_it_is_refused(tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    with TinyWeb(PAGES) as web:
        code, said, _ = crawl(web, tmp_path / "folder", "--only", "images", *options)
    assert code == 2
    assert words in said


def test_pages_rich_in_pictures_can_be_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("cel", reason="the extra `cel` is not installed")
    with TinyWeb(PAGES) as web:
        code, said, _ = crawl(web, tmp_path / "folder", "--keep", "page.pictures > 3")
        assert code == 0, said
        assert kept_in(web, tmp_path / "folder") == {"/shore"}
