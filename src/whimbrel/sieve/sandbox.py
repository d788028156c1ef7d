"""The sandbox for users' programs: CPython as one WebAssembly component, made and compiled on this machine.

It is made of `guest/` by componentize-py, with all that would lead outside cut off, then compiled by wasmtime. Both
take a processor some twenty seconds, once: the result lies in a folder of this environment. Compiled code is machine
code: it is taken from that folder alone, which nobody writes but who runs Whimbrel, never from a home or a place.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wasmtime import Engine

GUEST = Path(__file__).parent / "guest"
_MAKERS = ("componentize-py", "wasmtime")
COMPILED = "guest.compiled"


class NoSandbox(Exception):
    """It could not be made; the message says why."""


def folder() -> Path:
    """One for each version of all that goes into it."""
    named = hashlib.sha256()
    for source in sorted(GUEST.glob("*.*")):
        named.update(source.read_bytes())
    for maker in _MAKERS:
        named.update(f"{maker} {version(maker)}".encode())
    return _beside() / f"sandbox-{named.hexdigest()[:16]}"


def _beside() -> Path:
    """In the environment; where that is not ours to write, with what the user's other programs keep."""
    ours = Path(sys.prefix) / ".whimbrel"
    if ours.is_dir() and os.access(ours, os.W_OK):
        return ours
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "whimbrel"


def is_made() -> bool:
    return (folder() / COMPILED).is_file()


def make() -> Path:
    """The folder of the compiled sandbox; it is made where there is none. One process at a time."""
    place = folder()
    if (place / COMPILED).is_file():
        return place
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    held = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not (place / COMPILED).is_file():
            _make(place)
    finally:
        os.close(held)
    return place


def _make(place: Path) -> None:
    with tempfile.TemporaryDirectory(dir=place) as work:
        shutil.copyfile(GUEST / "filter.wit", Path(work) / "filter.wit")
        shutil.copyfile(GUEST / "guest.py.txt", Path(work) / "whimbrel_guest.py")  # no module of ours: it runs inside
        component = Path(work) / "guest.wasm"
        command = [
            sys.executable, "-c", "import componentize_py; componentize_py.script()", "-d", "filter.wit",
            "-w", "page-filter", "componentize", "--stub-wasi", "whimbrel_guest", "-o", str(component),
        ]  # fmt: skip
        done = subprocess.run(command, cwd=work, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode or not component.is_file():
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise NoSandbox(f"the sandbox for programs could not be made: {said[-1] if said else done.returncode}")
        from wasmtime.component import Component

        compiled = Path(work) / COMPILED
        compiled.write_bytes(Component(engine(), component.read_bytes()).serialize())
        compiled.replace(place / COMPILED)


def engine() -> "Engine":
    from wasmtime import Config, Engine

    config = Config()
    config.consume_fuel = True
    return Engine(config)
