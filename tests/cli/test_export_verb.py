"""`export`: to a file or to standard output."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

Call = Callable[..., Any]


def test_to_standard_output_and_to_a_file_alike(call: Call, folder: Path, tmp_path: Path) -> None:
    said = call("export", "--repo", folder, "--format", "jsonl")
    assert said.code == 0
    file = tmp_path / "pages.jsonl"
    written = call("export", "--repo", folder, "--output", file, "--json")
    twins = sum("duplicate_of" in line for line in said.lines)
    pages = len(said.lines) - twins
    assert written.object == {"format": "jsonl", "output": str(file), "pages": pages, "twins": twins}
    assert file.read_text() == said.out
    assert twins > 1
    again = call("export", "--repo", folder, "--output", file)
    assert again.out == f"{pages} pages and {twins} twins written to {file}\n"


def test_another_s_file_is_replaced_only_when_that_is_asked_for(call: Call, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "pages.csv"
    file.write_text("what somebody wrote")
    order = ("export", "--repo", folder, "--format", "csv", "--output", file)
    refused = call(*order)
    assert (refused.code, "--force" in refused.err) == (5, True)
    assert file.read_text() == "what somebody wrote"
    assert call(*order, "--force").code == 0
    written = file.read_bytes()
    assert call(*order).code == 0  # its own, as a nightly job finds it
    assert file.read_bytes() == written
    file.write_bytes(written + b"a note of my own")
    assert call(*order).code == 5
    assert file.read_bytes().endswith(b"a note of my own")
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (copy / "exports.json").unlink()
    assert call("export", "--repo", copy, "--output", file, "--force").code == 0
    assert call(*order).code == 5  # another folder's by now
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["pages.csv"]


def test_what_is_no_file_is_never_replaced(call: Call, folder: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for flags in ((), ("--force",)):
        assert call("export", "--repo", folder, "--output", pipe, *flags).code == 5
    assert pipe.is_fifo()


def test_a_summary_beside_the_pages_goes_to_standard_error(call: Call, folder: Path) -> None:
    said = call("export", "--repo", folder, "--json", "--site", "b.example")
    told = json.loads(said.err)
    assert told["pages"] + told["twins"] == len(said.lines) == 3


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
        assert said.object["documents" if name in ("warc", "wacz") else "pages"] > 0
        assert (tmp_path / name).exists()
    assert call("export", "--repo", folder, "--format", "markdown", "--output", tmp_path / "markdown").code == 5


def test_a_table_goes_to_standard_output_as_to_a_file(call: Call, folder: Path, tmp_path: Path) -> None:
    said = call("export", "--repo", folder, "--format", "csv")
    call("export", "--repo", folder, "--format", "csv", "--output", tmp_path / "pages.csv")
    assert (tmp_path / "pages.csv").read_bytes().decode() == said.out
