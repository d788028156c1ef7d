"""Reading and crawling are two rights: behind a proxy everybody comes from loopback."""

import http.client
import json
import shutil
import socket
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import pytest
from test_serving import wait_for_end
from web_client import Answered, Running

from commands import run
from whimbrel.fetch.interfaces import own_addresses
from whimbrel.repository.embedded.opening import DATABASE
from whimbrel.testing.web import TinyWeb, site

CHANGES = ("/crawl/start", "/crawl/stop", "/crawl/site", "/crawl/like", "/crawl/terms", "/crawl/resume", "/favourite",
           "/seen", "/api/crawl", "/api/crawl/stop", "/api/crawl/resume")  # fmt: skip
FORM = "application/x-www-form-urlencoded"
CONFIGURATION = """
daemon off; master_process off; error_log /dev/null; pid {folder}/pid;
events {{}}
http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://127.0.0.1:{behind}; {headers} }} }} }}
"""


@pytest.fixture
def proxied(tmp_path: Path) -> Iterator[Callable[..., int]]:
    """A real nginx before a server; its port."""
    binary = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    if binary is None:
        pytest.skip("nginx is not installed")
    started = []

    def start(server: Running, headers: str = "") -> int:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = int(listener.getsockname()[1])
        folder = tmp_path / f"nginx-{len(started)}"
        folder.mkdir()
        text = CONFIGURATION.format(folder=folder, port=port, behind=server.port, headers=headers)
        (folder / "conf").write_text(text)
        started.append(subprocess.Popen([binary, "-e", "/dev/null", "-c", str(folder / "conf")]))
        while True:  # until it listens
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return port
            except ConnectionRefusedError:
                assert started[-1].poll() is None, "nginx ended"

    yield start
    for process in started:
        process.terminate()
        process.wait()


def through(port: int, method: str, path: str, form: dict[str, str] | None = None, **headers: str) -> Answered:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = urlencode(form).encode() if form is not None else None
    try:
        connection.request(method, path, body, {"Content-Type": FORM, **named} if body else named)
        return Answered(connection.getresponse())
    finally:
        connection.close()


@pytest.mark.parametrize(
    "headers",
    [
        "",
        "proxy_http_version 1.1; proxy_set_header X-Forwarded-For $remote_addr;",
        "proxy_http_version 1.1; proxy_set_header X-Real-IP $remote_addr; proxy_set_header Host $http_host;",
        "proxy_http_version 1.1; proxy_set_header Forwarded for=$remote_addr;",
    ],
)
def test_visitors_of_a_proxy_read_and_change_nothing(
    serving: Callable[..., Running], shelf: Path, tmp_path: Path, proxied: Callable[..., int], headers: str
) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(shelf, folder, ignore=shutil.ignore_patterns("*.lock", "lock"))
    server = serving(folder)
    port = proxied(server, headers)
    first = through(port, "GET", "/crawl")
    assert first.status == 200
    assert "Show the key" in first.text
    assert 'action="/crawl/start"' not in first.text
    token = {"token": first.form_token, "url": "http://127.0.0.1:9/"}
    for path in CHANGES:
        answer = through(port, "POST", path, token, Cookie=first.cookie)
        assert answer.status == 401, path
        assert "key" in answer.text
    assert not (folder / "serve-crawl.log").exists()
    # Once a proxy was seen it may keep quiet the next time.
    assert server.post("/crawl/stop", token, Cookie=first.cookie).status == 401
    # With the key it goes on.
    entered = through(port, "POST", "/login", {"key": server.key, "next": "/crawl"})
    assert entered.status == 303
    inside = through(port, "GET", "/crawl", Cookie=entered.cookie)
    assert 'action="/crawl/start"' in inside.text
    stopped = through(port, "POST", "/crawl/stop", {"token": inside.form_token}, Cookie=entered.cookie)
    assert "No crawl is running" in stopped.text
    key = {"Authorization": f"Bearer {server.key}"}
    assert through(port, "POST", "/api/crawl/stop", {}, **key).status == 409


def test_a_name_makes_it_a_shared_server(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path, allow_hosts=("library.example.org",))
    cookie, token = server.visit()
    for host in ("library.example.org", f"127.0.0.1:{server.port}"):
        answer = server.post("/crawl/start", {"url": "https://x.example", "token": token}, Cookie=cookie, Host=host)
        assert answer.status == 401
    assert server.get("/", {"Host": "library.example.org"}).status == 200


def test_read_only_is_for_everybody(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path, read_only=True)
    cookie, token = server.visit()
    page = server.get("/crawl").text
    assert "only shows" in page
    assert "Show the key" not in page
    for path in CHANGES:
        for shown in ({"Cookie": cookie}, {"Authorization": f"Bearer {server.key}"}):
            answer = server.post(path, {"token": token, "url": "https://x.example"}, **shown)
            assert answer.status == 403, path
            assert "--read-only" in answer.text


def test_on_this_machine_alone_nothing_is_asked_for(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path)
    cookie, token = server.visit()
    assert 'action="/crawl/start"' in server.get("/crawl").text
    assert "No crawl is running" in server.post("/crawl/stop", {"token": token}, Cookie=cookie).text


def test_private_pages_are_read_with_the_key_only_where_others_may_ask(
    serving: Callable[..., Running], shelf: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "folder"
    shutil.copytree(shelf, folder, ignore=shutil.ignore_patterns("*.lock", "lock"))
    with closing(sqlite3.connect(folder / DATABASE)) as database, database:
        url = database.execute("SELECT url FROM url WHERE version = (SELECT max(version) FROM url)").fetchone()[0]
        database.execute("UPDATE version SET private = 1 WHERE id = (SELECT max(version) FROM url)")
    server = serving(folder)
    assert server.get("/").status == server.get("/api/status").status == 200
    assert ">Private</span>" in server.get("/read", url=url).text
    shared = {"X-Forwarded-For": "192.0.2.7"}
    assert server.get("/", shared).status == 303
    assert server.get("/api/search", shared, q="tide").status == 401
    assert server.get("/api/search", shared | {"Authorization": f"Bearer {server.key}"}, q="tide").status == 200


def test_own_networks_are_not_crawled_from_the_browser(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path / "folder")
    cookie, token = server.visit()
    with TinyWeb(site(pages=3)) as web:
        names = ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "169.254.169.254", "2130706433", "[::ffff:127.0.0.1]",
                 *(f"[{own}]" if ":" in own else own for own in own_addresses() if "%" not in own)]  # fmt: skip
        for name in names:
            form = {"url": f"http://{name}:{web.port}/", "token": token}
            answer = server.post("/crawl/start", form, Cookie=cookie)
            assert answer.status == 400, name
            assert "--allow-network" in answer.text
            sent = json.dumps({"url": form["url"]}).encode()
            assert server.ask("POST", "/api/crawl", sent, Cookie=cookie, X_Whimbrel_Token=token).status == 409
        assert web.log == []
        # The crawl itself holds to it too, whatever the name pointed to when the form was read.
        done = run("crawl", "--from-browser", web.url("/"), "--repo", tmp_path / "other")
        assert "1 refused" in done.stdout
        run("crawl", "--repo", tmp_path / "other")
        assert web.log == []
        # What its owner names is open to the browser from then on.
        assert run("crawl", web.url("/"), "--limit", "1", "--repo", server.folder).returncode == 0
        asked = len(web.log)
        assert server.post("/crawl/start", {"url": web.url("/"), "token": token}, Cookie=cookie).status == 303
        assert wait_for_end()
        assert len(web.log) > asked


def test_the_kernels_list_of_addresses(tmp_path: Path) -> None:
    (tmp_path / "fib_trie").write_text(
        "Local:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 198.51.100.7\n        /32 host LOCAL\n"
        "     |-- 198.51.100.255\n        /32 link BROADCAST\n"
    )
    (tmp_path / "if_inet6").write_text("20010db8000000000000000000000007 02 40 00 80     eth0\n")
    assert own_addresses(tmp_path) == ["198.51.100.7", "2001:db8::7"]
    assert own_addresses(tmp_path / "none") == []
    assert "127.0.0.1" in own_addresses()
