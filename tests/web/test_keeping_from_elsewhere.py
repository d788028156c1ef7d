"""A bookmarklet leads to a page that asks; figures that are sent on count nothing private."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from web_client import Running

from commands import run
from growing_site import Followed
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb

CAME = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}


def test_nothing_is_begun_before_somebody_says_so(server: Running) -> None:
    shown = server.get("/crawl").text
    script = re.search(r'class="badge" href="(javascript:[^"]+)"', shown)
    assert script is not None
    assert f"'{server.address}/keep/from?url='" in unescape(script[1])
    first = server.get("/keep/from", CAME, url='http://a.example/"><script>', title="x")
    assert (first.status, first.cookie, "<script>" in first.text) == (200, "", False)
    onward = re.search(r'content="0;url=([^"]+)"', first.text)
    assert onward is not None
    asked = server.get(unescape(onward[1]))
    assert asked.status == 200
    assert 'action="/crawl/start"' in asked.text
    assert server.get("/api/crawl").json()["running"] is False


def test_what_is_kept_already_is_said(server: Running) -> None:
    kept = server.get("/api/search", q="estuary").json()["hits"][0]["url"]
    assert "It is kept already" in server.get("/keep", url=kept).text
    assert "It is kept already" not in server.get("/keep", url="http://never.example/").text


@pytest.mark.parametrize(
    "url", ["", "javascript:alert(1)", "file:///etc/passwd", "about:blank", "http://[", "x" * 9000]
)
def test_what_is_no_page_is_refused(server: Running, url: str) -> None:
    assert server.get("/keep", url=url).status == 400
    assert server.get("/keep/from", url=url).status == 200, "it only leads on"


def test_a_neighbour_of_this_machine_is_not_offered(server: Running) -> None:
    asked = server.get("/keep", url="http://127.0.0.1:9/")
    assert ("Keep it" in asked.text, "--allow-network" in asked.text) == (False, True)


def test_the_key_is_asked_for_where_others_come_by(serving: Callable[..., Running], tmp_path: Path) -> None:
    server = serving(tmp_path / "new", host="0.0.0.0")
    assert server.get("/keep/from", CAME, url="http://a.example/").status == 200
    asked = server.get("/keep", url="http://a.example/")
    assert (asked.status, asked.headers["location"].startswith("/login?next=/keep")) == (303, True)


def test_private_pages_are_counted_nowhere(serving: Callable[..., Running], tmp_path: Path) -> None:
    with TinyWeb({"/": Reply(b"<title>Open</title><p>Anybody may read this.")}) as anybody:
        Followed(anybody, tmp_path).crawl()
        assert 'whimbrel_site_pages{site="127.0.0.1"} 1' in serving(tmp_path).get("/metrics").text
    secret = tmp_path / "secret"
    with TinyWeb({"/": Reply(b"<title>Shut</title><p>Only with a password.")}) as shut:
        (tmp_path / "password").write_text("ada:lovelace")
        run("crawl", shut.url("/"), "--auth", f"{shut.url('/')}=file:{tmp_path / 'password'}", "--repo", secret)
    said = serving(secret).get("/metrics").text
    assert "whimbrel_pages 0\n" in said
    assert "127.0.0.1" not in said
    assert "received_bytes" not in said
    assert 'outcome="fetched"} 0' in said
