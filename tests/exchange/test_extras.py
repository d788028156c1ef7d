"""What single verbs need beside the core: named rightly, and installed by the very command that a message says."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

import pytest

from folders import PATIENCE
from grown_folder import Served, grow, page
from whimbrel.exchange.extras import MODULES, wanted
from whimbrel.testing.web import TinyWeb, site

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SAID = re.compile(r"this needs what the extra `(\w+)` brings, which is not installed\. Run: (.+)\n")


def plain(name: str) -> str:
    """As packages are compared (PEP 503)."""
    return re.sub(r"[-_.]+", "-", re.split(r"[ <>=!~;\[]", name)[0]).lower()


@pytest.mark.parametrize("extra", MODULES)
def test_every_package_of_an_extra_is_known_by_what_it_is_imported_as(extra: str) -> None:
    """The packages themselves say what they install."""
    packages = {plain(each) for each in PROJECT["optional-dependencies"][extra]}
    if not all(any(metadata.distributions(name=name)) for name in packages):
        pytest.skip(f"the extra `{extra}` is not installed")
    installed = metadata.packages_distributions()
    # One that brings a program alone, like a server, is imported as nothing.
    packages &= {plain(name) for names in installed.values() for name in names}
    assert packages
    assert {plain(name) for module in MODULES[extra] for name in installed[module]} >= packages
    assert all(packages & {plain(name) for name in installed[module]} for module in MODULES[extra])


def test_all_means_all_of_them() -> None:
    extras = PROJECT["optional-dependencies"]
    # `meaning` costs much to index with where it is installed, and pip would bring gigabytes along with it.
    assert extras["all"] == [f"whimbrel[{','.join(sorted(extras.keys() - {'all', 'meaning'}))}]"]
    assert extras.keys() - {"all"} == MODULES.keys()


REQUIRES = ["click<9", 'tantivy<1,>=0.24; extra == "search"', "pyarrow>=20; extra == 'parquet'"]


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        (None, ["whimbrel[search]"]),
        ({"url": "file:///usr/share", "dir_info": {}}, ["/usr/share[search]"]),
        ({"url": "file:///usr/bin/env", "archive_info": {}}, ["whimbrel[search] @ file:///usr/bin/env"]),
        ({"url": "https://a.example/w.whl", "archive_info": {}}, ["whimbrel[search] @ https://a.example/w.whl"]),
        (
            {"url": "https://a.example/w", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            ["whimbrel[search] @ git+https://a.example/w@abc"],
        ),
        ({"url": "file:///no/such%20place", "dir_info": {}}, ["tantivy<1,>=0.24"]),
    ],
)
def test_an_extra_is_of_the_whimbrel_that_runs(origin: dict[str, object] | None, said: list[str]) -> None:
    assert wanted("search", json.dumps(origin) if origin is not None else None, REQUIRES) == said


def test_of_what_is_only_read_nothing_else_is_installed() -> None:
    assert wanted("meaning", None, ['a-model<1; extra == "meaning"', *REQUIRES]) == ["--no-deps", "a-model<1"]


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages that holds the core and nothing else."""
    folder = tmp_path_factory.mktemp("core")
    names = re.findall(r"^([a-z0-9._-]+)==", (ROOT / "requirements" / "core.lock").read_text(), re.MULTILINE)
    for name in names:
        for found in metadata.distributions(name=name):
            place = Path(str(found.locate_file("")))
            for top in {file.parts[0] for file in found.files or () if file.parts[0] not in ("..", "__pycache__")}:
                if not (folder / top).exists():
                    (folder / top).symlink_to(place / top)
    return folder


def run(core: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Without the packages of the tests' own environment."""
    settings = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{core}:{ROOT / 'src'}"}
    command = [sys.executable, "-S", "-P", "-m", "whimbrel", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, env=settings, stdin=subprocess.DEVNULL
    )


def asked_for(answer: "subprocess.CompletedProcess[str]") -> list[str]:
    assert answer.returncode == 1, answer
    said = SAID.search(answer.stderr)
    assert said is not None, answer.stderr
    return shlex.split(said[2])


@pytest.mark.parametrize(
    ("extra", "arguments"),
    [
        ("search", ("search", "words")),
        ("search", ("index",)),
        ("search", ("terms", "word")),
        ("search", ("serve", "--port", "0")),
        ("search", ("crawl", "http://127.0.0.1:1/", "--serve")),
        ("parquet", ("export", "--format", "parquet", "--output", "x.parquet")),
    ],
)
def test_every_verb_that_needs_an_extra_says_the_command(
    core: Path, tmp_path: Path, extra: str, arguments: tuple[str, ...]
) -> None:
    grow(tmp_path, {"http://a.example/": Served(page("a page that is kept"))})
    command = asked_for(run(core, *arguments, "--repo", str(tmp_path)))
    assert command == [sys.executable, "-m", "pip", "install", f"{ROOT}[{extra}]"]


def environment(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    return folder / "bin"


def do(command: Iterable[str | Path]) -> "subprocess.CompletedProcess[str]":
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        timeout=6 * PATIENCE,
        stdin=subprocess.DEVNULL,
        env=clean,
    )


def test_pip_takes_every_file_along() -> None:
    """It leaves out what git is told to ignore, whether git has it or not."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone")
    ignored = do(["git", "-C", ROOT, "ls-files", "--cached", "--ignored", "--exclude-standard"])
    assert (ignored.returncode, ignored.stdout) == (0, "")


@pytest.mark.long
def test_pip_installs_whimbrel_and_then_what_the_message_says(tmp_path: Path) -> None:
    """Real pip in a new environment: the core crawls, the message's own command makes it search and serve."""
    tools = environment(tmp_path / "venv")
    installed = do([tools / "pip", "install", "--quiet", ROOT])
    assert installed.returncode == 0, installed.stderr
    folder = tmp_path / "folder"
    with TinyWeb(site(3)) as web:
        crawled = do([tools / "whimbrel", "crawl", web.url("/"), "--repo", folder])
        assert crawled.returncode == 0, crawled.stderr
    command = asked_for(do([tools / "whimbrel", "search", "page", "--repo", folder]))
    assert command[1:] == ["-m", "pip", "install", f"{ROOT}[search]"]
    added = do(command)
    assert added.returncode == 0, added.stderr
    found = do([tools / "whimbrel", "search", "page", "--json", "--repo", folder])
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["total"] == 3
    assert do([tools / "python", "-c", "import whimbrel.web.app"]).returncode == 0, "templates and files came along"
