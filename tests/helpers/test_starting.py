"""A helper finds our modules, and nothing in the folder where it starts."""

from pathlib import Path

import pytest

from whimbrel.helpers.starting import started


def test_a_helper_imports_nothing_from_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "helper_here.py").write_text(
        "import os, socket, sys\nsocket.socket(fileno=int(sys.argv[1])).send(b'here')\n"
    )
    monkeypatch.chdir(tmp_path)
    process, connection = started("helper_here")
    with connection:
        assert connection.recv(4) == b""
    assert process.wait() == 1


def test_it_finds_what_we_find_and_knows_its_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import os, socket, sys\nassert os.getppid() == int(sys.argv[2])\n"
    (tmp_path / "helper_there.py").write_text(f"{program}socket.socket(fileno=int(sys.argv[1])).send(b'here')\n")
    monkeypatch.syspath_prepend(tmp_path)
    process, connection = started("helper_there")
    with connection:
        assert connection.recv(4) == b"here"
    assert process.wait() == 0
