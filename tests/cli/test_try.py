"""`whimbrel try`, started the way a user starts it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from whimbrel.testing.garden import CALENDAR, CLOSED, COPY, KEPT_PAGE, MISSING, MOVED, PAGES, START, garden
from whimbrel.testing.reply import Reply


def attempt(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "whimbrel", "try", *arguments]
    settings = os.environ | {"TMPDIR": str(cwd)}
    return subprocess.run(command, cwd=cwd, env=settings, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shown")


@pytest.fixture(scope="module")
def told(place: Path) -> subprocess.CompletedProcess[str]:
    return attempt(cwd=place)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, object]]:
    folder = tmp_path_factory.mktemp("kept")
    done = attempt("--json", "--repo", "garden", cwd=folder)
    assert done.returncode == 0, done.stderr
    facts: dict[str, object] = json.loads(done.stdout)
    return folder / "garden", facts


def path_of(fact: object) -> str:
    assert isinstance(fact, dict)
    return "/" + fact["url"].split("/", 3)[3]


def test_it_ends_well_and_leaves_nothing_behind(told: subprocess.CompletedProcess[str], place: Path) -> None:
    assert told.returncode == 0, told.stderr
    assert "everything in scope has been visited" in told.stdout
    assert told.stderr == ""
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    "shown",
    [
        "Whimbrel · A Garden by the Shore",
        f"same bytes as {KEPT_PAGE}",
        f"redirects to {KEPT_PAGE}",
        "robots.txt says Disallow: /nests/ (line 3)",
        "?month= keeps changing",
        "the server answered 404",
        " fetched (2 assets, 1 sitemap)",
    ],
)
def test_what_the_site_has_in_store_is_shown(told: subprocess.CompletedProcess[str], shown: str) -> None:
    assert shown in told.stdout


def test_it_fits_into_eighty_columns(told: subprocess.CompletedProcess[str]) -> None:
    assert [line for line in told.stdout.split("\n\n", 1)[1].splitlines() if len(line) > 80] == []


def test_the_last_three_lines_say_what_to_try_next(told: subprocess.CompletedProcess[str]) -> None:
    assert all("whimbrel" in line for line in told.stdout.splitlines()[-3:])


def test_the_facts_as_json(kept: tuple[Path, dict[str, object]]) -> None:
    _, facts = kept
    assert facts["ended"] == "finished"
    assert {name: path_of(facts[name]) for name in ("copy", "moved", "robots", "missing")} == {
        "copy": COPY,
        "moved": MOVED,
        "robots": CLOSED,
        "missing": MISSING,
    }
    assert path_of(facts["trap"]).startswith(CALENDAR)
    read = int(str(facts["pages"])) + 3  # the pages, their sitemap, style sheet and picture
    assert facts["outcomes"] == {"fetched": read, "duplicate": 1, "redirected": 1, "refused": 1, "failed": 1}


def test_every_page_of_the_garden_is_kept(kept: tuple[Path, dict[str, object]]) -> None:
    _, facts = kept
    months = int(path_of(facts["trap"]).removeprefix(CALENDAR)) - 1
    assert facts["pages"] == PAGES + months


def test_a_kept_folder_can_be_looked_at(kept: tuple[Path, dict[str, object]]) -> None:
    folder, facts = kept
    command = [sys.executable, "-m", "whimbrel", "status", "--json", "--repo", str(folder)]
    status = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=300).stdout)
    assert status["pages"] == facts["pages"] == status["states"]["fetched"] - status["sitemaps"] - status["assets"]


def test_a_folder_in_use_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    done = attempt("--repo", "mine", cwd=tmp_path)
    assert done.returncode == 2
    assert "Name a new folder" in done.stderr
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["letter.txt"]


def test_the_garden_is_consistent() -> None:
    """Every link of the site leads to a page of it, but for the one that is meant to be missing and the closed one."""
    pages = garden()
    documents = {
        path: page.body.decode()
        for path, page in pages.items()
        if isinstance(page, Reply) and page.content_type.startswith("text/html") and page.status == 200
    }
    linked = {href for body in documents.values() for href in re.findall(r'(?:href|src)="([^"]+)"', body)}
    assert linked - pages.keys() == {MISSING, CLOSED}
    assert documents.keys() - linked == set()
    assert len(documents.keys() - {COPY}) == PAGES
    assert START in documents
