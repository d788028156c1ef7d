"""Two servers on a folder, a taken port, an empty folder, a crawl started from the browser."""

import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from web_client import Running

from whimbrel.migrants.control import NAME as SOCKET
from whimbrel.repository.contract import FolderBusy
from whimbrel.testing.web import TinyWeb, site
from whimbrel.web.server import Opened, PortTaken
from whimbrel.web.settings import Door

PATIENCE_SECONDS = 40.0


def wait_until(done: Callable[[], bool]) -> bool:
    until = time.monotonic() + PATIENCE_SECONDS
    while not (ended := done()) and time.monotonic() < until:
        time.sleep(0.1)
    return ended


def test_one_server_a_folder(server: Running) -> None:
    with pytest.raises(FolderBusy, match=rf"served already, at http://127.0.0.1:{server.port}/"):
        Opened(server.folder, Door(port=0))


def test_a_taken_port_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(PortTaken, match=rf"port {port} .* is taken .* --port"):
            Opened(tmp_path, Door(port=port))
    Opened(tmp_path, Door(port=0)).close()  # the folder was given up again


def test_a_foreign_address_is_said(tmp_path: Path) -> None:
    with pytest.raises(PortTaken, match="no address of this machine"):
        Opened(tmp_path, Door(host="192.0.2.1", port=0))


def test_an_empty_folder_is_served(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path / "new")
    assert "Nothing is kept in this folder yet" in server.get("/").text
    for path in ("/?q=x", "/crawl", "/crawl/live", "/favourites", "/api/search?q=x", "/api/crawl", "/api/changed"):
        assert server.get(path).status == 200, path
    assert server.get("/read?url=http://a.example/").status == 404
    assert "Add a site above to begin." in server.get("/crawl").text
    assert server.get("/api/status").status == 404


def test_a_crawl_from_the_browser(serving: Callable[..., Running], tmp_path: Path) -> None:
    """Started by the form, seen while it runs, searched when it is done."""
    server = serving(tmp_path)
    cookie, token = server.visit()
    with TinyWeb(site(pages=6)) as web:
        form = {"url": web.url(), "limit": "6", "token": token}
        assert server.post("/crawl/start", form, Cookie=cookie).status == 303
        # A database that is only just being made is an error for a moment.
        found = wait_until(lambda: server.get("/api/search", q="page").json().get("total") == 6)
        assert found, server.get("/crawl/live").text
        assert wait_until(lambda: not server.get("/api/crawl").json()["running"])
    assert server.get("/api/status").json()["pages"] == 6


def test_a_crawl_is_stopped_and_resumed(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path)
    cookie, token = server.visit()

    def running() -> bool:
        answer: bool = server.get("/api/crawl").json()["running"]
        return answer

    with TinyWeb(site(pages=8)) as web:
        web.hold("/page/3.html")
        server.post("/crawl/start", {"url": web.url(), "token": token}, Cookie=cookie)
        assert web.wait_for("/page/3.html", timeout_seconds=PATIENCE_SECONDS)
        assert wait_until(running)
        assert "A crawl is running" in server.get("/crawl").text
        assert "already" in server.post("/crawl/resume", {"token": token}, Cookie=cookie).text
        assert server.post("/crawl/stop", {"token": token}, Cookie=cookie).status == 303
        web.release("/page/3.html")
        assert wait_until(lambda: not running() and "No crawl is running" in server.get("/crawl").text)
        assert server.post("/crawl/resume", {"token": token}, Cookie=cookie).status == 303
        assert wait_until(lambda: server.get("/api/status").json()["pages"] == 8)
        assert wait_until(lambda: "No crawl is running" in server.get("/crawl").text)


def test_a_crawl_that_was_killed_elsewhere_is_told(
    serving: Callable[..., Running], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It left its socket behind, and nobody answers there."""
    server = serving(tmp_path)
    assert "The crawl was killed" not in server.get("/crawl/live").text
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(SOCKET)
    said = server.get("/crawl/live").text
    assert "The crawl was killed" in said
    assert "Resume goes on from there" in said


def test_a_crawl_that_fails_says_why(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path)
    cookie, token = server.visit()
    form = {"url": "http://127.0.0.1:1/", "token": token}
    assert server.post("/crawl/start", form, Cookie=cookie).status == 303
    assert wait_until(lambda: "ended with code 1" in server.get("/crawl/live").text)
