"""`whimbrel bench crawl`, from the command line."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from whimbrel.bench.machine import MissingTool, need_package
from whimbrel.bench.server import NGINX
from whimbrel.testing.reply import Reply
from whimbrel.testing.site import site

PAGES = 40


def bench(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "whimbrel", "bench", "crawl", *arguments]
    return subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    for path, page in site(PAGES).items():
        assert isinstance(page, Reply)
        file = folder / ("index.html" if path == "/" else path.removeprefix("/"))
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(page.body.replace(b'href="/"', b'href="/index.html"'))
    return folder


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--peers", "whimbrel,lynx"], "there is no peer 'lynx'"),
        (["--peers", ","], "no peer named"),
        (["--runs", "0"], "0 is not in the range"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments: list[str], words: str) -> None:
    done = bench(*arguments)
    assert done.returncode == 2
    assert words in done.stderr


def test_a_folder_without_pages_is_refused(tmp_path: Path) -> None:
    done = bench("--peers", "whimbrel", "--site", str(tmp_path))
    assert done.returncode == 1
    assert "holds no index.html" in done.stderr


def test_a_missing_program_is_named_with_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingTool, match="Run: apt-get install --no-install-recommends lynx"):
        need_package(tmp_path / "lynx", "lynx", lambda words: None)


@pytest.mark.skipif(shutil.which("nginx") is None and not NGINX.exists(), reason="nginx is not installed")
def test_a_tiny_crawl_is_measured(pages: Path, tmp_path: Path) -> None:
    done = bench("--runs", "1", "--peers", "whimbrel", "--site", str(pages), "--work", str(tmp_path), "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["faults"] == []
    assert report["expected_pages"] == PAGES
    (run,) = report["runs"]
    assert (run["peer"], run["pages"]) == ("whimbrel", PAGES)
    assert 0 < run["cpu_seconds"] < 60
    assert run["peak_bytes"] > 10_000_000
    assert [one["pages"] for one in report["floor"]] == [PAGES, PAGES]
    assert report["stages"]["pages"] == PAGES
    assert all(microseconds > 0 for microseconds in report["stages"]["stages"].values())
    assert report["stages"]["followers"]["reading"] > 0
    assert list(tmp_path.iterdir()) == []
