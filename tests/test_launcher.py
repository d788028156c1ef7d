"""The launcher: it installs once, starts at once afterwards, and says what to do when it cannot."""

import os
import re
import resource
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCKS = sorted((ROOT / "requirements").glob("*.lock"))
LOCKED = "# Nothing to install: what is tested is the way there.\n"


def checkout(folder: Path) -> Path:
    """A clone with an empty lock file, so that installing needs no network."""
    (folder / "requirements").mkdir(parents=True)
    (folder / "src" / "whimbrel").mkdir(parents=True)
    for name in ("whimbrel", "requirements/install.py", "src/whimbrel/__init__.py", "src/whimbrel/__main__.py"):
        shutil.copy(ROOT / name, folder / name)
    (folder / "requirements" / "core.lock").write_text(LOCKED)
    return folder


def environment(**changes: str) -> dict[str, str]:
    """This Python first in the path; nothing of the caller's own settings."""
    base = {"PATH": f"{Path(sys.base_prefix) / 'bin'}:/usr/bin:/bin", "HOME": os.environ.get("HOME", "/")}
    return base | changes


def start(program: Path, *arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *(arguments or ["--version"])],
        env=environment(**changes),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


def answered(done: subprocess.CompletedProcess[str]) -> bool:
    return done.returncode == 0 and re.fullmatch(r"whimbrel \d+\.\d+\.\d+\n", done.stdout) is not None


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout in which two first starts ran at once."""
    root = checkout(tmp_path_factory.mktemp("launcher") / "a checkout")
    both = [
        subprocess.Popen(
            [root / "whimbrel", "--version"],
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert sum("installing its core dependencies" in errors for _, errors in said) == 1, said
    return root


def test_once_installed_it_says_nothing_and_installs_nothing(installed):
    done = start(installed / "whimbrel")
    assert answered(done)
    assert done.stderr == ""


def test_it_starts_through_links(installed, tmp_path):
    (tmp_path / "one").symlink_to(installed / "whimbrel")
    (tmp_path / "two").symlink_to("one")
    done = start(tmp_path / "two")
    assert answered(done)
    assert done.stderr == ""


def test_a_file_in_the_current_folder_is_not_imported(installed, tmp_path, monkeypatch):
    (tmp_path / "whimbrel.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    assert answered(start(installed / "whimbrel"))


def test_the_version_comes_at_once(installed, record_property):
    """0.2 s is the promise; measured in processor time against a bare Python, which is slow where the machine is."""

    def spent(*command: Path | str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, env=environment(), stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    runs = [
        (spent(installed / ".venv/bin/python", "-c", "pass"), spent(installed / "whimbrel", "--version"))
        for _ in range(7)
    ]
    bare, ours = map(min, zip(*runs, strict=True))
    record_property("version_seconds", ours)
    sys.stdout.write(f"--version {ours:.3f} s, bare Python {bare:.3f} s\n")
    assert ours <= max(3 * bare, 0.1)


def test_a_changed_lock_and_an_interrupted_installation_are_made_good(installed):
    notes = installed / ".venv" / ".whimbrel"
    (installed / "requirements" / "core.lock").write_text(LOCKED + "# A new line.\n")
    (notes / "installing").touch()
    (installed / ".venv" / "left-over").touch()
    done = start(installed / "whimbrel")
    assert answered(done)
    assert done.stderr.count("\n") == 1
    assert "installing its core dependencies" in done.stderr
    assert not (installed / ".venv" / "left-over").exists()
    assert not (notes / "installing").exists()


@pytest.fixture
def without_ensurepip(tmp_path: Path) -> dict[str, str]:
    """Debian's Python as it comes: ensurepip cannot be imported; apt-get finds nothing."""
    (tmp_path / "modules" / "ensurepip").mkdir(parents=True)
    (tmp_path / "modules" / "ensurepip" / "__init__.py").write_text("raise ImportError")
    (tmp_path / "bin").mkdir()
    apt = tmp_path / "bin" / "apt-get"
    apt.write_text(f'#!/bin/sh\necho "$@" >>"{tmp_path}/apt-calls"\nexit 100\n')
    apt.chmod(0o755)
    return {"PYTHONPATH": str(tmp_path / "modules"), "PATH": f"{tmp_path / 'bin'}:{environment()['PATH']}"}


def test_without_ensurepip_it_installs_the_package_or_names_the_command(tmp_path, without_ensurepip):
    done = start(checkout(tmp_path / "w") / "whimbrel", **without_ensurepip)
    assert done.returncode == 69
    assert re.search(r"Run: apt-get install python3(\.\d+)?-venv\n$", done.stderr)
    calls = tmp_path / "apt-calls"
    assert calls.exists() == (os.geteuid() == 0)
    if calls.exists():
        assert re.search(r"install --yes .*python3(\.\d+)?-venv", calls.read_text())


def test_without_any_python_it_says_what_to_install(tmp_path):
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("python3", "python3.13", "python3.12", "python3.11"):
        (tools / name).write_text("#!/bin/sh\nexit 1\n")
        (tools / name).chmod(0o755)
    root = checkout(tmp_path / "w")
    # The system's own Python is named by its path; only a text without it can be made to miss it.
    text = (root / "whimbrel").read_text()
    assert "/usr/bin/python3" in text
    (root / "whimbrel").write_text(text.replace("/usr/bin/python3", str(tools / "python3")))
    done = start(root / "whimbrel", PATH=f"{tools}:/usr/bin:/bin")
    assert done.returncode == 69
    assert "needs Python 3.11 or newer" in done.stderr


def test_it_never_empties_a_folder_that_is_not_an_environment(tmp_path):
    precious = tmp_path / "home" / "letter"
    precious.parent.mkdir()
    precious.touch()
    done = start(checkout(tmp_path / "w") / "whimbrel", WHIMBREL_VENV=str(precious.parent))
    assert done.returncode == 69
    assert "holds something else" in done.stderr
    assert precious.exists()


def pins(lock: Path) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", lock.read_text(), re.MULTILINE))


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_lock_files_pin_by_hash_and_name_no_host(lock):
    text = lock.read_text()
    entries = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    assert entries
    assert all("==" in entry and "--hash=sha256:" in entry for entry in entries)
    assert "://" not in text
    assert "--index-url" not in text


def test_the_test_environment_holds_the_core_as_it_is():
    assert pins(ROOT / "requirements/core.lock").items() <= pins(ROOT / "requirements/test.lock").items()


def test_every_dependency_is_locked():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = {re.split(r"[<>=!~]", text)[0] for text in project["project"]["dependencies"]}
    tools = {re.split(r"[<>=!~]", text)[0] for text in project["dependency-groups"]["test"]}
    assert wanted <= pins(ROOT / "requirements/core.lock").keys()
    assert wanted | tools <= pins(ROOT / "requirements/test.lock").keys()
