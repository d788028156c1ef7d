"""Benches on a machine that has neither the data of developers nor numpy."""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from whimbrel.bench import made_up
from whimbrel.bench.change import Case
from whimbrel.bench.refresh_site import content_of

BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "numpy":
            raise ModuleNotFoundError("No module named 'numpy'", name="numpy")
sys.meta_path.insert(0, Blocked())
from whimbrel.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def without_numpy(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", BLOCKED, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize("name", ["refresh", "change", "noise", "overlap"])
def test_help_needs_nothing(name: str, tmp_path: Path) -> None:
    said = without_numpy(tmp_path, "bench", name, "--help")
    assert said.returncode == 0, said.stderr
    assert "Usage: whimbrel bench" in said.stdout


def test_changes_are_measured_on_pairs_made_by_script(tmp_path: Path) -> None:
    said = without_numpy(tmp_path, "bench", "change", "--json")
    assert said.returncode == 0, said.stderr
    assert "is not here: pairs made by script instead" in said.stderr
    answer = json.loads(said.stdout)
    ours = next(one for one in answer["scores"] if (one["method"], one["site"]) == ("ours with both", "all"))
    assert ours["found"] == ours["changes"] > 0
    assert ours["false_alarms"] == 0
    assert [goal["figure"] for goal in answer["goals"]] == ["ms of CPU a pair, read and compared, median"]


@pytest.mark.long
def test_refreshes_are_measured_on_a_manual_made_by_script(tmp_path: Path) -> None:
    said = without_numpy(tmp_path, "bench", "refresh", "--shares", "35", "--json")
    assert said.returncode == 0, said.stderr
    assert "is not here: a manual made by script" in said.stderr
    assert [goal["reached"] for goal in json.loads(said.stdout)["goals"]] == [True]


def test_every_page_differs_and_some_say_something_else(tmp_path: Path) -> None:
    both = made_up.releases(tmp_path, 50)
    old, new = both.pages(both.old), both.pages(both.new)
    assert (len(old), len(old - new), len(new - old)) == (51, made_up.GONE, made_up.GONE)
    shared = sorted(old & new)
    bodies = {name: [(root / name).read_bytes() for root in (both.old, both.new)] for name in shared}
    assert all(before != after for before, after in bodies.values())
    loud = {name for name, (before, after) in bodies.items() if content_of(before) != content_of(after)}
    assert 0 < len(loud) < len(shared) / 2 + 1
    assert all(f'href="/{name}"'.encode() in bodies["index.html"][1] for name in shared if name != "index.html")


def test_pairs_are_labelled_by_their_content(tmp_path: Path) -> None:
    folder = made_up.pairs(tmp_path, 30)
    cases = [msgspec.json.decode(line, type=Case) for line in (folder / "pairs.jsonl").read_bytes().splitlines()]
    assert len(cases) == 30 - made_up.GONE
    assert {case.changed for case in cases} == {True, False}
