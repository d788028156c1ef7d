"""Every command that README, docs and help show is run as it stands, and succeeds.

They run against the hosts they name (see `example_web`). A folder that a command presupposes stands there: it was
crawled and refreshed before, so that it has pages, versions and changes. What goes on until it is stopped is stopped.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import click
import pytest
from example_web import ExampleWeb, example_web
from PIL import Image
from shown import DOCUMENTS, Command, commands, verbs

from commands import WHIMBREL
from whimbrel.cli import exits
from whimbrel.cli.main import main, whimbrel

READ_ONLY = ("bench", "migrants", "place", "places", "--webhook", "--meaning")
"""What takes minutes, needs a crawl under way or another host, or installs something has tests of its own: here only
its words are held against the flags there are."""
MAY_BE_ABSENT = ("--undo", "--why", "--request", "--end", "019a95c1f2b-0a1b2c3d")
"""These name something that depends on the site or on readers; that it is not there is an answer too."""
MAKES_FOLDERS = ("crawl", "try", "import", "bench", "check")
FORMATS = {".warc.gz": "warc", ".wacz": "wacz", ".jsonl": "jsonl", ".csv": "csv"}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExampleWeb]:
    with example_web(tmp_path_factory.mktemp("web")) as web:
        yield web


@pytest.fixture(scope="module")
def grown(web: ExampleWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every page that an example names, in three versions."""
    folder = tmp_path_factory.mktemp("grown") / "folder"
    words = {word for command in _all() for word in command.words}
    hosts = {f"https://{word}/" for word in words if re.fullmatch(r"[\w.-]+\.example(\.org)?", word)}
    seeds = sorted({"https://docs.example.org/", *hosts, *(word for word in words if word.startswith("https://"))})
    environment = {**os.environ, **web.settings}
    for arguments in (["crawl", *seeds, "--scope", "list"], ["refresh", "--all"], ["refresh", "--all"]):
        done = subprocess.run(
            [*WHIMBREL, *arguments, "--repo", folder], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        web.edit()
    return folder


@pytest.fixture
def here(tmp_path: Path, web: ExampleWeb, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands are typed."""
    program = tmp_path / "whimbrel"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m whimbrel "$@"\n')
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for name in sorted({name for shown in _all() for name in re.findall(r"env:(\w+)", shown.line)}):
        monkeypatch.setenv(name, "ada:correct-horse")
    for name, value in {**web.settings, "PATH": f"{tmp_path}:{os.environ['PATH']}"}.items():
        monkeypatch.setenv(name, value)
    return tmp_path


@cache
def _all() -> list[Command]:
    return [command for document in (*DOCUMENTS, *verbs()) for command in commands(document)]


@pytest.mark.parametrize("document", [*DOCUMENTS, *verbs()], ids=lambda one: one if isinstance(one, str) else one.stem)
def test_every_command_shown_runs(
    document: Path | str, here: Path, grown: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for command in commands(document):
        _presuppose(command, here, grown)
        code, said = _run(command, capfd)
        allowed = {exits.OK, exits.NOT_FOUND} if set(MAY_BE_ABSENT) & set(command.words) else {exits.OK}
        assert code in allowed, f"{command.line}\nexit code {code}\n{said}"


def _run(command: Command, capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    if set(READ_ONLY) & set(command.words):
        return _understood(command)
    if command.stays:
        return _stopped(command)
    if command.plain and command.verb not in ("forget", "mcp"):  # these read what is typed
        code = main(list(command.words))
        said = capfd.readouterr()
        return code, said.out + said.err
    line = ["bash", "-c", command.line]
    done = subprocess.run(line, input="y\n", capture_output=True, text=True, timeout=300)  # a yes, where it asks
    return done.returncode, done.stdout + done.stderr


def _understood(command: Command) -> tuple[int, str]:
    try:
        chosen, words = whimbrel, list(command.words)
        while isinstance(chosen, click.Group):
            _, chosen, words = chosen.resolve_command(click.Context(chosen), words)
        chosen.make_context(command.verb, words)
    except click.ClickException as error:
        return error.exit_code, error.format_message()
    return 0, ""


def _stopped(command: Command) -> tuple[int, str]:
    """Stopped by Ctrl-C once it has said something."""
    with subprocess.Popen(
        [*WHIMBREL, *command.words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=300)
        # Some are asked to end before they have taken signals over: the interpreter ends them, in one of two ways.
        ended = process.returncode in (exits.INTERRUPTED, -signal.SIGINT) and command.verb != "watch"
        return 0 if ended else process.returncode, first + said


def _draw(here: Path, folder: Path, words: Sequence[str]) -> None:
    """Files of pictures that a command names, and the classes of pictures that it asks for."""
    picture = Image.new("L", (60, 60), 255)
    picture.paste(0, (10, 25, 50, 35))
    picture.save(here / "drawn.png")
    for word in words:
        if word.endswith((".png", ".jpg")) and "/" not in word:
            picture.save(here / word)
    flags = [flag for flag in ("--shape", "--shows") if flag in words]
    asked = [words[words.index(flag) + 1] for flag in flags] + ([words[1]] if "--forget" in words[2:] else [])
    for name in (name for name in asked if name.isalpha()):
        main(["shapes", name, str(here / "drawn.png"), "--repo", str(folder)])


def _presuppose(command: Command, here: Path, grown: Path) -> None:
    words = command.words
    folder = here / (words[words.index("--repo") + 1] if "--repo" in words else "whimbrel-data")
    goes_on = command.verb == "crawl" and not any("://" in word or word == "--seeds" for word in words)
    if (goes_on or command.verb not in MAKES_FOLDERS) and not folder.exists():
        shutil.copytree(grown, folder)
    if "--seeds" in words and words[words.index("--seeds") + 1] != "-":
        (here / words[words.index("--seeds") + 1]).write_text("https://docs.example.org/\n")
    _draw(here, folder, words)
    if command.verb == "import":
        for name, form in ((word, form) for word in words for end, form in FORMATS.items() if word.endswith(end)):
            if not (here / name).exists():
                assert main(["export", "--repo", str(grown), "--format", form, "--output", str(here / name)]) == 0
