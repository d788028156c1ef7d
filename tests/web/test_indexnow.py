"""Pings of sites (IndexNow) over real HTTP: whose word is taken, and what nobody is asked for."""

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from web_client import Running

from whimbrel import api
from whimbrel.flows.refresh.pings import PingBook
from whimbrel.repository.location import located
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb
from whimbrel.web.indexnow import MOST_A_MINUTE, HeardPing, KnownHosts, PingDesk, heard_ping

KEY = "0123456789abcdef"
Serving = Callable[..., Running]


def site() -> TinyWeb:
    key = Reply(f"{KEY}\n".encode(), content_type="text/plain")
    return TinyWeb({"/": "<a href=/a>a</a>", "/a": "A", f"/{KEY}.txt": key, "/blog/key.txt": key})


def kept(folder: Path, web: TinyWeb) -> None:
    async def run() -> None:
        async for _ in api.crawl([web.url("/")], repo=folder, migrants=1):
            pass

    asyncio.run(run())


def heard(folder: Path, count: int, patience: float = 120.0) -> set[str]:
    """What was taken down, which happens after the answer."""
    ends = time.monotonic() + patience
    while len(PingBook(folder).every()) < count:
        assert time.monotonic() < ends, "nothing was taken down"
    return {ping.url for ping in PingBook(folder).every().values()}


def post(running: Running, message: dict[str, object]) -> int:
    return running.ask("POST", "/indexnow", json.dumps(message).encode(), Content_Type="application/json").status


def test_a_ping_with_its_key_is_taken_down(tmp_path: Path, serving: Serving) -> None:
    with site() as web:
        kept(tmp_path, web)
        running = serving(tmp_path)
        assert running.get("/indexnow", url=web.url("/a"), key=KEY).status == 202
        assert heard(tmp_path, 1) == {web.url("/a")}
        named = web.url("/").split("/")[2]
        urls = [web.url("/b"), web.url("/c")]
        assert post(running, {"host": named, "key": KEY, "urlList": urls}) == 202
        assert heard(tmp_path, 3) == {web.url("/a"), *urls}
        assert web.count(f"/{KEY}.txt") == 1, "a key that was found is believed for a while"


def test_also_where_readers_need_a_key(tmp_path: Path, serving: Serving) -> None:
    with site() as web:
        kept(tmp_path, web)
        running = serving(tmp_path, host="0.0.0.0")
        assert running.get("/indexnow", url=web.url("/a"), key=KEY).status == 202
        assert heard(tmp_path, 1) == {web.url("/a")}


def test_a_wrong_key_and_hosts_that_are_not_here_are_answered_alike_and_count_for_nothing(
    tmp_path: Path, serving: Serving
) -> None:
    with site() as web, site() as stranger:
        kept(tmp_path, web)
        running = serving(tmp_path)
        assert running.get("/indexnow", url=stranger.url("/a"), key=KEY).status == 202
        assert running.get("/indexnow", url="http://127.0.0.1:1/a", key=KEY).status == 202
        assert running.get("/indexnow", url="http://169.254.169.254/a", key=KEY).status == 202
        assert running.get("/indexnow", url=web.url("/a"), key="another-key").status == 202
        assert web.wait_for("/another-key.txt")
        # So lately was this host asked that the right key is not looked for either.
        assert running.get("/indexnow", url=web.url("/a"), key=KEY).status == 202
        assert running.get("/indexnow", url=web.url("/a"), key="a-third-key").status == 202
        assert not stranger.log
        assert web.count(f"/{KEY}.txt") == 0
    assert not PingBook(tmp_path).every()


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ({"url": "/a", "key": "short"}, 400),
        ({"url": "ftp://a.example/", "key": KEY}, 400),
        ({"key": KEY}, 400),
        ({"url": "https://a.example/x", "key": KEY, "keyLocation": "https://b.example/key.txt"}, 422),
        ({"url": "https://a.example/x", "key": KEY, "keyLocation": "https://a.example:8443/key.txt"}, 422),
        ({"url": "https://a.example/x", "key": KEY, "keyLocation": "https://a.example/reboot"}, 422),
        ({"url": "https://a.example/x", "key": KEY, "keyLocation": "https://a.example/do?now=.txt"}, 422),
        ({"url": "https://a.example/shop/x", "key": KEY, "keyLocation": "https://a.example/blog/key.txt"}, 422),
    ],
)
def test_what_is_no_ping_is_refused(server: Running, message: dict[str, str], status: int) -> None:
    assert server.get("/indexnow", **message).status == status


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[1]", 400),
        (b'{"host": "a.example", "key": "0123456789", "urlList": []}', 400),
        (b'{"host": "b.example", "key": "0123456789", "urlList": ["https://a.example/"]}', 422),
        (b'{"host": "a.example", "key": "0123456789", "urlList": ["https://a.example/", "https://b.example/"]}', 422),
        (b"x" * (5 << 20), 413),
    ],
)
def test_what_is_posted_and_is_no_ping_is_refused(server: Running, body: bytes, status: int) -> None:
    assert server.ask("POST", "/indexnow", body, Content_Type="application/json").status == status


class CountingDesk(PingDesk):
    looked_up = 0

    def look_up(self) -> KnownHosts | None:
        self.looked_up += 1
        return super().look_up()


def test_many_pings_cost_one_look_at_the_folder(tmp_path: Path) -> None:
    with site() as web:
        kept(tmp_path, web)
        desk = CountingDesk(located(tmp_path))

        async def run() -> None:
            heard = [heard_ping([web.url(f"/{at}")], "", KEY, "") for at in range(20)]
            await asyncio.gather(*(desk.look(one) for one in heard if isinstance(one, HeardPing)))

        asyncio.run(run())
    assert desk.looked_up == 1
    assert PingBook(tmp_path).every()


def test_whoever_tells_too_much_has_to_wait(tmp_path: Path, serving: Serving) -> None:
    with site() as web:
        kept(tmp_path, web)
        running = serving(tmp_path)
        said = [running.get("/indexnow", url=web.url("/a"), key=KEY) for _ in range(MOST_A_MINUTE + 1)]
    assert {answer.status for answer in said[:-1]} == {202}
    assert (said[-1].status, said[-1].headers["Retry-After"]) == (429, "60")
