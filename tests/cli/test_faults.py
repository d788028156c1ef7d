"""What is said when a disk or a reader of the output lets a verb down."""

import errno
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from commands import WHIMBREL
from whimbrel.cli.main import mended


def test_a_full_database_is_not_called_damaged(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "full.sqlite")) as database:
        database.execute("CREATE TABLE one (words TEXT)")
        database.execute("PRAGMA max_page_count = 2")
        with pytest.raises(sqlite3.Error) as full:
            database.execute("INSERT INTO one VALUES (?)", ("x" * 100_000,))
    assert "free some space" in mended(full.value)


def test_a_damaged_one_is(tmp_path: Path) -> None:
    (tmp_path / "torn.sqlite").write_bytes(b"this is no database, but long enough to look at" * 30)
    with closing(sqlite3.connect(tmp_path / "torn.sqlite")) as database, pytest.raises(sqlite3.Error) as torn:
        database.execute("SELECT * FROM one")
    assert "Restore it from a copy" in mended(torn.value)


@pytest.mark.parametrize(
    ("number", "advice"), [(errno.EROFS, "writable"), (errno.ENOSPC, "free some space"), (errno.EIO, "Restore it")]
)
def test_advice_by_what_the_disk_said(number: int, advice: str) -> None:
    assert advice in mended(OSError(number, os.strerror(number), "/a/file"))


@pytest.mark.parametrize("verb", ["pages", "status", "export"])
def test_a_reader_that_goes_away_is_no_fault(folder: Path, verb: str) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs, "w") as closed:
        done = subprocess.run(
            [*WHIMBREL, verb, "--repo", folder], stdout=closed, stderr=subprocess.PIPE, text=True, timeout=300
        )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
