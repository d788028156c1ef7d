"""Courtesy while lanes change hands: by the server's own log."""

import asyncio
import itertools
import os
import signal
from pathlib import Path

import pytest
from watched import NOWHERE, Watched, bounded

from whimbrel.testing.reply import NOT_FOUND, chosen, unavailable
from whimbrel.testing.web import Page, TinyWeb, _read_request, _send

HOSTS = tuple(f"127.0.1.{n}" for n in range(1, 13))
DELAY = 0.15


def chains(length: int) -> dict[str, Page]:
    """Every page leads to two more, so that lanes run low and are filled again all the time."""
    return {f"/p{n}": f'<a href="/p{2 * n}">l</a><a href="/p{2 * n + 1}">r</a> page {n}' for n in range(1, length)}


def closest(web: TinyWeb) -> dict[str, float]:
    """The shortest time between two request starts, by host."""
    starts: dict[str, list[float]] = {}
    for request in web.log:
        starts.setdefault(request.server[0], []).append(request.started)
    return {host: min((b - a for a, b in itertools.pairwise(moments)), default=9.0) for host, moments in starts.items()}


class Slow(TinyWeb):
    """Answers after a while, so that a request is under way whenever a lane is asked back."""

    pause_seconds = 0.1
    under_way = 0
    most_under_way = 0

    async def _answer_next(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        request = _read_request(await reader.readuntil(b"\r\n\r\n"), writer)
        number = self._record(request)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        await asyncio.sleep(self.pause_seconds)
        self.under_way -= 1
        return await _send(chosen(self.pages.get(request.path, NOT_FOUND), number, request), request, writer)


@pytest.mark.long
def test_a_lane_on_its_way_is_not_asked_by_two(tmp_path: Path) -> None:
    """The answer under way takes longer than the heir's start, and brings links for the lane that is to go."""

    async def script(crawl: Watched) -> None:
        await crawl.asked(3 * len(HOSTS))
        await crawl.do("clone", "m1")

    with Slow(chains(10), addresses=HOSTS) as web:
        web.pause_seconds = 1.2
        seeds = [web.url("/p1", host) for host in HOSTS]
        ended = bounded(NOWHERE, tmp_path, web, script, *seeds, migrants=1, delay_seconds=DELAY)
        gaps = closest(web)
        robots = sum(request.path == "/robots.txt" for request in web.log)
        pages = [(request.server[0], request.path) for request in web.log if request.path != "/robots.txt"]
    assert ended.why == "finished"
    assert len(pages) == len(set(pages)), "nothing was fetched twice"
    # One request at a time: nobody begins before the one before is answered.
    assert {host: gap for host, gap in gaps.items() if gap < web.pause_seconds} == {}
    assert robots == len(HOSTS), "robots.txt was asked for again"


def test_a_shared_host_never_has_more_requests_under_way_than_it_allows(tmp_path: Path) -> None:
    """32 on loopback, whoever makes them."""
    pages: dict[str, Page] = {
        "/": "".join(f'<a href="/p{n}">p</a>' for n in range(1500)),
        **{f"/p{n}": f"<p>page {n} " + "word " * 50 for n in range(1500)},
    }

    async def script(crawl: Watched) -> None:
        for _ in range(3):
            await asyncio.to_thread(crawl.web.wait_for_requests, len(crawl.web.log) + 300)
            name = (await crawl.busiest())["name"]
            await crawl.do("clone", name)

    with Slow(pages) as web:
        ended = bounded(NOWHERE, tmp_path, web, script, web.url("/"), migrants=1)
    assert ended.why == "finished"
    assert web.most_under_way <= 32


@pytest.mark.parametrize("migrants", [1])
def test_a_wait_that_a_host_asked_for_outlives_the_migrant(tmp_path: Path, migrants: int) -> None:
    pages: dict[str, Page] = {
        "/": '<a href="/busy">b</a>' + "".join(f'<a href="/p{n}">p</a>' for n in range(20)),
        "/busy": [unavailable("4", 429), "<p>at last"],
        **{f"/p{n}": f"<p>page {n}" for n in range(20)},
    }

    async def script(crawl: Watched) -> None:
        while not (await crawl.ask(ask="progress"))["retries"]:  # home has heard that the host asked for time
            await asyncio.sleep(0)
        one = (await crawl.migrants())["m1"]
        os.kill(one["pid"], signal.SIGKILL)

    with TinyWeb(pages) as web:
        ended = bounded(NOWHERE, tmp_path, web, script, web.url("/"), migrants=migrants, delay_seconds=0.2)
        complaint = next(request.started for request in web.log if request.path == "/busy")
        early = [r.path for r in web.log if complaint < r.started < complaint + 3.9]
    assert ended.why == "finished"
    assert early == []
