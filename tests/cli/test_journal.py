"""Warnings on their way into a journal carry their priority, and only there."""

import os
import subprocess
import sys
from pathlib import Path

SAID = "from whimbrel.cli.journal import warn; warn('one\\ntwo')"


def said(file: Path, stream: str | None) -> str:
    with file.open("w") as standard_error:
        here = os.fstat(standard_error.fileno())
        named = {"JOURNAL_STREAM": stream or f"{here.st_dev}:{here.st_ino}"}
        subprocess.run([sys.executable, "-c", SAID], stderr=standard_error, env=os.environ | named, check=True)
    return file.read_text()


def test_lines_in_a_journal_begin_with_their_priority(tmp_path: Path) -> None:
    assert said(tmp_path / "journal", None) == "<4>one\n<4>two\n"


def test_another_stream_that_inherits_the_name_is_no_journal(tmp_path: Path) -> None:
    assert said(tmp_path / "file", "8:12345") == "one\ntwo\n"
    assert said(tmp_path / "file", "nonsense") == "one\ntwo\n"
