"""`refresh`: says what it found and what that saved."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from whimbrel.cli.watching import round_of
from whimbrel.flows.refresh.course import RefreshWish
from whimbrel.testing.web import TinyWeb, site

Call = Callable[..., Any]


@pytest.fixture(autouse=True)
def one_migrant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHIMBREL_CRAWL_MIGRANTS", "1")


def test_the_answer_for_scripts(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    with TinyWeb(site(12)) as web:
        assert call("crawl", web.url("/"), "--repo", folder, "--json").code == 0
        said = call("refresh", "--all", "--repo", folder, "--json")
    assert said.code == 0
    answer = said.object
    assert answer["ended"] == "finished"
    assert answer["found"]["not_modified"] + answer["found"]["same_bytes"] == 12
    assert answer["found"]["changed"] == answer["new"] == 0
    assert answer["recrawl"]["pages"] == 12
    assert 0 < answer["bytes"] < answer["recrawl"]["bytes"]
    assert set(answer) == {
        "ended", "words", "asked", "found", "new", "skipped", "copies", "because", "bytes", "recrawl", "next_due_at",
        "seconds", "unseen", "missing", "near",
    }  # fmt: skip


def test_nothing_is_due_right_after_a_crawl(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    with TinyWeb(site(3)) as web:
        call("crawl", web.url("/"), "--repo", folder, "--json")
        call("refresh", "--repo", folder)
        said = call("refresh", "--repo", folder)
    assert said.code == 0
    assert "nothing is due; the next page is due in" in said.out
    assert "--all" in said.out


def test_a_folder_that_is_not_there(call: Call, tmp_path: Path) -> None:
    said = call("refresh", "--repo", tmp_path / "nowhere")
    assert said.code == 3
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    ("budget", "seconds", "share"), [(None, 300.0, None), (600, 300.0, 50), (5, 720.0, 1), (12, 300.0, 1)]
)
def test_a_watch_spreads_its_budget_over_the_hour(budget: int | None, seconds: float, share: int | None) -> None:
    assert round_of(RefreshWish(budget=budget)) == (seconds, RefreshWish(budget=share))
