"""The changes room: marked as seen, silenced and told again, by forms alone."""

import re
import shutil
from collections.abc import Callable
from html import unescape
from pathlib import Path

import feedparser
import pytest
from web_client import Running

from atom_schema import faults
from changing_folder import grow_changing


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("room") / "folder"
    grow_changing(folder)
    return folder


@pytest.fixture
def server(serving: Callable[..., Running], grown: Path, tmp_path: Path) -> Running:
    return serving(Path(shutil.copytree(grown, tmp_path / "folder", ignore=shutil.ignore_patterns("*.sock"))))


def ids(text: str) -> list[str]:
    return re.findall(r'<li id="c-([0-9a-f-]+)"', text)


def titles(server: Running, **filters: str) -> list[str]:
    return [entry.title for entry in feedparser.parse(server.get("/feed.atom", **filters).body).entries]


def test_the_feed_of_every_view_holds_to_the_grammar(server: Running) -> None:
    for query in (
        "",
        "?kind=changed&words=eight",
        "?kind=gone",
        "?unseen=yes",
        "?silenced=yes",
        "?site=%C3%A9.example",
    ):
        assert faults(server.get(f"/feed.atom{query}").body) == [], query


def test_seen_is_marked_one_by_one_or_all_at_once(server: Running) -> None:
    cookie, token = server.visit()
    every = ids(server.get("/changes").text)
    (bird,) = ids(server.get("/changes", kind="changed").text)
    form = {"token": token, "change": bird, "seen": "yes", "kind": "changed"}
    marked = server.post("/changes/seen", form, Cookie=cookie)
    assert (marked.status, marked.headers["location"]) == (303, f"/changes?kind=changed#c-{bird}")
    assert ids(server.get("/changes", unseen="yes").text) == [one for one in every if one != bird]
    assert "Changed: Bird" not in titles(server, unseen="yes")
    told = server.get("/api/changed").json()["pages"]
    assert {one["id"] for one in told if one["seen"]} == {bird}
    server.post("/changes/seen", form | {"seen": "no"}, Cookie=cookie)
    assert ids(server.get("/changes", unseen="yes").text) == every
    server.post("/changes/seen", {"token": token}, Cookie=cookie)
    assert titles(server, unseen="yes") == []
    assert len(titles(server)) == len(every)


def test_a_change_is_silenced_and_told_again(server: Running) -> None:
    cookie, token = server.visit()
    shown = server.get("/changes", {"Cookie": cookie}, kind="changed").text
    way = re.search(r'href="(/changes/silence\?[^"]+)"', shown)
    assert way is not None
    asked = server.get(unescape(way[1]), {"Cookie": cookie})
    assert asked.status == 200
    assert asked.text.count('name="place-') == 2
    assert "whatever stands here" in asked.text
    (bird,) = ids(shown)
    form = {"token": token, "change": bird, "reach": "place", "back": "/changes?kind=changed"}
    assert server.post("/changes/silence", form, Cookie=cookie).status == 400, "nothing is ticked"
    done = server.post("/changes/silence", form | {"place-1": "yes", "place-2": "yes"}, Cookie=cookie)
    assert (done.status, done.headers["location"]) == (303, "/changes?kind=changed&said=1")
    after = server.get(done.headers["location"]).text
    assert (ids(after), "You are not told of this again" in after) == ([], True)
    assert "Bird" not in server.get("/").text.partition("Lately")[2]
    assert "Changed: Bird" not in titles(server)
    assert titles(server, silenced="yes") == ["Changed: Bird"]
    assert "Bird" in server.get("/changes/silenced").text
    undone = server.post("/changes/silenced", {"token": token, "number": "1", "back": "/changes"}, Cookie=cookie)
    assert undone.headers["location"] == "/changes"
    assert "Changed: Bird" in titles(server)


@pytest.mark.parametrize(
    ("path", "form", "status"),
    [
        ("/changes/silence", {"change": "x" * 5000}, 404),
        ("/changes/silence", {"change": "fffffffffff-00000000", "reach": "page"}, 404),
        ("/changes/silence", {}, 404),
        ("/changes/seen", {"change": "zzzzzzzzzzz-zzzzzzzz"}, 404),
        ("/changes/seen", {"kind": "rumour"}, 400),
        ("/changes/silenced", {"number": "9" * 30}, 404),
        ("/changes/silenced", {"number": "-1"}, 404),
    ],
)
def test_what_makes_no_sense_is_refused(server: Running, path: str, form: dict[str, str], status: int) -> None:
    cookie, token = server.visit()
    assert server.post(path, form | {"token": token}, Cookie=cookie).status == status
    assert server.post(path, form, Cookie=cookie).status == 403, "without the form's token"


def test_nobody_is_led_away(server: Running) -> None:
    cookie, token = server.visit()
    (lost,) = ids(server.get("/changes", kind="gone").text)
    for back in ("https://evil.example/changes", "//evil.example/changes", "/changes\r\nX: y", "javascript:alert(1)"):
        form = {"token": token, "change": lost, "reach": "page", "back": back}
        assert server.post("/changes/silence", form, Cookie=cookie).headers["location"] == "/changes?said=1"
        asked = server.get("/changes/silence", {"Cookie": cookie}, change=lost, back=back).text
        assert 'class="button" href="/changes"' in asked


@pytest.mark.parametrize(
    "query",
    [
        "words=" + "a" * 2000,
        "site=%00",
        "since=" + "9" * 400,
        "kind=new%0Achanged",
        "degree=%3Cscript%3E",
        "site=a%20b",
    ],
)
def test_hostile_feeds_are_refused(server: Running, query: str) -> None:
    for path in ("/feed.atom", "/api/changed", "/changes"):
        answer = server.ask("GET", f"{path}?{query}")
        assert answer.status == 400, path
        assert path != "/changes" or b"<script>" not in answer.body


def test_without_the_right_to_change_nothing_is_offered(
    serving: Callable[..., Running], grown: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(grown, tmp_path / "folder", ignore=shutil.ignore_patterns("*.sock")))
    server = serving(folder, read_only=True)
    shown = server.get("/changes").text
    assert ids(shown)
    assert "Don’t tell me" not in shown
    cookie, token = server.visit()
    assert server.post("/changes/seen", {"token": token}, Cookie=cookie).status == 403
    assert not (folder / "attention.sqlite").exists()
