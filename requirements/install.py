"""Installs what a lock file names: `install.py core|test|bench|replay|parquet|search|meaning|agents|notify|…`. Run by
the launcher, `./test` and by verbs that need more than the core.

It needs nothing but the standard library. `core`, `test` and what single verbs need beside it (`parquet`, `search`,
`meaning`, `agents`, `notify`, `places`, `cel`, `wasm`) share `.venv` (or $WHIMBREL_VENV). `bench` holds the programs we
are measured against,
`replay` the one that replays our archives in the tests; both bring dependencies of their own age and stay apart in
`.venv-bench` and `.venv-replay`. On success it prints nothing to stdout.

An environment is current when its `.whimbrel/<name>.lock` equals the lock file; that copy is written last, so
an interrupted installation is never taken for a finished one.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Not the environment's own symlink: that goes when the environment is rebuilt. With the minor version in its
# name it also dangles after an upgrade of the system's Python, which the launcher notices.
BASE_PYTHON = os.path.realpath(sys.executable)
UNAVAILABLE = 69  # EX_UNAVAILABLE of sysexits.h
INCLUDES = {"core": ["core"], "test": ["test", "core"], "bench": ["bench"], "replay": ["replay"],
            "parquet": ["parquet", "core"], "search": ["search", "core"],
            "meaning": ["meaning", "search", "core"], "agents": ["agents", "search", "core"],
            "notify": ["notify", "core"], "places": ["places", "core"],
            "cel": ["cel", "core"], "wasm": ["wasm", "core"]}  # fmt: skip
APART = ("bench", "replay")
ADDED = ("parquet", "search", "meaning", "agents", "notify", "places", "cel", "wasm")


class Stop(Exception):
    """Installation cannot go on; the message says what the user can do."""


def say(text: str) -> None:
    sys.stderr.write(f"whimbrel: {text}\n")
    sys.stderr.flush()


def environment_for(name: str) -> Path:
    beside = Path(os.environ.get("WHIMBREL_VENV") or ROOT / ".venv").absolute()
    return beside.with_name(f"{beside.name}-{name}") if name in APART else beside


def lock_of(name: str) -> Path:
    return ROOT / "requirements" / f"{name}.lock"


def same(one: Path, other: Path) -> bool:
    return one.is_file() and other.is_file() and one.read_bytes() == other.read_bytes()


def is_current(venv: Path, name: str) -> bool:
    notes = venv / ".whimbrel"
    return runs(venv) and same(lock_of(name), notes / f"{name}.lock") and belongs_here(venv)


def runs(venv: Path) -> bool:
    return os.access(venv / "bin" / "python", os.X_OK)


def belongs_here(venv: Path) -> bool:
    note = venv / ".whimbrel" / "checkout"
    return note.is_file() and note.read_text() == f"{ROOT}\n"


def must_rebuild(venv: Path) -> bool:
    """A half-written package can look installed to pip, and scripts hold the path they were made for."""
    notes = venv / ".whimbrel"
    moved = (notes / "checkout").exists() and not belongs_here(venv)
    return not runs(venv) or (notes / "installing").exists() or moved


@contextmanager
def locked(venv: Path) -> Iterator[None]:
    """One installer at a time. A kernel lock on the folder itself ends with its holders, however they die; pip
    inherits it, because it goes on for a while when only its parent was killed."""
    try:
        venv.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Stop(f"cannot make {venv} ({error.strerror}); set WHIMBREL_VENV to a folder you may write") from error
    folder = os.open(venv, os.O_RDONLY | os.O_DIRECTORY)
    os.set_inheritable(folder, True)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another start is installing; waiting for it")
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def run(command: list[str], log: Path) -> None:
    """Runs quietly; on failure shows the end of what it said."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, close_fds=False
    )
    with log.open("ab") as out:
        out.write(done.stdout)
    if done.returncode:
        sys.stderr.write("\n".join(["failed", *done.stdout.decode(errors="replace").splitlines()[-12:], ""]))
        raise Stop(
            f"`{' '.join(command[:4])} …` failed (all it said: {log}). Check the network, pip's configuration "
            "and the free disk space, then start again"
        )


def has_ensurepip() -> bool:
    return subprocess.run([BASE_PYTHON, "-c", "import ensurepip"], stderr=subprocess.DEVNULL).returncode == 0


def need_ensurepip() -> None:
    """Debian keeps ensurepip in a package of its own."""
    if has_ensurepip():
        return
    default = os.path.realpath("/usr/bin/python3") == BASE_PYTHON
    package = "python3-venv" if default else f"python3.{sys.version_info.minor}-venv"
    if os.geteuid() == 0 and shutil.which("apt-get"):
        say(f"this Python cannot make environments; installing the Debian package {package}")
        if not apt_install(package) and apt("update"):
            apt_install(package)
        if has_ensurepip():
            return
    raise Stop(f"this Python ({BASE_PYTHON}) cannot make environments. Run: apt-get install {package}")


def apt_install(package: str) -> bool:
    return apt("install", "--yes", "--no-install-recommends", package)


def apt(*arguments: str) -> bool:
    settings = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "-qq", *arguments]
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, env=settings).returncode == 0


def empty(venv: Path) -> None:
    """Removes all but our notes, and only where this plainly is an environment: WHIMBREL_VENV may be mistyped."""
    entries = [entry for entry in venv.iterdir() if entry.name != ".whimbrel"]
    ours = (venv / "pyvenv.cfg").is_file() or (venv / ".whimbrel" / "installing").exists()
    if entries and not ours:
        raise Stop(f"{venv} holds something else; set WHIMBREL_VENV to a new or empty folder")
    for entry in entries:
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def rebuild(venv: Path) -> None:
    empty(venv)
    notes = venv / ".whimbrel"
    shutil.rmtree(notes, ignore_errors=True)
    notes.mkdir()
    (notes / "installing").touch()
    run([BASE_PYTHON, "-m", "venv", str(venv)], notes / "install.log")


def install(venv: Path, name: str) -> None:
    notes, python = venv / ".whimbrel", str(venv / "bin" / "python")
    stamps = {lock_of(part): notes / f"{part}.lock" for part in INCLUDES[name]}
    notes.mkdir(exist_ok=True)
    (notes / "installing").touch()
    for lock, stamp in stamps.items():
        if not same(lock, stamp):
            stamp.unlink(missing_ok=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
    locks = list(stamps) if name in ADDED else [lock_of(name)]
    # The locks name all that is needed; pip's own resolver stumbles over what two of the peers ask of lxml.
    run([*pip, "--no-deps", "--require-hashes", *(f"--requirement={lock}" for lock in locks)], notes / "install.log")
    if name not in APART:
        point_at_source(python)
    (notes / "checkout").write_text(f"{ROOT}\n")
    (notes / "installing").unlink()
    for lock, stamp in stamps.items():
        shutil.copyfile(lock, stamp.with_suffix(".new"))
        stamp.with_suffix(".new").replace(stamp)


def point_at_source(python: str) -> None:
    """A path file instead of a build: nothing to build, and an edited source file is the one that runs."""
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = subprocess.run([python, "-c", ask], check=True, capture_output=True, text=True).stdout.strip()
    Path(packages, "whimbrel.pth").write_text(f"{ROOT / 'src'}\n")
    # Where Python may not write bytecode (PYTHONDONTWRITEBYTECODE), every start would compile all of it anew.
    compiling = [python, "-m", "compileall", "-q", str(ROOT / "src")]
    subprocess.run(compiling, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def bring_up_to_date(venv: Path, name: str) -> None:
    started = time.monotonic()
    fresh = must_rebuild(venv)
    if fresh:
        need_ensurepip()
    sys.stderr.write(f"whimbrel: installing its {name} dependencies into {venv} (once) … ")
    sys.stderr.flush()
    if fresh:
        rebuild(venv)
    install(venv, name)
    sys.stderr.write(f"done in {time.monotonic() - started:.0f} s\n")


def main(name: str) -> int:
    venv = environment_for(name)
    try:
        if not is_current(venv, name):
            with locked(venv):
                if not is_current(venv, name):
                    bring_up_to_date(venv, name)
    except Stop as stop:
        say(str(stop))
        return UNAVAILABLE
    except OSError as error:
        say(f"cannot install into {venv}: {error}. Set WHIMBREL_VENV to a folder you may write")
        return UNAVAILABLE
    except KeyboardInterrupt:
        say("interrupted; the next start begins again")
        return 130
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in INCLUDES:
        sys.exit(f"usage: install.py {'|'.join(INCLUDES)}")
    sys.exit(main(sys.argv[1]))
