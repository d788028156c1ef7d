"""Packages that only one format needs: installed into a checkout's environment when they are first asked for."""

import importlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

INSTALLER = Path(__file__).parents[3] / "requirements" / "install.py"


class MissingExtra(Exception):
    """The message says how to install it."""


def need(extra: str, module: str) -> None:
    """Makes the module importable; what that takes is said on standard error while it happens."""
    if importlib.util.find_spec(module) is not None:
        return
    ours = INSTALLER.is_file() and (Path(sys.prefix) / ".whimbrel" / "checkout").is_file()
    if ours:
        settings = {**os.environ, "WHIMBREL_VENV": sys.prefix}
        command = [sys.executable, str(INSTALLER), extra]
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, env=settings, check=False)
        importlib.invalidate_caches()
    if importlib.util.find_spec(module) is None:
        raise MissingExtra(
            f"this needs {module}, which is not installed. Run: {sys.executable} -m pip install {module}"
        )
