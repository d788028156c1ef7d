"""Files that nobody but their owner may read."""

import os
from pathlib import Path

import pytest

from whimbrel.migrants.wire.private import write_private


def test_only_its_owner_may_read_it_whatever_stood_there_before(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(b"seen by all")
    path.chmod(0o644)
    (tmp_path / "key.part").write_bytes(b"left by one that was killed, and longer than what comes")
    (tmp_path / "key.part").chmod(0o644)
    before = os.umask(0)
    try:
        write_private(path, b"secret")
    finally:
        os.umask(before)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"secret", 0o600)
    assert [file.name for file in tmp_path.iterdir()] == ["key"]


def test_what_stood_there_stays_where_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(b"old")
    (tmp_path / "key.part").mkdir()
    with pytest.raises(OSError, match=r"key\.part"):
        write_private(path, b"new")
    assert path.read_bytes() == b"old"
