"""`whimbrel bench`: every bench that is listed is there, and is imported only when it is asked for."""

import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from whimbrel.cli.bench import BENCHES, command


@pytest.mark.parametrize("name", BENCHES)
def test_a_bench_that_is_listed_is_there(name: str) -> None:
    found = command.get_command(click.Context(command), name)
    assert found is not None
    assert found.name == name
    assert found.help


def test_a_bench_that_is_not_there_is_refused() -> None:
    assert command.get_command(click.Context(command), "marathon") is None


def test_a_folder_to_work_in_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, ["papers", "--work", str(tmp_path / "nowhere")])
    assert done.exit_code == 2
    assert f"'{tmp_path / 'nowhere'}' does not exist" in done.output


def test_no_bench_pays_for_another() -> None:
    look = "import sys, whimbrel.cli.bench as b; print(*(m for m in sys.modules if m.startswith('whimbrel.bench')))"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.split() == []
