"""`search`, `index` and `terms` as the command line calls them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from whimbrel.cli import index, search, terms
from whimbrel.search.indexer import Indexer

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    def called(verb: click.Command, *arguments: str | Path) -> tuple[int, str, str]:
        code = verb.main([str(argument) for argument in arguments], standalone_mode=False)
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return called


def answered(said: tuple[int, str, str]) -> Any:
    return json.loads(said[1])


def test_search_catches_up_and_answers(run: Run, folder: Path) -> None:
    answer = answered(run(search.command, "very same bytes", "--repo", folder, "--json"))
    assert (answer["total"], answer["pending"]) == (1, 0)
    assert answer["hits"][0]["url"] == "http://a.example/near"
    assert answer["hits"][0]["twins"] == 6


def test_search_shows_hits_and_why(run: Run, folder: Path) -> None:
    code, out, err = run(search.command, "steps", "down", "--repo", folder, "--why", "--size", "1")
    assert code == 0
    assert "http://a.example/deep/" in out
    assert "the words are on the page" in out
    assert "1–1 of 2 pages" in err


def test_foreign_text_cannot_command_the_terminal(run: Run, folder: Path) -> None:
    _, out, _ = run(search.command, "plain text of its own", "--repo", folder)
    assert "plain.txt" in out
    assert "\x1b" not in out


def test_a_typo_is_said(run: Run, folder: Path) -> None:
    _, out, _ = run(search.command, "evreywhere", "--repo", folder)
    assert out.startswith("Showing hits for: everywhere")
    assert run(search.command, "xyzzyq", "--repo", folder)[1] == "Nothing found.\n"


def test_index_counts_states(run: Run, folder: Path) -> None:
    first = answered(run(index.command, "--repo", folder, "--json"))
    assert (first["indexed"], first["pending"], first["states"]["shown"]) == (7, 0, 0)
    run(search.command, "steps", "--repo", folder)
    again = answered(run(index.command, "--rebuild", "--repo", folder, "--json"))
    assert (again["indexed"], again["states"]) == (7, {"indexed": 7, "shown": 2, "clicked": 0})


def test_a_busy_index_is_left_alone(run: Run, folder: Path) -> None:
    with Indexer(folder) as indexer:
        indexer.catch_up(0.0)
        code, _, err = run(index.command, "--rebuild", "--repo", folder)
        assert code == 4
        assert "another process writes this index" in err
        assert "another process" in run(search.command, "steps", "--repo", folder)[2]


def test_terms(run: Run, folder: Path) -> None:
    found = answered(run(terms.command, "bytes", "--repo", folder, "--json"))
    assert (found["term"], found["total"]) == ("byte", 1)
    assert "everywhere" in run(terms.command, "bytes", "--repo", folder)[1]
