"""Settings of a site as a form: seen, tried, saved, and refused where they harm."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from web_client import Running

from changing_folder import grow_changing
from whimbrel.web import site_page

PAGE = "/crawl/site"
HOST = "127.0.0.1"


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sites") / "folder"
    grow_changing(folder)
    return folder


@pytest.fixture
def folder(grown: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(grown, tmp_path / "folder", ignore=shutil.ignore_patterns("*.sock")))


@pytest.fixture
def server(serving: Callable[..., Running], folder: Path) -> Running:
    return serving(folder)


def test_filters_are_tried_before_they_are_saved(server: Running, folder: Path) -> None:
    cookie, token = server.visit()
    form = {"token": token, "host": HOST, "exclude": "bird$\n", "hours": "22-6", "notify": "medium"}
    tried = server.post(PAGE, form | {"do": "try"}, Cookie=cookie)
    assert (tried.status, "1 kept and visited no more" in tried.text) == (200, True)
    assert not (folder / "sites.json").exists()
    saved = server.post(PAGE, form | {"do": "save"}, Cookie=cookie)
    assert (saved.status, saved.headers["location"]) == (303, f"{PAGE}?host={HOST}&saved=1")
    assert json.loads((folder / "sites.json").read_bytes())[HOST] == {
        "hours": "22-6", "exclude": ["bird$"], "notify": "medium",
    }  # fmt: skip
    shown = server.get(PAGE, host=HOST).text
    assert "bird$" in shown
    assert f"{PAGE}?host={HOST}" in server.get("/crawl").text


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"hours": "late"}, "names no hours"), ({"exclude": "("}, "not a regular expression"),
        ({"delay_seconds": "-3"}, "expected"), ({"notify": "loud"}, "expected"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_said_and_not_saved(
    server: Running, folder: Path, sent: dict[str, str], words: str
) -> None:
    cookie, token = server.visit()
    answer = server.post(PAGE, {"token": token, "host": HOST, "do": "save"} | sent, Cookie=cookie)
    assert (answer.status, words in answer.text) == (400, True)
    assert not (folder / "sites.json").exists()


def test_a_pattern_that_takes_for_ever_is_not_saved(
    server: Running, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_page, "TRIAL_SECONDS", 2.0)
    cookie, token = server.visit()
    form = {"token": token, "host": HOST, "exclude": "(((.*)*)*)*!$", "do": "save"}
    answer = server.post(PAGE, form, Cookie=cookie)
    assert (answer.status, "took longer" in answer.text) == (400, True)
    assert not (folder / "sites.json").exists()


@pytest.mark.parametrize("host", ["", "a/b", "*", "x y", "user@host"])
def test_a_host_that_is_none_is_refused(server: Running, host: str) -> None:
    assert server.get(PAGE, host=host).status == 400


def test_secrets_and_receivers_cannot_be_said(server: Running, folder: Path) -> None:
    cookie, token = server.visit()
    form = {"token": token, "host": HOST, "do": "save", "auth": "env:HOME", "to": "mailto://x", "delay_seconds": "3"}
    assert server.post(PAGE, form, Cookie=cookie).status == 303
    assert json.loads((folder / "sites.json").read_bytes()) == {HOST: {"delay_seconds": 3.0}}
