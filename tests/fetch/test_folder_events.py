"""What the kernel tells of folders that are written to."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from whimbrel.fetch.folder_events import NOTHING, FolderEvents, FolderNews


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "guide").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "index.html").write_text("start")
    return tmp_path


@pytest.fixture
def events(site: Path) -> Iterator[FolderEvents]:
    watching = FolderEvents([site])
    yield watching
    watching.close()


def news(*files: Path, whole: bool = False) -> FolderNews:
    return FolderNews(frozenset(files), whole)


def test_files_are_told_however_they_come_and_go(site: Path, events: FolderEvents) -> None:
    assert events.take() == NOTHING
    (site / "guide" / "one.html").write_text("written")
    (site / "part").write_text("two")
    (site / "part").rename(site / "guide" / "two.html")
    (site / "guide" / "three.html").hardlink_to(site / "index.html")
    guide = site / "guide"
    told = events.take().files - {site / "index.html"}  # that it has one name more is told by some kernels
    assert told == {guide / "one.html", site / "part", guide / "two.html", guide / "three.html"}
    (guide / "one.html").unlink()
    assert events.take() == news(guide / "one.html")


def test_hidden_files_and_folders_are_passed_over(site: Path, events: FolderEvents) -> None:
    (site / ".git" / "config.html").write_text("secret")
    (site / ".draft.html").write_text("secret")
    assert events.take() == NOTHING


def test_a_new_folder_is_watched_and_all_is_to_be_looked_at(site: Path, events: FolderEvents) -> None:
    (site / "new" / "deep").mkdir(parents=True)
    (site / "new" / "deep" / "before.html").write_text("before anybody watched")
    assert events.take().whole
    (site / "new" / "deep" / "after.html").write_text("after")
    assert events.take() == news(site / "new" / "deep" / "after.html")


def test_a_folder_that_goes_is_told_as_a_whole(site: Path, events: FolderEvents) -> None:
    (site / "guide").rename(site / "manual")
    assert events.take().whole
    (site / "manual" / "page.html").write_text("moved along")
    assert events.take().files == {site / "manual" / "page.html"}
    (site / "manual" / "page.html").unlink()
    (site / "manual").rmdir()
    assert events.take().whole


def test_what_cannot_be_watched_is_said(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="cannot be watched"):
        FolderEvents([tmp_path / "nowhere"])
