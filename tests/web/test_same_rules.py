"""One site crawled by the command, from the browser and by a program: the same rules, log and requests."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from test_serving import wait_for_end
from web_client import Running

import commands
import whimbrel
from whimbrel import api
from whimbrel.config import load
from whimbrel.testing.reply import Reply
from whimbrel.testing.web import TinyWeb, site

Way = Callable[[TinyWeb, Path], None]
PAGES = 12
LINKS = 300


def lines(log: Path) -> Counter[tuple[object, ...]]:
    """What was logged, but for when, and for the address, which is another one each time."""
    said = [json.loads(line) for line in log.read_text().splitlines()]
    return Counter((one["url"].split("/", 3)[3], one["outcome"], one["status"], one["rule"]) for one in said)


def by_command(web: TinyWeb, folder: Path) -> None:
    done = commands.run("crawl", web.url(), "--repo", folder)
    assert done.returncode == 0, done.stderr


def by_program(web: TinyWeb, folder: Path) -> None:
    async def run() -> int:
        return len([visit async for visit in whimbrel.crawl([web.url()], repo=folder)])

    assert asyncio.run(run()) == PAGES


def test_all_ways_crawl_by_the_same_rules(
    serving: Callable[..., Running], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def from_the_browser(web: TinyWeb, folder: Path) -> None:
        server = serving(folder, networks=("127.0.0.0/8",))
        cookie, token = server.visit()
        assert server.post("/crawl/start", {"url": web.url(), "token": token}, Cookie=cookie).status == 303
        assert wait_for_end()

    monkeypatch.setenv("WHIMBREL_CRAWL_MIGRANTS", "1")
    ways: dict[str, Way] = {"command": by_command, "browser": from_the_browser, "program": by_program}
    asked: dict[str, Counter[str]] = {}
    logged = {}
    for name, way in ways.items():
        log = tmp_path / f"{name}.log"
        monkeypatch.setenv("WHIMBREL_LOG_FILE", str(log))
        with TinyWeb(site(PAGES)) as web:
            way(web, tmp_path / name)
            asked[name] = Counter(request.path for request in web.log)
        logged[name] = lines(log)
    assert asked["command"] == asked["browser"] == asked["program"]
    assert logged["command"] == logged["browser"] == logged["program"]
    assert logged["command"].total() == PAGES


def test_a_program_names_its_own_log(tmp_path: Path) -> None:
    async def run(web: TinyWeb) -> list[str]:
        return [visit.url async for visit in whimbrel.crawl([web.url()], repo=tmp_path / "data", file=str(log))]

    log = tmp_path / "visits.log"
    with TinyWeb(site(3)) as web:
        urls = asyncio.run(run(web))
    assert sorted(json.loads(line)["url"] for line in log.read_text().splitlines()) == sorted(urls)


def test_a_log_that_cannot_be_written_is_said_before_anything_is_fetched(tmp_path: Path) -> None:
    log = tmp_path / "nowhere" / "log"
    with TinyWeb(site(3)) as web:
        by_command(web, tmp_path / "data")
        before = len(web.log)
        for verb in (("crawl", web.url()), ("refresh",)):
            done = commands.run(*verb, "--repo", tmp_path / "data", env=commands.with_settings(WHIMBREL_LOG_FILE=log))
            assert done.returncode == 2
            assert f"the log {log} cannot be written" in done.stderr
        assert len(web.log) == before


def listing(links: int) -> Reply:
    items = "".join(f'<li><a href="/item/{n}">item {n}</a></li>' for n in range(links))
    return Reply(f"<!doctype html><title>list</title><h1>All items</h1><p>{links} in all.</p><ul>{items}</ul>".encode())


def growing(links: int) -> dict[str, Reply]:
    items = {
        f"/item/{n}": Reply(f"<!doctype html><title>{n}</title><h1>Item {n}</h1><p>{'word ' * n}</p>".encode())
        for n in range(links)
    }
    return {"/": listing(links), **items}


def refreshed_by_command(folder: Path, budget: int) -> int:
    done = commands.run("refresh", "--budget", str(budget), "--repo", folder, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["ended"], answer["words"]) == ("budget", f"the budget of {budget} visits is spent")
    return int(answer["asked"])


def refreshed_by_program(folder: Path, budget: int) -> int:
    settings = load(None, {"WHIMBREL_LOG_FILE": str(folder.parent / "refresh.log")}, {"refresh.budget": budget})
    refreshing = api.open_refresh(settings, folder, api.wish_for(settings))
    try:
        ended = asyncio.run(api.run_refresh(refreshing))
        assert ended.why == "budget"
        visits = api.saved_by(refreshing).asked
    finally:
        refreshing.opened.store.close()
    assert lines(folder.parent / "refresh.log").total() == visits
    return visits


@pytest.mark.parametrize("way", [refreshed_by_command, refreshed_by_program])
def test_a_budget_is_spent_before_tasks_go_out(way: Callable[[Path, int], int], tmp_path: Path) -> None:
    """A page that gained hundreds of links leads to no more visits than were allowed."""
    folder = tmp_path / "data"
    with TinyWeb(growing(2)) as web:
        by_command(web, folder)
        web.pages.update(growing(LINKS))
        before = Counter(request.path for request in web.log)
        visits = way(folder, 5)
        asked = Counter(request.path for request in web.log) - before
        del asked["/robots.txt"]
        assert asked.total() == 5
        assert visits == 5 - asked["/.well-known/resourcesync"], "looking for a list of changes is paid for too"
        assert asked["/"] == 1, "the page that changed"


def test_what_a_budget_left_is_visited_by_the_next(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with TinyWeb(growing(2)) as web:
        by_command(web, folder)
        web.pages.update(growing(20))
        visits = [refreshed_by_command(folder, 8) for _ in range(2)]
        looked = sum(request.path == "/.well-known/resourcesync" for request in web.log)
        assert visits == [8 - looked, 8], "a list of changes is looked for once, and paid for"
        items = {request.path for request in web.log if request.path.startswith("/item/")}
        assert len(items) >= 2 + 2 * 8 - 4, "new ones, but for the listing and what was kept"
