"""What happened to pages, as the start page, the crawl room and the reader tell it."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from msgspec.structs import replace
from web_client import Running

from changing_folder import grow_changing
from whimbrel.records.url import Url
from whimbrel.repository.embedded.reader import Reader
from whimbrel.web.desk import Remembered
from whimbrel.web.presentation import LONGEST_NAME, kind, named, placed, plainly, spelled
from whimbrel.web.reader_page import moments


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("happened")
    return folder, grow_changing(folder)


def words(text: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())


def test_what_happened_is_told(serving: Callable[..., Running], grown: tuple[Path, str]) -> None:
    folder, origin = grown
    server = serving(folder)
    site = origin.removeprefix("http://")
    for path in ("/", "/crawl"):
        said = words(server.get(path).text)
        for happened in (
            f"Young new just now · {site}/young",
            f"Bird changed just now · {site}/bird",
            f"moved just now · {site}/old → {site}/young",
            f"Lost gone just now · {site}/lost",
        ):
            assert happened in said, path
        assert "Home new" not in said, "what the first crawl found is no news"


def test_a_copy_of_what_is_gone_says_so(serving: Callable[..., Running], grown: tuple[Path, str]) -> None:
    folder, origin = grown
    server = serving(folder)
    assert "This page is gone from the web: status 404" in server.get("/read", url=f"{origin}/lost").text
    assert "gone from the web" not in server.get("/read", url=f"{origin}/bird").text
    assert "It could not be fetched" not in server.get("/read", url=f"{origin}/bird").text


def test_versions_of_one_minute_are_told_apart(grown: tuple[Path, str]) -> None:
    folder, origin = grown
    with Reader(folder) as reader:
        version = reader.versions(Url(f"{origin}/bird"))[0]
    early, late, next_day = (
        replace(version, number=number, at=at) for number, at in ((1, 0.0), (2, 59.0), (3, 86_400.0))
    )
    assert moments((early, next_day)) == {1: "1 Jan 1970, 00:00", 3: "2 Jan 1970, 00:00"}
    assert moments((early, late)) == {1: "1 Jan 1970, 00:00:00", 2: "1 Jan 1970, 00:00:59"}


def test_names_are_for_people() -> None:
    assert named("  a\u202egnp.\u2066exe\u2069\n ", "http://a.example/") == "agnp.exe"
    assert named("\u202e", "http://a.example/x") == "a.example/x"
    assert len(named("tide " * 500, "http://a.example/x")) <= LONGEST_NAME
    assert (kind("application/pdf"), kind("image/x-odd"), kind("")) == ("PDF", "image/x-odd", "unknown kind")
    assert placed("td 2 under “p 3”, was li") == "cell 2 under “p 3”, was list item"
    assert (
        spelled("http://a.example/%D7%97%D7%95%D7%A3%2f?q=%C3%A9%3D%ff%E2%80%AE")
        == "a.example/חוף%2f?q=é%3D%ff%E2%80%AE"
    )
    assert placed("h2 “Tides”") == "heading “Tides”"
    assert (plainly("http_404"), plainly("out_of_scope")) == ("HTTP 404", "out of scope")


def test_an_answer_is_remembered_for_a_while() -> None:
    asked: list[int] = []

    def ask() -> int:
        asked.append(1)
        return len(asked)

    remembered = Remembered(ask)
    assert [remembered.get(), remembered.get()] == [1, 1]
