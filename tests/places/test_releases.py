"""A place of the release before works for home of today, and a place of today for home of the release before: with that
release's own code, taken from the history of this repository."""

import subprocess
import sys
from pathlib import Path

import pytest
from neighbours import PATIENCE, allow, at_work, crawl_far, join

from folders import crawl, everything
from whimbrel.migrants.wire import before
from whimbrel.migrants.wire.messages import VERSION
from whimbrel.places.at.diary import leaves
from whimbrel.testing.web import TinyWeb, site

TOP = Path(__file__).parents[2]
MESSAGES = "src/whimbrel/migrants/wire/messages.py"


def git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=TOP, capture_output=True, check=True).stdout


def raised_in(version: int) -> str:
    """The commit that raised the version to this one; "" where the history that is here does not reach back so far."""
    try:
        said = git("log", "--reverse", "--format=%H", f"-SVERSION = {version}\n", "--", MESSAGES).split()
        return said[0].decode() if said and git("rev-parse", f"{said[0].decode()}^") else ""
    except (OSError, subprocess.CalledProcessError):
        return ""


RAISED = raised_in(VERSION)
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not RAISED, reason="the history of this repository does not hold the release before"),
]


@pytest.fixture(scope="session")
def release_before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("before")
    subprocess.run(["tar", "-x", "-C", folder], input=git("archive", f"{RAISED}^", "src"), check=True)
    assert f"VERSION = {before.VERSION}\n" in (folder / MESSAGES).read_text()
    return folder


def with_code_of(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is started from now on runs that release's code."""
    monkeypatch.setenv("PYTHONPATH", str(release / "src"))
    loaded = subprocess.run(
        [sys.executable, "-c", "import whimbrel; print(whimbrel.__file__)"],
        capture_output=True, text=True, check=True, cwd=release,
    )  # fmt: skip
    assert loaded.stdout.startswith(str(release))


def test_a_place_of_the_release_before_works_for_home_of_today(
    tmp_path: Path, release_before: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, place = tmp_path / "far", tmp_path / "place"
    join(folder, place)
    allow(place, requests_per_second="1000")
    with TinyWeb(site(60, 4, seed=3)) as web:
        assert crawl(tmp_path / "local", web.url("/")).why == "finished"
        with monkeypatch.context() as old:
            with_code_of(release_before, old)
            with at_work(place):
                old.undo()
                assert crawl_far(folder, web.url("/"), check_share=0.0).why == "finished"
    alike(folder, tmp_path / "local", place)


def test_a_place_of_today_works_for_home_of_the_release_before(
    tmp_path: Path, release_before: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, place = tmp_path / "far", tmp_path / "place"
    join(folder, place)
    allow(place, requests_per_second="1000")
    with TinyWeb(site(60, 4, seed=3)) as web, at_work(place):
        assert crawl(tmp_path / "local", web.url("/")).why == "finished"
        with_code_of(release_before, monkeypatch)
        (tmp_path / "whimbrel.toml").write_text("[places]\ncheck_share = 0.0\n")
        subprocess.run(
            [sys.executable, "-m", "whimbrel", "crawl", web.url("/"), "--repo", str(folder)],
            check=True, timeout=PATIENCE, cwd=tmp_path,
        )  # fmt: skip
    alike(folder, tmp_path / "local", place)


def alike(far: Path, local: Path, place: Path) -> None:
    """And it was the place that read the pages."""
    assert len(everything(far)) > 60
    assert everything(far) == everything(local)
    left = {url for leaf in leaves(place) for url, _ in leaf.pages}
    assert len(left) > 60
