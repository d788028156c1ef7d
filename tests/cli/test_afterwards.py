"""What `crawl` and `refresh` say about near-twins when they have ended."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from whimbrel.cli.afterwards import follow, sentence
from whimbrel.cli.lines import Lines
from whimbrel.flows.twins.after import TwinsFollowed
from whimbrel.flows.twins.near import Near
from whimbrel.testing.web import Page, TinyWeb

Call = Callable[..., Any]
STORY = " ".join(f"{first}{second}" for first in ("ka", "lo", "mi", "ru") for second in "abcdefghijklmnopqrst")


def site(*editions: str) -> dict[str, Page]:
    pages = {f"/{name}": f"<title>Story</title><main><p>{STORY} {name}</p></main>" for name in editions}
    return {"/": "<title>Start</title>" + "".join(f'<a href="{path}">{path}</a>' for path in pages), **pages}


def test_a_crawl_and_a_refresh_look_by_themselves(call: Call, tmp_path: Path) -> None:
    with TinyWeb(site("one", "two")) as web:
        said = call("crawl", web.url("/"), "--repo", tmp_path / "f")
        assert "near-twins: 1 page is nearly the same as others" in said.out
        web.pages |= site("one", "two", "three", "four")
        answer = call("refresh", "--all", "--repo", tmp_path / "f", "--json").object
    assert answer["near"] == {"pages": 3, "twins": 2, "learned": [], "withdrawn": [], "left": 0}
    assert "near-twins" not in call("twins", "--repo", tmp_path / "f").err


def test_it_can_be_turned_off(call: Call, tmp_path: Path) -> None:
    with TinyWeb(site("one", "two")) as web:
        answer = call("crawl", web.url("/"), "--repo", tmp_path / "f", "--twins-time", "0", "--json").object
        assert answer["near"] is None
        assert not (tmp_path / "f" / "twins.sqlite").exists()
        assert call("refresh", "--all", "--repo", tmp_path / "f", "--json").object["near"] is None, (
            "as the folder recalls"
        )


def test_whatever_goes_wrong_with_it_the_run_is_done(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Near(folder):
        assert follow(folder, "finished", 1.0, 30.0, Lines()) is None, "whoever looks already will find them"
    (folder / "twins.sqlite").write_bytes(b"no database at all, whatever its name says" * 100)
    assert follow(folder, "finished", 1.0, 30.0, Lines()) is None
    assert "near-twins were not looked for" in capsys.readouterr().out
    assert follow(folder, "stopped", 1.0, 30.0, Lines()) is None
    assert capsys.readouterr().out == ""


def test_one_line_tells_what_matters() -> None:
    assert sentence(TwinsFollowed(pages=100)) == ""
    some = TwinsFollowed(12, 2, learned=("x.org: drop parameter sid",), withdrawn=("x.org: lower-case path",), left=7)
    assert sentence(some) == (
        "near-twins: 2 pages are nearly the same as others (`whimbrel twins` shows which); learned for URLs: "
        "x.org: drop parameter sid; withdrawn for URLs: x.org: lower-case path; 7 visits are not compared yet; "
        "the next run does it, or `whimbrel twins` now"
    )
    many = sentence(TwinsFollowed(learned=tuple(f"rule {number}" for number in range(9))))
    assert many.endswith("rule 0; rule 1; rule 2 and 6 more")
