"""Asking the command as a user would: in a process of its own, or in this one where there is much to ask."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from whimbrel.cli.main import main

WHIMBREL = [sys.executable, "-m", "whimbrel"]
Ask = Callable[..., "subprocess.CompletedProcess[str]"]
_POWERS = "-dac_override,-dac_read_search"
MORTAL = ["setpriv", f"--bounding-set={_POWERS}", f"--inh-caps={_POWERS}"] if os.geteuid() == 0 else ["env"]
"""Root may read everything, unless it is started without that power."""


def run(
    *arguments: str | Path,
    through: Sequence[str] = (),
    env: dict[str, str] | None = None,
) -> "subprocess.CompletedProcess[str]":
    command = [*through, *WHIMBREL, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL, env=env)
    assert "Traceback" not in done.stderr, done.stderr
    return done


def with_settings(**settings: object) -> dict[str, str]:
    """The environment, with these settings."""
    return {**os.environ, **{name: str(value) for name, value in settings.items()}}


def asking(capfd: pytest.CaptureFixture[str]) -> Ask:
    def asked(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
        code = main([str(argument) for argument in arguments])
        return subprocess.CompletedProcess(arguments, code, *capfd.readouterr())

    return asked
