"""`status`: the counts add up and say why."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grown_folder import SEED, Served, grow, page

Call = Callable[..., Any]


def test_the_promised_keys_and_a_sum_that_is_right(call: Call, folder: Path) -> None:
    said = call("status", "--repo", folder, "--json")
    assert said.code == 0
    answer = said.object
    assert list(answer)[:4] == ["known", "states", "pages", "bytes"]
    assert sum(answer["states"].values()) == answer["known"]
    assert set(answer["bytes"]) == {"novel", "duplicate", "not_modified"}
    assert answer["pages"] == answer["states"]["fetched"] - answer["assets"] - answer["sitemaps"]
    assert answer["rules"]["refused"] == {"robots": 1}
    assert answer["due"] == 0
    assert answer["archives"][0]["bytes"] == (folder / "archive" / answer["archives"][0]["name"]).stat().st_size


@pytest.mark.parametrize("words", ["pages kept", "1 robots", "http_404", "out of scope", "in 1 file", "UTC", "seeds"])
def test_a_person_reads_it_too(call: Call, folder: Path, words: str) -> None:
    said = call("status", "--repo", folder)
    assert said.code == 0
    assert words in said.out


def test_each_site_with_its_coverage_and_freshness(call: Call, folder: Path) -> None:
    (first, second) = call("status", "--repo", folder, "--json").object["sites"]
    assert [first["host"], second["host"]] == ["a.example", "b.example"]
    pages, unique = first["coverage"]["pages"], first["coverage"]["unique"]
    assert (pages["by_sitemap"], pages["by_links"]) == (0.0, 1.0)
    assert pages["whole"] > unique["whole"]  # copies are crawled, and are not unique
    assert first["weighed_by"] == "links counted"
    assert "indexed" not in first["coverage"]
    assert first["classes"] == {"weekly": first["upkeep"]["sample"]}
    assert (first["upkeep"]["seen_again"], first["upkeep"]["announced"]) == (0, 0)
    said = " ".join(call("status", "--repo", folder).out.split())
    assert "a.example, " in said
    assert "none was visited twice yet" in said


def test_one_is_not_several(call: Call, tmp_path: Path) -> None:
    same = Served(page("two pages that are the very same to the last byte"))
    start = Served(page("a start page", ["/one", "/two", "/none"]))
    grow(tmp_path, {SEED: start, f"{SEED}one": same, f"{SEED}two": same})
    said = " ".join(call("status", "--repo", tmp_path).out.split())
    assert "links lead to 1 missing page, 1 copy of another page" in said


def test_a_folder_that_is_not_there(call: Call, tmp_path: Path) -> None:
    said = call("status", "--repo", tmp_path / "nothing")
    assert said.code == 3
    assert "whimbrel crawl" in said.err


def test_a_folder_that_cannot_be_read(call: Call, tmp_path: Path) -> None:
    (tmp_path / "crawl.sqlite").write_bytes(b"this is no database, but long enough to look at" * 30)
    said = call("status", "--repo", tmp_path)
    assert said.code == 5
    assert "--repo" in said.err


def test_what_holds_for_all_pages_is_said_in_a_word(call: Call, folder: Path) -> None:
    said = " ".join(call("status", "--repo", folder).out.split())
    assert "reached by links all of its pages" in said
    assert "in sitemaps none of its pages" in said
