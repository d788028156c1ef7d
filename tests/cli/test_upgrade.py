"""`upgrade`: nothing to do is no error; a newer folder is."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from whimbrel.repository.embedded.schema import FORMAT

Call = Callable[..., Any]


def test_nothing_to_do(call: Call, folder: Path) -> None:
    said = call("upgrade", "--repo", folder)
    assert said.code == 0
    assert "nothing to do" in said.out
    assert call("upgrade", "--repo", folder, "--json").object["steps"] == []


def test_a_newer_folder(call: Call, folder: Path) -> None:
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as database:
        database.execute(f"PRAGMA user_version = {FORMAT + 1}")
    said = call("upgrade", "--repo", folder)
    assert said.code == 5
    assert "newer" in said.err


def test_a_missing_folder(call: Call, tmp_path: Path) -> None:
    assert call("upgrade", "--repo", tmp_path / "nothing").code == 3
    assert not (tmp_path / "nothing").exists()
