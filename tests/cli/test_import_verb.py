"""`import`: what it says and how it ends."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    path = tmp_path / "pages.jsonl"
    good = {"url": "https://example.org/a", "html": "<title>A</title><a href=/b>b</a>"}
    path.write_text(f"{json.dumps(good)}\nnot json\n")
    return path


def test_the_summary_counts_and_bad_records_are_named(call: Call, pages: Path, tmp_path: Path) -> None:
    said = call("import", pages, "--repo", tmp_path / "new", "--json")
    assert said.code == 0
    assert said.object["outcomes"] == {"fetched": 1}
    assert (said.object["bad"], said.object["queued"]) == (1, 0)
    assert said.object["faults"][0]["position"] == "line 2"
    assert f"{pages}: line 2: it is not JSON" in said.err
    again = call("import", pages, "--repo", tmp_path / "new", "--json")
    assert (again.code, again.object["already"], again.object["outcomes"]) == (0, 1, {})


def test_following_queues_links_for_the_next_crawl(call: Call, pages: Path, tmp_path: Path) -> None:
    said = call("import", pages, "--repo", tmp_path / "new", "--follow")
    assert (said.code, "1 link queued" in said.out) == (0, True)
    assert call("status", "--repo", tmp_path / "new", "--json").object["due"] == 1


def test_nothing_good_is_a_failure(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"url": 1}\n\x1b[31m{\n')
    said = call("import", path, "--repo", tmp_path / "new")
    assert (said.code, "0 already there; 2 bad" in said.out) == (1, True)
    assert "\x1b" not in said.err
    assert call("import", tmp_path / "missing", "--repo", tmp_path / "new").code == 2


def test_bookmarks_are_no_archive_and_it_says_what_takes_them(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "bookmarks.html"
    path.write_text('<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DT><A HREF="http://a.example/">a</A>')
    said = call("import", path, "--repo", tmp_path / "new")
    assert (said.code, "whimbrel crawl --seeds" in said.err) == (1, True)


def test_an_exported_archive_comes_back(call: Call, folder: Path, tmp_path: Path) -> None:
    assert call("export", "--repo", folder, "--format", "wacz", "--output", tmp_path / "x.wacz").code == 0
    said = call("import", tmp_path / "x.wacz", "--repo", tmp_path / "new", "--json")
    before = call("status", "--repo", folder, "--json").object
    after = call("status", "--repo", tmp_path / "new", "--json").object
    assert said.object["bad"] == 0
    assert after["pages"] == before["pages"]
    assert after["states"]["duplicate"] == before["states"]["duplicate"]
