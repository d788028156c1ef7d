"""Folders that are unreadable, damaged, newer or in use: named, not touched, and nothing kept is harmed."""

import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from commands import MORTAL, Ask, run
from folders import archives, crawl, everything, outcomes, start
from whimbrel.testing.web import TinyWeb, site


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crawled") / "data"
    with TinyWeb(site(12, 3)) as web:
        crawl(folder, web.url("/"))
    return folder


@pytest.fixture
def folder(crawled: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(crawled, tmp_path / "data"))


def test_a_file_in_the_folders_place_is_left_alone(tmp_path: Path) -> None:
    place = tmp_path / "data"
    place.write_text("a letter")
    done = run("crawl", "http://127.0.0.1:1/", "--repo", place)
    assert done.returncode == 5
    assert "Choose another folder with --repo" in done.stderr
    assert place.read_text() == "a letter"


@pytest.mark.parametrize("verb", [["crawl", "http://127.0.0.1:1/"], ["crawl"], ["status"], ["pages"]])
def test_a_folder_that_may_not_be_read(folder: Path, verb: list[str]) -> None:
    folder.chmod(0)
    try:
        if subprocess.run([*MORTAL, "ls", str(folder)], capture_output=True).returncode == 0:
            pytest.skip("root may read everything here, and setpriv cannot take that away")
        done = run(*verb, "--repo", folder, through=MORTAL)
    finally:
        folder.chmod(0o755)
    assert done.returncode == 5, done.stderr
    assert str(folder) in done.stderr
    assert "Permission denied" in done.stderr
    assert "--repo" in done.stderr


@pytest.mark.parametrize("damage", ["no database", "torn pages", "cut short"])
@pytest.mark.parametrize("verb", [["crawl", "http://127.0.0.1:1/"], ["crawl"], ["status"], ["pages"]])
def test_a_damaged_database_is_named_and_not_touched(ask: Ask, folder: Path, damage: str, verb: list[str]) -> None:
    database = folder / "crawl.sqlite"
    content = database.read_bytes()
    harmed = {
        "no database": b"this is a letter, not a database\n" * 400,
        "torn pages": content[:4096] + b"\xa5" * (len(content) - 4096),
        "cut short": content[: len(content) // 3],
    }[damage]
    database.write_bytes(harmed)
    done = ask(*verb, "--repo", folder)
    assert done.returncode == 5, (done.stdout, done.stderr)
    assert "Restore it from a copy, or choose another folder with --repo" in done.stderr
    assert database.read_bytes() == harmed


@pytest.mark.parametrize("verb", [["crawl", "http://127.0.0.1:1/"], ["crawl"], ["status"], ["pages"], ["upgrade"]])
def test_a_newer_folder_is_not_touched(ask: Ask, folder: Path, verb: list[str]) -> None:
    database = sqlite3.connect(folder / "crawl.sqlite")
    database.execute("PRAGMA user_version = 99")
    database.close()
    before = everything(folder)
    done = ask(*verb, "--repo", folder)
    assert done.returncode == 5
    assert "written by a newer Whimbrel (format 99" in done.stderr
    assert "Install the newer release" in done.stderr
    assert everything(folder) == before


@pytest.mark.parametrize("harm", ["cut", "gone"])
def test_a_harmed_archive_is_named_and_nothing_goes_on_without_it(ask: Ask, folder: Path, harm: str) -> None:
    archive = archives(folder)[0]
    if harm == "cut":
        os.truncate(archive, archive.stat().st_size - 10)
    else:
        archive.unlink()
    before = everything(folder)
    done = ask("crawl", "http://127.0.0.1:1/new", "--repo", folder)
    assert done.returncode == 5
    assert archive.name in done.stderr
    assert "restore it from a copy" in done.stderr
    assert everything(folder) == before


def test_two_crawls_on_one_folder(tmp_path: Path) -> None:
    with TinyWeb(site(5)) as web:
        web.hold("/")
        first = start(tmp_path, web.url("/"))
        assert web.wait_for("/")
        second = run("crawl", web.url("/"), "--repo", tmp_path)
        looking = run("status", "--repo", tmp_path)
        web.release("/")
        first.communicate(timeout=120)
    assert second.returncode == 4
    assert f"another command is using {tmp_path} (process {first.pid})" in second.stderr
    assert "Wait for it, stop it, or choose another folder" in second.stderr
    assert looking.returncode == 0
    assert first.returncode == 0
    assert list(outcomes(tmp_path).values()) == ["fetched"] * 5
