"""Moments in the life of migrants that must cost neither pages nor courtesy nor the end of the crawl."""

import asyncio
import os
import signal
from pathlib import Path

import pytest
from watched import NOWHERE, Watched, bounded

from folders import outcomes
from whimbrel.migrants.home import crew
from whimbrel.testing.reply import redirect, unavailable
from whimbrel.testing.web import Page, TinyWeb, site


async def killed(crawl: Watched, name: str) -> None:
    crew = await crawl.until(lambda crew: crew.get(name, {}).get("state") == "active")
    os.kill(crew[name]["pid"], signal.SIGKILL)
    await crawl.until(lambda crew: name not in crew)


def test_a_successor_knows_where_the_seed_has_moved(tmp_path: Path) -> None:
    pages: dict[str, Page] = {f"/p{n}": f'<a href="/p{n + 1}">on</a> {n}' for n in range(1, 40)}
    with TinyWeb(pages, addresses=("127.0.0.1", "127.0.0.2")) as web:
        web.pages["/old"] = redirect(web.url("/p1", "127.0.0.2"), 301)

        async def script(crawl: Watched) -> None:
            await crawl.asked(8)
            await killed(crawl, "m1")

        ended = bounded(
            NOWHERE, tmp_path, web, script, web.url("/old"),
            migrants=1, delay_seconds=0.05, allow_networks=["127.0.0.0/8"],
        )  # fmt: skip
    assert ended.why == "finished"
    assert outcomes(tmp_path).get("/p30") == "fetched", "the links were judged by the old scope"


def test_the_last_one_disposed_of_does_not_leave_the_crawl_hanging(tmp_path: Path) -> None:
    async def script(crawl: Watched) -> None:
        await crawl.asked(20)
        await crawl.do("dispose", "m1")

    with TinyWeb(site(200, 4, seed=3)) as web:
        ended = bounded(NOWHERE, tmp_path, web, script, web.url("/"), migrants=1, delay_seconds=0.01)
    assert ended.why == "finished"


def test_one_that_slept_and_woke_is_replaced_when_it_dies(tmp_path: Path) -> None:
    async def script(crawl: Watched) -> None:
        await crawl.asked(20)
        await crawl.do("deactivate", "m1")
        await crawl.do("activate", "m1")
        await killed(crawl, "m1")

    with TinyWeb(site(200, 4, seed=3)) as web:
        ended = bounded(NOWHERE, tmp_path, web, script, web.url("/"), migrants=1, delay_seconds=0.01)
    assert ended.why == "finished"


def test_a_shared_host_with_a_sleeper_ends_as_asleep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "DROWSY_SECONDS", 0.0)

    async def script(crawl: Watched) -> None:
        await crawl.asked(600)
        await crawl.until(lambda crew: all(one["hosts"] and one["tasks"] for one in crew.values()) and len(crew) == 2)
        await crawl.do("deactivate", "m2")

    with TinyWeb(site(4000, 8, seed=3)) as web:
        ended = bounded(NOWHERE, tmp_path, web, script, web.url("/"), migrants=2)
    assert ended.why == "asleep"


def test_a_place_that_vanished_does_not_end_the_crawl(tmp_path: Path) -> None:
    cellar = tmp_path / "cellar"
    cellar.mkdir()
    settings = tmp_path / "whimbrel.toml"
    settings.write_text(f'[[place]]\nname = "cellar"\nfolder = "{cellar}"\n')

    async def script(crawl: Watched) -> None:
        await crawl.asked(20)
        await crawl.do("dispatch", "m1", "cellar")
        await crawl.until(lambda crew: crew.get("m1", {}).get("state") == "active")
        cellar.rmdir()
        await killed(crawl, "m1")

    with TinyWeb(site(200, 4, seed=3)) as web:
        ended = bounded(settings, tmp_path / "data", web, script, web.url("/"), migrants=1, delay_seconds=0.01)
    assert ended.why == "finished"


def test_a_wait_that_a_host_asked_for_travels_with_the_lane(tmp_path: Path) -> None:
    async def script(crawl: Watched) -> None:
        await asyncio.to_thread(crawl.web.wait_for, "/busy")
        await crawl.until(lambda crew: crew["m1"]["in_flight"] == 0)
        await crawl.do("deactivate", "m1")
        await crawl.do("activate", "m1")

    pages: dict[str, Page] = {
        "/": '<a href="/busy">b</a>' + "".join(f'<a href="/p{n}">p</a>' for n in range(200)),
        "/busy": [unavailable("4", 429), "<p>at last"],
        **{f"/p{n}": f"<p>page {n}" for n in range(200)},
    }
    with TinyWeb(pages) as web:
        for n in range(200):
            web.hold(f"/p{n}")

        async def released(crawl: Watched) -> None:
            await asyncio.to_thread(crawl.web.wait_for, "/busy")
            for n in range(200):
                crawl.web.release(f"/p{n}")
            await script(crawl)

        assert bounded(NOWHERE, tmp_path, web, released, web.url("/"), migrants=1).why == "finished"
        asked = [request for request in web.log if request.path == "/busy"]
        complaint = asked[0].started
        early = [r.path for r in web.log if complaint + 0.5 < r.started < complaint + 3.9]
    assert early == []
