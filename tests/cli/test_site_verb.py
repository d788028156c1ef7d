"""Settings of one site: said in the folder, laid over the file, tried before they are taken."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whimbrel.api.site_settings import EDITABLE, said_of_sites, said_table, say_of_site, with_said
from whimbrel.config import ConfigError, Settings, SiteTable
from whimbrel.records.hours import DAY_MINUTES, Hours
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

HOST = "127.0.0.1"
Call = Callable[..., Any]


def _page(text: str) -> Reply:
    return Reply(body=text.encode(), headers=(("Content-Type", "text/html"),))


def test_what_is_said_stands_over_the_file_and_is_taken_back(tmp_path: Path) -> None:
    file = Settings(site=(SiteTable(host=HOST, delay_seconds=9.0, exclude=("/old/",)), SiteTable(host="b.example")))
    say_of_site(tmp_path, said_table(HOST, {"delay_seconds": "2s", "hours": "22-6"}))
    say_of_site(tmp_path, said_table("c.example", {"notify": "nothing"}))
    mine, other, new = with_said(file, tmp_path).site
    assert (mine.delay_seconds, mine.hours, mine.exclude) == (2.0, "22-6", ("/old/",))
    assert other == file.site[1]
    assert (new.host, new.notify) == ("c.example", "nothing")
    say_of_site(tmp_path, SiteTable(host=HOST))
    say_of_site(tmp_path, SiteTable(host="c.example"))
    assert with_said(file, tmp_path) == file


@pytest.mark.parametrize("key", sorted(set(SiteTable.__struct_fields__) - set(EDITABLE)))
def test_only_what_harms_nobody_can_be_said(key: str) -> None:
    with pytest.raises(ConfigError, match="only in the settings file"):
        said_table(HOST, {key: "env:SECRET"})


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("hours", "99", "names no hours"), ("delay_seconds", "-1", "expected"), ("delay_seconds", "2d", "than a day"),
        ("exclude", ["("], "not a regular expression"), ("exclude", ["a" * 501], "longer than"),
        ("include", ["a"] * 51, "more than 50"), ("notify", "loud", "expected"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused(key: str, value: object, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        said_table(HOST, {key: value})


@pytest.mark.parametrize("stored", ["[]", "{", '{"a.example": {"auth": "env:X"}}', '{"a.example": {"hours": 3}}'])
def test_a_damaged_file_is_named(tmp_path: Path, stored: str) -> None:
    (tmp_path / "sites.json").write_text(stored)
    with pytest.raises(ConfigError, match=r"sites\.json.*Mend or remove it"):
        said_of_sites(tmp_path)


@given(st.integers(0, DAY_MINUTES - 1), st.integers(0, DAY_MINUTES - 1), st.integers(-720, 840), st.floats(0, 1e6))
def test_hours_mean_the_same_by_another_clock(begin: int, end: int, ahead: int, now: float) -> None:
    hours = Hours(begin, end if end != begin else begin + 1)
    elsewhere = hours.shifted(ahead)
    assert hours.seconds_until(now) == pytest.approx(elsewhere.seconds_until(now + 60 * ahead), abs=1e-3)
    assert hours.holds(int((now + hours.seconds_until(now) + 1e-3) // 60) % DAY_MINUTES)


@pytest.fixture
def web() -> Iterator[TinyWeb]:
    paths = [f"/{part}/{number}" for part in ("docs", "archive") for number in range(3)]
    links = "".join(f"<a href='{path}'>{path}</a>" for path in paths)
    pages = {path: _page(f"<title>{path}</title><p>What {path} says, no other page says.") for path in paths}
    with TinyWeb({"/": _page(f"<title>Start</title><p>All that there is: {links}"), **pages}) as tiny:
        yield tiny


def test_a_filter_is_tried_and_then_holds_for_kept_pages(web: TinyWeb, tmp_path: Path, call: Call) -> None:
    folder = tmp_path / "folder"
    assert call("crawl", web.url("/"), "--repo", folder).code == 0
    tried = call("site", HOST, "--exclude", "/archive/", "--dry-run", "--json", "--repo", folder).object
    assert [url.rpartition("/archive/")[2] for url in tried["kept"]] == ["0", "1", "2"]
    assert not (folder / "sites.json").exists()
    assert call("site", HOST, "--exclude", "/archive/", "--repo", folder).code == 0
    before = (web.count("/archive/1"), web.count("/docs/1"))
    assert call("refresh", "--all", "--repo", folder).code == 0
    assert (web.count("/archive/1"), web.count("/docs/1")) == (before[0], before[1] + 1)
    back = call("site", HOST, "--undo", "--json", "--repo", folder).object
    assert (back["said"], back["holds"], len(back["let_in"])) == ({}, {}, 3)


def test_outside_its_hours_a_site_is_not_asked_and_its_pages_stay_due(web: TinyWeb, tmp_path: Path, call: Call) -> None:
    folder = tmp_path / "folder"
    call("crawl", web.url("/"), "--limit", "1", "--repo", folder)
    now = time.localtime()
    closed = f"{(now.tm_hour + 2) % 24}-{(now.tm_hour + 3) % 24}"
    call("site", HOST, "--hours", closed, "--repo", folder)
    asked = len(web.log)
    waiting = call("crawl", "--limit", "100", "--repo", folder)
    assert (len(web.log), f"in its hours alone ({closed})" in waiting.out + waiting.err) == (asked, True)
    call("site", HOST, "--hours", f"{now.tm_hour}-{(now.tm_hour + 2) % 24}", "--repo", folder)
    assert call("crawl", "--limit", "100", "--repo", folder).code == 0
    assert web.count("/docs/2") == 1
