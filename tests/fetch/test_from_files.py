"""A file of the site leaves its folder only where anybody may have it from the server."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from whimbrel.fetch.folders import FileFound, SiteFolders
from whimbrel.fetch.from_files import SOURCE, FromFiles, ShownBook
from whimbrel.records.response import Failure, Response
from whimbrel.records.task import NO_VALIDATORS, Validators
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict

ORIGIN = "http://docs.example"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    (folder / "guide").mkdir(parents=True)
    (folder / "index.html").write_text("<p>start")
    (folder / "guide" / "a b.html").write_text("<p>spaces")
    (folder / ".htpasswd").write_text("secret")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("secret")
    (tmp_path / "outside.html").write_text("secret")
    (folder / "link.html").symlink_to(tmp_path / "outside.html")
    (folder / "linked").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.html")
    return folder


def test_files_are_found_as_a_server_finds_them(site: Path) -> None:
    folders = SiteFolders([(f"{ORIGIN}/docs", str(site))])
    bodies = {}
    for path in ("/docs/", "/docs/index.html", "/docs/guide/a%20b.html"):
        found = folders.read(Url(ORIGIN + path))
        assert isinstance(found, FileFound)
        bodies[path] = found.body
    assert bodies == {
        "/docs/": b"<p>start", "/docs/index.html": b"<p>start", "/docs/guide/a%20b.html": b"<p>spaces",
    }  # fmt: skip
    assert not folders.has(Url(f"{ORIGIN}/docsearch"))


@pytest.mark.parametrize(
    "path",
    [
        "/.htpasswd", "/.git/config", "/%2egit/config", "/../outside.html", "/guide/../../outside.html",
        "/%2e%2e/outside.html", "/guide/..%2f..%2foutside.html", "/..%5coutside.html", "/link.html",
        "/linked/outside.html", "/pipe.html", "/guide", "/missing.html", "/index.html%00.png", "//index.html",
        "/index.html?page=2", "/%ff.html", "/dev/null",
    ],
)  # fmt: skip
def test_nothing_else_is_read(site: Path, path: str) -> None:
    found = SiteFolders([(ORIGIN, str(site))]).read(Url(ORIGIN + path))
    assert isinstance(found, Verdict)
    assert found.rule == "folder"
    assert found.reason


def test_devices_and_large_files_are_not_read(site: Path) -> None:
    assert isinstance(SiteFolders([(ORIGIN, "/dev")]).read(Url(f"{ORIGIN}/zero")), Verdict)
    assert isinstance(SiteFolders([(ORIGIN, str(site))], largest=3).read(Url(f"{ORIGIN}/index.html")), Verdict)


class Asking:
    """Asks a tiny web as simply as can be; stands where the fetcher does."""

    def __init__(self, answers: Callable[[Url], Response]) -> None:
        self._answers = answers
        self.asked: list[tuple[Url, bool]] = []

    async def fetch(
        self, url: Url, validators: Validators = NO_VALIDATORS, *, any_type: bool = False, anonymous: bool = False
    ) -> Response | Failure | Verdict:
        self.asked.append((url, anonymous))
        return self._answers(url)


def answer(url: Url, body: bytes, status: int = 200) -> Response:
    head = f"HTTP/1.1 {status} OK\r\nServer: tide\r\nContent-Type: text/html\r\nLast-Modified: then\r\n\r\n".encode()
    headers = {"server": "tide", "content-type": "text/html", "last-modified": "then"}
    return Response(url, status, headers, head, body, body, b"", "HTTP/1.1", "127.0.0.1", 0.0)


def got(source: FromFiles, url: str, validators: Validators = NO_VALIDATORS) -> Response:
    response = asyncio.run(source.fetch(Url(url), validators))
    assert isinstance(response, Response)
    return response


def test_the_server_is_asked_once_and_the_file_answers_from_then_on(site: Path, tmp_path: Path) -> None:
    asking = Asking(lambda url: answer(url, b"<p>start"))
    book = tmp_path / "shown.sqlite"
    source = FromFiles(asking, SiteFolders([(ORIGIN, str(site))]), ShownBook(book), chance=lambda: 1.0)
    assert SOURCE.encode() not in got(source, f"{ORIGIN}/index.html").head
    assert asking.asked == [(f"{ORIGIN}/index.html", True)]

    (site / "index.html").write_text("<p>a new start")
    later = FromFiles(asking, SiteFolders([(ORIGIN, str(site))]), ShownBook(book), chance=lambda: 1.0)
    response = got(later, f"{ORIGIN}/index.html")
    assert len(asking.asked) == 1
    assert response.body == b"<p>a new start"
    assert response.headers["content-type"] == "text/html"
    assert response.headers["server"] == "tide"
    assert SOURCE.encode() in response.head
    again = got(later, f"{ORIGIN}/index.html", Validators("", response.headers["last-modified"]))
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(("body", "status"), [(b"<p>please log in", 200), (b"", 404), (b"", 401)])
def test_what_the_server_does_not_show_does_not_leave(site: Path, body: bytes, status: int) -> None:
    """A draft, a page behind a login: the server's answer counts, then and later, and it is said once."""
    asking = Asking(lambda url: answer(url, body, status))
    source = FromFiles(asking, SiteFolders([(ORIGIN, str(site))]), ShownBook(), chance=lambda: 1.0)
    for _ in range(2):
        response = got(source, f"{ORIGIN}/index.html")
        assert (response.status, response.body) == (status, body)
    assert len(source.notes) == 1
    assert "index.html" in source.notes[0]


def test_a_server_that_is_busy_says_nothing_about_the_page(site: Path) -> None:
    statuses = iter([503, 200])
    asking = Asking(lambda url: answer(url, b"<p>start", next(statuses)))
    source = FromFiles(asking, SiteFolders([(ORIGIN, str(site))]), ShownBook(), chance=lambda: 1.0)
    assert [got(source, f"{ORIGIN}/index.html").status for _ in range(3)] == [503, 200, 200]
    assert (len(asking.asked), source.from_files, source.notes) == (2, 1, [])


def test_a_share_is_checked_later_and_a_page_that_was_closed_is_noticed(site: Path) -> None:
    bodies = iter([b"<p>start", b"<p>please log in", b"<p>please log in"])
    asking = Asking(lambda url: answer(url, next(bodies)))
    chances = iter([1.0, 0.0])
    source = FromFiles(asking, SiteFolders([(ORIGIN, str(site))]), ShownBook(), chance=lambda: next(chances))
    assert got(source, f"{ORIGIN}/index.html").body == b"<p>start"
    assert got(source, f"{ORIGIN}/index.html").body == b"<p>start"
    assert len(asking.asked) == 1
    assert got(source, f"{ORIGIN}/index.html").body == b"<p>please log in"
    assert got(source, f"{ORIGIN}/index.html").body == b"<p>please log in"
    assert source.notes
