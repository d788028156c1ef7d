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


def test_binary_formats_and_folders_need_a_name(call: Call, folder: Path, tmp_path: Path) -> None:
    for name in ("warc", "wacz", "markdown", "parquet"):
        said = call("export", "--repo", folder, "--format", name)
        assert (said.code, "--output" in said.err) == (2, True), name
    for name in ("warc", "wacz", "markdown", "csv"):
        said = call("export", "--repo", folder, "--format", name, "--output", tmp_path / name, "--json")
        assert said.code == 0
        assert said.object["pages"] > 0
        assert (tmp_path / name).exists()
    assert call("export", "--repo", folder, "--format", "markdown", "--output", tmp_path / "markdown").code == 5


def test_a_table_goes_to_standard_output_as_to_a_file(call: Call, folder: Path, tmp_path: Path) -> None:
    said = call("export", "--repo", folder, "--format", "csv")
    call("export", "--repo", folder, "--format", "csv", "--output", tmp_path / "pages.csv")
    assert (tmp_path / "pages.csv").read_bytes().decode() == said.out
