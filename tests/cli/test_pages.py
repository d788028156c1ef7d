"""`pages`: lists, choices, and all about one URL."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]


def test_kept_pages_are_listed_by_default(call: Call, folder: Path) -> None:
    said = call("pages", "--repo", folder, "--json")
    assert said.code == 0
    assert all(line["outcome"] == "fetched" and not line["asset"] for line in said.lines)
    assert len(said.lines) == call("status", "--repo", folder, "--json").object["pages"]
    plain = call("pages", "--repo", folder)
    assert all(line["url"] in plain.out for line in said.lines)


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (["--rule", "robots"], ["/private/x"]),
        (["--rule", "robots", "--rule", "http_404", "--match", "x$|gone"], ["/gone", "/private/x"]),
        (["--outcome", "redirected"], ["/moved"]),
        (["--outcome", "failed", "--site", "b.example"], []),
        (["--limit", "1"], ["/"]),
        (["--site", "http://b.example/anything"], ["/"]),
        (["--assets"], ["/again.svg", "/look.svg"]),
    ],
)
def test_choices(call: Call, folder: Path, choice: list[str], expected: list[str]) -> None:
    said = call("pages", "--repo", folder, "--json", *choice)
    assert said.code == 0
    assert ["/" + line["url"].split("/", 3)[3] for line in said.lines] == expected


def test_twins_come_with_their_survivor_and_the_reason(call: Call, folder: Path) -> None:
    said = call("pages", "--repo", folder, "--twins")
    assert "twin of http://a.example/near: same bytes" in said.out
    assert "twin of http://a.example/near: same text" in said.out
    lines = call("pages", "--repo", folder, "--twins", "--json").lines
    assert all(line["duplicate_of"] for line in lines)


def test_all_about_one_url(call: Call, folder: Path) -> None:
    answer = call("pages", "http://a.example/copy/2", "--repo", folder, "--json").object
    assert answer["via"][-1] == "http://a.example/"
    assert answer["duplicate_of"] == "http://a.example/near"
    assert answer["headers"]["content-type"] == "text/html; charset=utf-8"
    assert "the very same bytes" in answer["main_text"]
    assert answer["language"] == "en"
    assert len(answer["versions"]) == 1
    shown = call("pages", "HTTP://A.example:80/copy/2", "--repo", folder)
    assert shown.code == 0
    assert "same bytes" in shown.out


def test_what_a_page_says_cannot_steer_the_terminal(call: Call, folder: Path) -> None:
    shown = call("pages", "http://a.example/plain.txt", "--repo", folder)
    assert "not red" in shown.out
    assert "\x1b[31mnot red" not in shown.out


def test_an_unknown_url_is_answered_with_near_ones(call: Call, folder: Path) -> None:
    said = call("pages", "http://a.example/coppy/2", "--repo", folder)
    assert said.code == 3
    assert "http://a.example/copy/2" in said.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--outcome", "eaten"], "fetched"),
        (["--match", "("], "regular expression"),
        (["not a url"], "scheme"),
        (["--site", "a b"], "--site"),
    ],
)
def test_what_cannot_be_understood(call: Call, folder: Path, arguments: list[str], words: str) -> None:
    said = call("pages", "--repo", folder, *arguments)
    assert said.code == 2
    assert words in said.err


def test_pages_of_a_class(call: Call, folder: Path) -> None:
    every = call("pages", "--repo", folder, "--json").lines
    assert {one["class"] for one in every} == {"weekly"}
    assert call("pages", "--repo", folder, "--class", "weekly", "--limit", "2", "--json").lines == every[:2]
    assert call("pages", "--repo", folder, "--class", "hourly", "--json").lines == []
    assert call("pages", "--repo", folder, "--class", "sometimes").code == 2
