"""Requests for kinds of pages: rows that last, several at once, rare kinds first; a shelf that outlives its migrant."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from folders import COMMAND, PATIENCE, consistent, crawl, finish, outcomes, rows, start
from shop_site import TOP, item, shop, story
from whimbrel import api
from whimbrel.config import load
from whimbrel.migrants.home.control import NAME, ask
from whimbrel.repository.location import SHELF
from whimbrel.testing.web import Page, TinyWeb

ITEMS = {f"/item/{number}" for number in range(40)}
STORIES = {"/", *(f"/story/{number}" for number in range(60))}


def kept(folder: Path) -> set[str]:
    return {path for path, outcome in outcomes(folder).items() if outcome == "fetched"}


def status(folder: Path, *flags: str) -> Any:
    command = [sys.executable, "-m", "whimbrel", "status", "--repo", str(folder), "--json", *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE)
    return json.loads(done.stdout)


def asked_for(web: TinyWeb, paths: set[str]) -> int:
    return sum(web.count(path) for path in paths)


def test_a_request_is_a_row_that_is_done_when_it_has_enough_and_opened_when_more_is_wanted(tmp_path: Path) -> None:
    with TinyWeb(shop()) as web:
        like = [web.url("/item/3")]
        assert crawl(tmp_path, web.url("/"), like=like, limit=5).why == "limit"
        (request,) = status(tmp_path)["requests"]
        assert (request["state"], request["found"], request["limit"], request["like"]) == ("done", 5, 5, like)
        assert request["asked_at"] < request["finished_at"]
        assert crawl(tmp_path, web.url("/"), like=like).why == "finished"
    (request,) = status(tmp_path)["requests"]
    assert (request["request"], request["state"], request["found"], request["limit"]) == (1, "done", 40, None)


def test_a_request_cut_short_stays_open_and_goes_on_as_it_was(tmp_path: Path) -> None:
    with TinyWeb(shop()) as web:
        like = [web.url("/item/3")]
        assert crawl(tmp_path, web.url("/"), like=like, visits=20).why == "budget"
        assert status(tmp_path)["requests"][0]["state"] == "open"
        looked_at = web.count("/item/3")
        crawl(tmp_path, like=like)
        assert web.count("/item/3") - looked_at <= 1, "the examples were looked at once"
    assert kept(tmp_path) == ITEMS


def test_the_limit_of_a_request_counts_its_own_pages(tmp_path: Path) -> None:
    with TinyWeb(shop()) as web:
        crawl(tmp_path, web.url("/"), like=[web.url("/item/3")])
        assert crawl(tmp_path, web.url("/"), like=[web.url("/story/3"), web.url("/story/8")], limit=7).why == "limit"
    assert [(one["state"], one["found"]) for one in status(tmp_path)["requests"]] == [("done", 40), ("done", 7)]
    assert len(kept(tmp_path) & STORIES) == 7


@pytest.mark.parametrize("migrants", [1, 2])
def test_a_second_request_takes_from_the_shelf_what_the_first_did_not_want(tmp_path: Path, migrants: int) -> None:
    with TinyWeb(shop()) as web:
        crawl(tmp_path, web.url("/"), like=[web.url("/item/3"), web.url("/item/8")], migrants=migrants)
        assert (tmp_path / SHELF).exists()
        before = asked_for(web, STORIES)
        ended = crawl(tmp_path, web.url("/"), like=[web.url("/story/3"), web.url("/story/8")], migrants=migrants)
        assert asked_for(web, STORIES) - before == 2, "only the two examples were looked at again"
    assert ended.why == "finished"
    assert kept(tmp_path) == ITEMS | STORIES
    assert status(tmp_path)["requests"][1]["found"] == len(STORIES)
    consistent(tmp_path)


def test_without_a_request_everything_is_wanted_again(tmp_path: Path) -> None:
    with TinyWeb(shop()) as web:
        crawl(tmp_path, web.url("/"), like=[web.url("/item/3"), web.url("/item/8")])
        assert kept(tmp_path) == ITEMS
        crawl(tmp_path, web.url("/"))
    assert kept(tmp_path) == ITEMS | STORIES


def test_a_kill_costs_the_shelf_nothing(tmp_path: Path) -> None:
    with TinyWeb(shop()) as web:
        like = ("--like", web.url("/item/3"), "--like", web.url("/item/8"))
        running = start(tmp_path, web.url("/"), *like, "--delay", "0.02", "--migrants", "1")
        assert web.wait_for_requests(70, timeout_seconds=300)
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
        before = {path: web.count(path) for path in STORIES}
        finish(tmp_path, web.url("/"), "--like", web.url("/story/3"), "--like", web.url("/story/8"))
        again = [path for path in STORIES if before[path] and web.count(path) > before[path]]
    assert status(tmp_path)["requests"][1]["found"] == len(STORIES)
    # What was on its way when the kill came was never read; the examples are always looked at.
    assert len(again) <= 2 + 3, again
    assert kept(tmp_path) == ITEMS | STORIES
    consistent(tmp_path)


def test_a_damaged_shelf_is_told_and_thrown_away(tmp_path: Path) -> None:
    with TinyWeb(shop()) as web:
        crawl(tmp_path, web.url("/"), like=[web.url("/item/3"), web.url("/item/8")], migrants=1)
        for suffix in ("-wal", "-shm"):
            (tmp_path / f"{SHELF}{suffix}").unlink(missing_ok=True)
        (tmp_path / SHELF).write_bytes(b"no shelf at all" * 500)
        options = {"like": [web.url("/story/3"), web.url("/story/8")], "migrants": 1}
        opened = api.open_crawl(load(Path("/dev/null"), {}, api.flags_of(options)), [], tmp_path)
        try:
            ended = asyncio.run(asyncio.wait_for(opened.manager.run(), PATIENCE))
        finally:
            opened.store.close()
    assert ended.why == "finished"
    assert any("begun anew" in note for note in opened.manager.progress.notes)
    assert kept(tmp_path) == ITEMS | STORIES


def coin(number: int) -> str:
    rings = "".join(f"<li class=ring><b>{number}</b>" for _ in range(3 + number % 3))
    return (
        f"<html><head><title>Coin {number}</title></head><body>{TOP}<div class=coin><h1>Coin {number}</h1>"
        f"<ol class=rings>{rings}</ol><dl><dt>year<dd>{number}</dl><address>vault</address></div></body>"
    )


def catalogue(commons: int, rares: int) -> dict[str, Page]:
    """One list of many common pages and, at its end, a few rare ones."""
    pages: dict[str, Page] = {f"/item/{number}": item(number) for number in range(commons)}
    shown = "".join(f"<a class=card href=/item/{number}>see {number}</a>" for number in range(commons))
    shown += "".join(f"<a class=coin href=/coin/{number}>coin {number}</a>" for number in range(rares))
    pages |= {f"/coin/{number}": coin(number) for number in range(rares)}
    pages["/"] = story(999, [], 9).replace("<aside class=cards>", f"<aside class=cards>{shown}")
    return pages


def test_of_two_open_requests_the_rarer_kind_is_served_first(tmp_path: Path) -> None:
    """Both stand open before the first page is fetched; only how rare a kind is tells them apart."""
    with TinyWeb(catalogue(200, 30)) as web:
        common, rare = [web.url("/item/3"), web.url("/item/8")], [web.url("/coin/3"), web.url("/coin/8")]
        assert crawl(tmp_path, web.url("/"), like=common, limit=1, migrants=1).why == "limit"
        with_limit_lifted = {"like": common, "time_limit_seconds": 0.0001}
        crawl(tmp_path, web.url("/"), **with_limit_lifted)
        assert [one["state"] for one in status(tmp_path)["requests"]] == ["open"]
        began = len(web.log)
        crawl(tmp_path, web.url("/"), like=rare, migrants=1, delay_seconds=0.01)
        order = [request.path for request in web.log[began:]]
    assert {one["state"] for one in status(tmp_path)["requests"]} == {"done"}
    items = [at for at, path in enumerate(order) if path.startswith("/item/")]
    coins = [at for at, path in enumerate(order) if path.startswith("/coin/")]
    assert median(coins) < median(items) / 2, (median(coins), median(items))
    found = {one["request"]: one["found"] for one in status(tmp_path)["requests"]}
    assert found == {1: 200, 2: 30}


def test_migrants_are_made_for_a_request_and_disposed_of_when_it_is_done(tmp_path: Path) -> None:
    async def watched(opened: api.OpenedCrawl) -> list[dict[str, Any]]:
        running = asyncio.create_task(opened.manager.run())
        crew: list[dict[str, Any]] = []
        while not any(one["state"] == "active" for one in crew):
            answer = await asyncio.to_thread(ask, tmp_path, {"ask": "migrants"}) if (tmp_path / NAME).exists() else {}
            crew = list((answer or {}).get("migrants", []))  # type: ignore[call-overload]
            await asyncio.sleep(0)
        assert all(Path(f"/proc/{one['pid']}").exists() for one in crew)
        web.release("/story/5")
        await running
        return crew

    with TinyWeb(shop()) as web:
        web.hold("/story/5")
        options = {"like": [web.url("/item/3"), web.url("/item/8")], "migrants": 2}
        opened = api.open_crawl(
            load(Path("/dev/null"), {}, api.flags_of(options)), api.read_seeds([web.url("/")]), tmp_path
        )
        try:
            crew = asyncio.run(asyncio.wait_for(watched(opened), PATIENCE))
        finally:
            opened.store.close()
            web.release("/story/5")
    assert {one["errand"] for one in crew} == {"request 1"}
    assert not any(Path(f"/proc/{one['pid']}").exists() for one in crew)
    assert status(tmp_path)["requests"][0]["state"] == "done"
    gone = status(tmp_path, "--migrants")["migrants"]
    assert {(one["state"], one["errand"]) for one in gone} == {("disposed", "request 1")}
    assert rows(tmp_path, "SELECT DISTINCT errand FROM migrant") == [("request 1",)]


def test_a_request_that_was_withdrawn_is_served_no_more(tmp_path: Path) -> None:
    with TinyWeb(shop()) as web:
        crawl(tmp_path, web.url("/"), like=[web.url("/item/3")], visits=25)
        before = kept(tmp_path)
        assert before, "it was served"
        assert before < ITEMS, "and not to its end"
        assert api.withdraw(tmp_path, 1)
        assert not api.withdraw(tmp_path, 1)
        crawl(tmp_path, web.url("/"), like=[web.url("/story/3"), web.url("/story/8")])
    assert kept(tmp_path) == before | STORIES
    assert [one["state"] for one in status(tmp_path)["requests"]] == ["withdrawn", "done"]


def test_of_two_requests_one_has_enough_and_the_other_goes_on(tmp_path: Path) -> None:
    with TinyWeb(shop()) as web:
        items, stories = [web.url("/item/3"), web.url("/item/8")], [web.url("/story/3"), web.url("/story/8")]
        assert crawl(tmp_path, web.url("/"), like=items, limit=6, visits=5).why == "budget"
        assert [one["state"] for one in status(tmp_path)["requests"]] == ["open"]
        assert crawl(tmp_path, web.url("/"), like=stories).why == "finished"
    assert [(one["state"], one["found"]) for one in status(tmp_path)["requests"]] == [("done", 6), ("done", 61)]
    assert len(kept(tmp_path) & ITEMS) == 6
    assert kept(tmp_path) >= STORIES


def test_what_is_forgotten_leaves_neither_a_request_nor_a_shelf(tmp_path: Path) -> None:
    with TinyWeb(shop(8, 8)) as web:
        crawl(tmp_path, web.url("/"), like=[web.url("/item/3")])
        example = web.url("/item/3")
    command = [sys.executable, "-m", "whimbrel", "forget", example, "--yes", "--repo", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
    assert status(tmp_path)["requests"] == []
    assert list(tmp_path.glob(f"{SHELF}*")) == []


@pytest.mark.parametrize("page", ["", "<html><head><script src=a.js></script></head><body><div id=root></div></body>"])
def test_the_command_says_what_is_wrong_with_an_example(tmp_path: Path, page: str) -> None:
    with TinyWeb({**shop(3, 3), "/shown": page}) as web:
        command = [*COMMAND, web.url("/"), "--like", web.url("/shown"), "--repo", str(tmp_path)]
        said = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert said.returncode == 2
    assert "Traceback" not in said.stderr
    assert "Choose a page" in said.stderr
