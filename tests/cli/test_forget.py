"""`forget`: asks first, says what goes, and only then erases."""

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from whimbrel.records.url import Url
from whimbrel.repository.embedded.store import Store

Call = Callable[..., Any]
URL = "http://a.example/near"


def known(call: Call, folder: Path) -> int:
    return int(call("status", "--repo", folder, "--json").object["known"])


def test_a_dry_run_counts_and_leaves_everything(call: Call, folder: Path) -> None:
    before = known(call, folder)
    said = call("forget", URL, "--repo", folder, "--dry-run", "--json")
    assert said.object == {"dry_run": True, "urls": 1, "pages": 1, "versions": 1, "heirs": 1}
    assert known(call, folder) == before


@pytest.mark.parametrize(("answer", "code", "gone"), [(b"y\n", 0, 1), (b"n\n", 2, 0), (b"", 2, 0)])
def test_it_asks(
    call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch, answer: bytes, code: int, gone: int
) -> None:
    before = known(call, folder)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(answer)))
    assert call("forget", URL, "--repo", folder).code == code
    assert known(call, folder) == before - gone


def test_yes_erases_and_says_so(call: Call, folder: Path) -> None:
    said = call("forget", "--site", "b.example", "--repo", folder, "--yes", "--json")
    assert said.code == 0
    assert said.object["urls"] == 3
    assert said.object["files"] == 1
    assert call("pages", "--site", "b.example", "--repo", folder, "--json").lines == []
    again = call("forget", "--site", "b.example", "--repo", folder, "--yes")
    assert again.code == 0
    assert "0 URLs" in again.out


def test_a_copy_from_before_an_upgrade_goes_too(call: Call, folder: Path) -> None:
    copy = folder / "crawl.sqlite.before-1"
    copy.write_bytes((folder / "crawl.sqlite").read_bytes())
    said = call("forget", URL, "--repo", folder, "--yes")
    assert copy.name in said.out
    assert not copy.exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 2),
        ([URL, "--site", "a.example"], 2),
        (["nonsense"], 2),
        (["http://a.example/never"], 3),
        (["--site", "never.example"], 3),
        (["--request", "1", "--site", "a.example"], 2),
        (["--request", "7"], 3),
    ],
)
def test_errors(call: Call, folder: Path, arguments: list[str], code: int) -> None:
    assert call("forget", *arguments, "--yes", "--repo", folder).code == code


def test_a_request_is_withdrawn_once(call: Call, folder: Path) -> None:
    store = Store(folder)
    number = store.requests.add([Url(URL)], b"", None, 0.0)
    store.close()
    assert call("forget", "--request", str(number), "--repo", folder, "--json").object == {"request": number}
    assert [one["state"] for one in call("status", "--repo", folder, "--json").object["requests"]] == ["withdrawn"]
    assert call("forget", "--request", str(number), "--repo", folder).code == 3


@pytest.mark.parametrize("what", [URL, "--request=1"])
def test_a_missing_folder_is_not_made(call: Call, tmp_path: Path, what: str) -> None:
    assert call("forget", what, "--yes", "--repo", tmp_path / "nothing").code == 3
    assert not (tmp_path / "nothing").exists()
