"""Two servers on a folder, a taken port, an empty folder, a crawl started from the browser."""

import logging
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from web_client import Running

from whimbrel.migrants.home.control import NAME as SOCKET
from whimbrel.repository.contract import FolderBusy
from whimbrel.testing.web import TinyWeb, site
from whimbrel.web.crawls import END_THREAD
from whimbrel.web.indexing import logger
from whimbrel.web.server import OpenedServer, PortTaken
from whimbrel.web.settings import Door

PATIENCE_SECONDS = 120.0


class IndexWatch(logging.Handler):
    """Hears whenever the server's index has taken pages in."""

    def __init__(self) -> None:
        super().__init__()
        self._told = threading.Condition()

    def emit(self, record: logging.LogRecord) -> None:
        with self._told:
            self._told.notify_all()

    def wait_until(self, done: Callable[[], bool]) -> bool:
        with self._told:
            return self._told.wait_for(done, PATIENCE_SECONDS)


@pytest.fixture
def index_watch() -> Iterator[IndexWatch]:
    watch, level = IndexWatch(), logger.level
    logger.addHandler(watch)
    logger.setLevel(logging.DEBUG)
    yield watch
    logger.setLevel(level)
    logger.removeHandler(watch)


def wait_for_end() -> bool:
    """Whether the crawl that the server started has ended; the server hears of it in a thread of its own."""
    ends = [thread for thread in threading.enumerate() if thread.name == END_THREAD]
    for thread in ends:
        thread.join(PATIENCE_SECONDS)
    return not any(thread.is_alive() for thread in ends)


def test_one_server_a_folder(server: Running) -> None:
    with pytest.raises(FolderBusy, match=rf"served already, at http://127.0.0.1:{server.port}/"):
        OpenedServer(server.folder, Door(port=0))


def test_a_taken_port_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(PortTaken, match=rf"port {port} .* is taken .* --port"):
            OpenedServer(tmp_path, Door(port=port))
    OpenedServer(tmp_path, Door(port=0)).close()  # the folder was given up again


def test_a_foreign_address_is_said(tmp_path: Path) -> None:
    with pytest.raises(PortTaken, match="no address of this machine"):
        OpenedServer(tmp_path, Door(host="192.0.2.1", port=0))


def test_an_empty_folder_is_served(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path / "new")
    assert "Nothing is kept in this folder yet" in server.get("/").text
    for path in ("/?q=x", "/crawl", "/crawl/live", "/favourites", "/api/search?q=x", "/api/crawl", "/api/changed"):
        assert server.get(path).status == 200, path
    assert server.get("/read?url=http://a.example/").status == 404
    searched = server.get("/?q=x").text
    assert '<a href="/crawl">Add a site</a> to begin' in searched
    assert "Try fewer words" not in searched
    assert "Add a site above to begin." in server.get("/crawl").text
    assert server.get("/api/status").status == 404


def test_a_crawl_from_the_browser(serving: Callable[..., Running], tmp_path: Path, index_watch: IndexWatch) -> None:
    """Started by the form, seen while it runs, searched when it is done."""
    server = serving(tmp_path, networks=("127.0.0.0/8",))
    cookie, token = server.visit()
    with TinyWeb(site(pages=6)) as web:
        form = {"url": web.url(), "limit": "6", "token": token}
        assert server.post("/crawl/start", form, Cookie=cookie).status == 303
        # A database that is only just being made is an error for a moment.
        found = index_watch.wait_until(lambda: server.get("/api/search", q="page").json().get("total") == 6)
        assert found, server.get("/crawl/live").text
        assert wait_for_end()
        assert not server.get("/api/crawl").json()["running"]
    told = server.get("/api/status").json()
    assert told["pages"] == 6
    assert [one["coverage"]["pages"] for one in told["sites"]] == [{"whole": 6.0, "by_sitemap": 0.0, "by_links": 1.0}]
    assert 0 < told["sites"][0]["estimated_fresh"] <= 1


def test_a_crawl_is_stopped_and_resumed(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path, networks=("127.0.0.0/8",))
    cookie, token = server.visit()

    def running() -> bool:
        answer: bool = server.get("/api/crawl").json()["running"]
        return answer

    with TinyWeb(site(pages=8)) as web:
        web.hold("/page/3.html")
        server.post("/crawl/start", {"url": web.url(), "token": token}, Cookie=cookie)
        assert web.wait_for("/page/3.html", timeout_seconds=PATIENCE_SECONDS)
        assert running()
        assert "A crawl is running" in server.get("/crawl").text
        assert "already" in server.post("/crawl/resume", {"token": token}, Cookie=cookie).text
        assert server.post("/crawl/stop", {"token": token}, Cookie=cookie).status == 303
        stopping = server.get("/crawl").text
        assert "The crawl is stopping" in stopping
        assert "/crawl/stop" not in stopping
        web.release("/page/3.html")
        assert wait_for_end()
        assert not running()
        assert "No crawl is running" in server.get("/crawl").text
        assert server.post("/crawl/resume", {"token": token}, Cookie=cookie).status == 303
        assert wait_for_end()
        assert server.get("/api/status").json()["pages"] == 8
        assert "No crawl is running" in server.get("/crawl").text


def test_a_crawl_that_was_killed_elsewhere_is_told(
    serving: Callable[..., Running], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It left its socket behind, and nobody answers there."""
    server = serving(tmp_path, networks=("127.0.0.0/8",))
    assert "The crawl was killed" not in server.get("/crawl/live").text
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(SOCKET)
    said = server.get("/crawl/live").text
    assert "The crawl was killed" in said
    assert "Resume goes on from there" in said


def test_a_crawl_that_fails_says_why(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path, networks=("127.0.0.0/8",))
    cookie, token = server.visit()
    form = {"url": "http://127.0.0.1:1/", "token": token}
    assert server.post("/crawl/start", form, Cookie=cookie).status == 303
    assert wait_for_end()
    assert "ended with code 1" in server.get("/crawl/live").text
