"""Whimbrel as a library."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import cast

import pytest

import whimbrel
from whimbrel.config import ConfigError
from whimbrel.records.visit import Visit
from whimbrel.testing.web import Page, TinyWeb

HEAVY = ("asyncio", "msgspec", "pycurl", "sqlite3", "turbohtml", "uvloop", "whimbrel.api", "whimbrel.config")
HANDED_OVER = 6
"""Batches that home can have committed while nobody reads: one read, four waiting, one at the door."""


@pytest.fixture(autouse=True)
def _away_from_the_users_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def garden() -> dict[str, Page]:
    return {
        "/": "<title>Garden</title><a href='/wren'>wren</a><a href='/gone'>gone</a>",
        "/wren": "<title>Wren</title><p>A small brown bird.</p>",
    }


def chain(length: int) -> dict[str, Page]:
    """Each page is found only once the one before it is committed."""
    names = ["", *(f"{chr(97 + number)}-page" for number in range(length))]
    following = [*names[1:], ""]
    return {
        f"/{here}": f"<p>This is {here}.</p><a href='/{there}'>on</a>"
        for here, there in zip(names, following, strict=True)
    }


async def all_visits(seeds: list[str], repo: Path, **options: object) -> list[Visit]:
    return [visit async for visit in whimbrel.crawl(seeds, repo=repo, config=None, **options)]


def test_every_visit_is_given_with_its_outcome_and_text(tmp_path: Path) -> None:
    with TinyWeb(garden()) as web:
        visits = asyncio.run(all_visits([web.url("/")], tmp_path / "folder"))
        outcomes = {visit.url.removeprefix(web.url("")): visit.outcome for visit in visits}
    assert outcomes == {"/": "fetched", "/wren": "fetched", "/gone": "failed"}
    texts = {visit.document.title: whimbrel.text_of(visit) for visit in visits if visit.document is not None}
    assert texts["Wren"] == "A small brown bird."
    assert [whimbrel.text_of(visit) for visit in visits if visit.document is None] == [""]


def test_a_file_in_the_users_folder_is_not_taken_for_a_module(tmp_path: Path) -> None:
    (tmp_path / "uvloop.py").write_text("raise SystemExit('this is no module of ours')")
    with TinyWeb(garden()) as web:
        visits = asyncio.run(all_visits([web.url("/")], tmp_path / "folder"))
    assert len(visits) == 3


def test_what_was_given_is_in_the_folder_and_is_not_given_again(tmp_path: Path) -> None:
    with TinyWeb(garden()) as web:
        first = asyncio.run(all_visits([web.url("/")], tmp_path / "folder", limit=1))
        second = asyncio.run(all_visits([], tmp_path / "folder"))
        third = asyncio.run(all_visits([], tmp_path / "folder"))
        assert web.count("/") == 1
    assert [visit.url.rpartition("/")[2] for visit in first] == [""]
    assert {visit.url.rpartition("/")[2] for visit in second} == {"wren", "gone"}
    assert third == []


def test_an_option_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='did you mean "limit"'):
        asyncio.run(all_visits(["http://127.0.0.1:9/"], tmp_path / "folder", limt=1))


async def leave_after_one(web: TinyWeb, repo: Path, then: str) -> Visit:
    visits = cast("AsyncGenerator[Visit, None]", whimbrel.crawl([web.url("/")], repo=repo))
    async with aclosing(visits):
        visit = await anext(visits)
        assert await asyncio.to_thread(web.wait_for, then)
    return visit


def test_leaving_early_frees_the_folder_and_the_crawl_goes_on_later(tmp_path: Path) -> None:
    with TinyWeb(chain(3)) as web:
        web.hold("/b-page")  # however long leaving takes, something is left to do
        left_at = asyncio.run(asyncio.wait_for(leave_after_one(web, tmp_path / "folder", "/a-page"), 300))
        web.release("/b-page")
        rest = asyncio.run(all_visits([], tmp_path / "folder"))
    assert left_at.url == web.url("/")
    assert web.url("/c-page") in {visit.url for visit in rest}


def test_leaving_early_does_not_wait_for_a_reader_that_fell_behind(tmp_path: Path) -> None:
    with TinyWeb(chain(HANDED_OVER + 3)) as web:
        last = f"/{chr(96 + HANDED_OVER)}-page"
        left_at = asyncio.run(asyncio.wait_for(leave_after_one(web, tmp_path / "folder", last), 300))
    assert left_at.url == web.url("/")


def test_importing_whimbrel_imports_nothing_heavy() -> None:
    told = "import sys, whimbrel; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert not set(HEAVY) & set(done.stdout.split())


@pytest.mark.parametrize(
    ("loaded", "not_needed"),
    [
        (
            "whimbrel.cli.crawl, whimbrel.cli.running, whimbrel.api",
            (
                "email",
                "pycurl",
                "rich",
                "turbohtml",
                "whimbrel.change.blocks",
                "whimbrel.change.decide",
                "whimbrel.parse",
                "whimbrel.structure",
                "xml",
            ),
        ),
        ("whimbrel.migrants.away.session", ("click", "email", "rich", "sqlite3", "whimbrel.structure", "xml")),
    ],
    ids=["home", "migrant"],
)
def test_a_first_crawl_loads_nothing_that_it_does_not_use(loaded: str, not_needed: tuple[str, ...]) -> None:
    told = f"import sys, {loaded}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert not set(not_needed) & set(done.stdout.split())


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'crowl'"):
        getattr(whimbrel, "crowl")  # noqa: B009, the name is looked up at run time on purpose
