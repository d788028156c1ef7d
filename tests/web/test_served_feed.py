"""The feed that the server offers."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import feedparser
import pytest
from web_client import Running

from atom_schema import faults
from changing_folder import grow_changing


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("fed")
    return folder, grow_changing(folder)


def test_the_feed_is_served_and_leads_to_the_difference(
    serving: Callable[..., Running], grown: tuple[Path, str]
) -> None:
    folder, _ = grown
    server = serving(folder)
    answer = server.get("/feed.atom")
    assert (answer.status, answer.headers["content-type"]) == (200, "application/atom+xml; charset=utf-8")
    read = feedparser.parse(answer.body)
    assert not read.bozo
    assert sorted(entry.title.partition(":")[0] for entry in read.entries) == ["Changed", "Gone", "Moved", "New"]
    assert [link.href for link in read.feed.links if link.rel == "self"] == [f"{server.address}/feed.atom"]
    changed = next(entry for entry in read.entries if entry.title.startswith("Changed"))
    shown = server.get(changed.link.removeprefix(server.address))
    assert "<ins>A new line stands first.</ins>" in shown.text
    assert 'type="application/atom+xml" href="/feed.atom"' in server.get("/").text


def test_the_feed_is_chosen_from(serving: Callable[..., Running], grown: tuple[Path, str]) -> None:
    server = serving(grown[0])

    def titles(**filters: str) -> list[str]:
        return [entry.title for entry in feedparser.parse(server.get("/feed.atom", **filters).body).entries]

    assert titles(kind="gone") == ["Gone: Lost"]
    assert titles(words="eight") == ["Changed: Bird"]
    assert titles(site="elsewhere.example") == titles(until="2 days") == []
    assert titles(degree="medium", kind="changed") == []
    wrong = server.get("/feed.atom", kind="rumour")
    assert (wrong.status, "rumour" in wrong.text) == (400, True)


@pytest.mark.parametrize(
    "query",
    [
        "words=%3C%2Ffeed%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "words=%22%27--%3B%20DROP%20TABLE%20change",
        "site=%5D%5D%3E%3Cx%3E", "site=http%3A%2F%2F[", "site=..%2F..%2Fetc%2Fpasswd",
        "since=-1e999", "since=nan", "until=99999999999999999999", "since=%00", "kind=%FF%FE", "degree=%F0%9F%90%A6",
        "words=" + "a" * 2_000, "kind=" + "new,gone," * 100 + "x", "kind=new&kind=gone&" + "words=a&" * 200,
        "%", "&&==&", "unseen=%3Cimg%20onerror%3D1%3E&silenced=1",
    ],
)  # fmt: skip
def test_a_hostile_query_gets_a_feed_or_a_reason(
    serving: Callable[..., Running], grown: tuple[Path, str], query: str
) -> None:
    answer = serving(grown[0]).ask("GET", f"/feed.atom?{query}", None)
    assert answer.status in (200, 400), answer.text[:300]
    assert "<script" not in answer.text
    assert "<img" not in answer.text
    if answer.status == 200:
        assert faults(answer.body) == []


def test_nothing_is_sent_twice(serving: Callable[..., Running], grown: tuple[Path, str]) -> None:
    server = serving(grown[0])
    first = server.get("/feed.atom")
    tag, date = first.headers["etag"], first.headers["last-modified"]
    for asked in ({"If-None-Match": tag}, {"If-None-Match": f'"other", W/{tag}'}, {"If-Modified-Since": date}):
        again = server.get("/feed.atom", asked)
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag), asked
    for asked in (
        {"If-None-Match": '"other"', "If-Modified-Since": date},
        {"If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"},
        {"If-Modified-Since": "some day"},
    ):
        assert server.get("/feed.atom", asked).status == 200, asked


def test_a_folder_without_a_crawl_has_an_empty_feed(serving: Callable[..., Running], tmp_path: Path) -> None:
    read = feedparser.parse(serving(tmp_path / "empty").get("/feed.atom").body)
    assert (read.bozo, read.entries) == (False, [])


def test_what_happened_for_programs(serving: Callable[..., Running], grown: tuple[Path, str]) -> None:
    folder, origin = grown
    server = serving(folder)
    pages = server.get("/api/changed", kind="changed,new").json()["pages"]
    assert {(page["what"], page["url"].removeprefix(origin)) for page in pages} == {
        ("changed", "/bird"),
        ("new", "/young"),
    }
    changed = next(page for page in pages if page["what"] == "changed")
    assert (changed["degree"], changed["kinds"]) == ("small", ["structural", "content"])
    assert "+[eight times, or so.]" in changed["summary"]
    assert server.get("/api/changed", degree="huge").status == 400


def test_the_changes_room_shows_by_day_and_site_what_the_feed_tells(
    serving: Callable[..., Running], grown: tuple[Path, str]
) -> None:
    server = serving(grown[0])
    shown = server.get("/changes").text
    for words in ("<ins>", "Lost", "is-gone", "is-moved", "is-new", "small, "):
        assert words in shown, words
    site = grown[1].partition("://")[2]
    assert f"<h3><bdi>{site}</bdi></h3>" in shown
    only = server.get("/changes", kind="changed", words="eight", site=site).text
    assert ("Bird" in only, "Lost" in only) == (True, False)
    feed = re.search(r'class="feed" href="([^"]+)"', only)
    assert feed is not None
    entries = feedparser.parse(server.get(unescape(feed[1])).body).entries
    assert [entry.title for entry in entries] == ["Changed: Bird"]
    assert "No changes of this kind" in server.get("/changes", until="2 days").text
    wrong = server.get("/changes", kind='rumour"><script>')
    assert (wrong.status, "is no kind" in wrong.text, "<script>" in wrong.text) == (400, True, False)
    assert server.get("/changes", since="x" * 5000, degree="huge").status == 400
