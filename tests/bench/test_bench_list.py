"""`whimbrel bench`: every bench that is listed is there, and is imported only when it is asked for."""

import subprocess
import sys

import click
import pytest

from whimbrel.cli.bench import BENCHES, command


@pytest.mark.parametrize("name", BENCHES)
def test_a_bench_that_is_listed_is_there(name: str) -> None:
    found = command.get_command(click.Context(command), name)
    assert found is not None
    assert found.name == name
    assert found.help


def test_a_bench_that_is_not_there_is_refused() -> None:
    assert command.get_command(click.Context(command), "marathon") is None


def test_no_bench_pays_for_another() -> None:
    look = "import sys, whimbrel.cli.bench as b; print(*(m for m in sys.modules if m.startswith('whimbrel.bench')))"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout.split() == []
