"""`export`: to a file or to standard output."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Call = Callable[..., Any]


def test_to_standard_output_and_to_a_file_alike(call: Call, folder: Path, tmp_path: Path) -> None:
    said = call("export", "--repo", folder, "--format", "jsonl")
    assert said.code == 0
    file = tmp_path / "pages.jsonl"
    written = call("export", "--repo", folder, "--output", file, "--json")
    assert written.object == {"format": "jsonl", "output": str(file), "pages": len(said.lines)}
    assert file.read_text() == said.out


def test_a_summary_beside_the_pages_goes_to_standard_error(call: Call, folder: Path) -> None:
    said = call("export", "--repo", folder, "--json", "--site", "b.example")
    assert json.loads(said.err)["pages"] == len(said.lines) == 3


def test_errors_say_what_to_do(call: Call, folder: Path, tmp_path: Path) -> None:
    unknown = call("export", "--repo", folder, "--format", "cuneiform")
    assert (unknown.code, "jsonl" in unknown.err) == (2, True)
    nowhere = call("export", "--repo", folder, "--output", tmp_path / "no" / "where")
    assert (nowhere.code, "--output" in nowhere.err) == (5, True)
    assert call("export", "--repo", tmp_path / "nothing").code == 3
