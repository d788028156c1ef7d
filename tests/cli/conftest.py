"""A folder to look at, and a way to call a verb as the command line does."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from grown_folder import grow, small_world
from whimbrel.cli.main import main


class Said(Struct, frozen=True):
    """What a verb answered."""

    code: int
    out: str
    err: str

    @property
    def object(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Call = Callable[..., Said]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "folder"
    grow(path, small_world())
    return path


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    def run(*arguments: str | Path) -> Said:
        code = main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Said(code, captured.out, captured.err)

    return run
