"""Terms of a topic are edited while a crawl for it runs: it goes on with the new ones, and nothing is asked twice."""

import asyncio
import os
import signal
from pathlib import Path

import pytest
from test_topic import CATS, SUN, pages

from folders import PATIENCE, consistent, finish, outcomes, rows, start
from whimbrel import api
from whimbrel.api.edited_terms import save_terms
from whimbrel.config import load
from whimbrel.flows.requests import as_sent
from whimbrel.migrants.home.control import NAME, ask
from whimbrel.records.request import Topical
from whimbrel.repository.engines import open_reader
from whimbrel.testing.web import TinyWeb

TOPIC = "solar power"
EDITED = f'topic = "{TOPIC}"\nlanguage = "en"\nthreshold = 0.1\n[keywords]\n'
CATS_TOO = EDITED + "cat = 1.0\npurr = 1.0\nkitten = 1.0\nsofa = 1.0\n"
HELD = "/cats/held"


def site() -> TinyWeb:
    """The last page that anybody asks for says nothing, and is answered when the test says so."""
    shown = pages()
    links = "".join(f"<a href={path}>{path}</a>" for path in shown)
    nothing = {HELD: "<title>Held</title><p>Nothing."}
    return TinyWeb(shown | {"/": f"<title>Home</title>{links}<a href={HELD}>held</a>"} | nothing)


def kept(folder: Path) -> set[str]:
    return {path for path, outcome in outcomes(folder).items() if outcome == "fetched"}


def save(folder: Path, terms: str) -> None:
    with open_reader(folder) as reader:
        request = as_sent(reader.requests()[-1], 0)
    assert isinstance(request, Topical)
    assert save_terms(folder, request, terms) is None


async def until_the_rest_is_done(folder: Path, web: TinyWeb) -> None:
    """All pages but the one that is held are home."""
    assert await asyncio.to_thread(web.wait_for, HELD)
    while len([path for path, outcome in outcomes(folder).items() if outcome != "discovered"]) < CATS + SUN:
        await asyncio.to_thread(ask, folder, {"ask": "progress"})


def opened(folder: Path, web: TinyWeb, **options: object) -> api.OpenedCrawl:
    given = {"subject": TOPIC, "examples": [web.url("/solar/1"), web.url("/solar/2")], "migrants": 1} | options
    return api.open_crawl(load(Path("/dev/null"), {}, api.flags_of(given)), api.read_seeds([web.url("/")]), folder)


def test_a_running_crawl_goes_on_with_the_edited_terms(tmp_path: Path) -> None:
    async def edited(crawl: api.OpenedCrawl, web: TinyWeb) -> None:
        running = asyncio.create_task(crawl.manager.run())
        await until_the_rest_is_done(tmp_path, web)
        assert await asyncio.to_thread(ask, tmp_path, {"terms": TOPIC}) == {
            "error": "what is saved has no keywords any more"
        }
        save(tmp_path, CATS_TOO)
        refused = await asyncio.to_thread(ask, tmp_path, {"terms": "cabbages"})
        assert refused is not None
        assert "does not look for pages about 'cabbages'" in str(refused["error"])
        assert await asyncio.to_thread(ask, tmp_path, {"terms": TOPIC}) == {"ok": True}
        web.release(HELD)
        assert (await running).why == "finished"

    with site() as web:
        web.hold(HELD)
        crawl = opened(tmp_path, web)
        try:
            asyncio.run(asyncio.wait_for(edited(crawl, web), PATIENCE))
        finally:
            crawl.store.close()
        cats = {f"/cats/{number}" for number in range(CATS)}
        assert kept(tmp_path) >= cats
        assert kept(tmp_path) >= {f"/solar/{number}" for number in range(SUN)}, "what was kept stays"
        assert all(web.count(path) == 1 for path in cats), "refused pages are taken from the shelf"
    assert [state for (state,) in rows(tmp_path, "SELECT state FROM request ORDER BY id")] == ["withdrawn", "done"]
    reasons = [str(reason) for (reason,) in rows(tmp_path, "SELECT reason FROM url WHERE url LIKE '%/cats/%'")]
    assert any("it says cat" in reason for reason in reasons)
    consistent(tmp_path)
    with site() as web:
        again = opened(tmp_path, web, examples=[])
        try:
            asyncio.run(asyncio.wait_for(again.manager.run(), PATIENCE))
        finally:
            again.store.close()
    assert rows(tmp_path, "SELECT count(*) FROM request") == [(2,)], "a later run goes on with what was edited"


@pytest.mark.parametrize("options", [{"scorer": "paper"}, {"terms": "own.toml"}])
def test_what_only_the_next_run_can_take_is_said(tmp_path: Path, options: dict[str, str]) -> None:
    async def asked(crawl: api.OpenedCrawl, web: TinyWeb) -> str:
        running = asyncio.create_task(crawl.manager.run())
        assert await asyncio.to_thread(web.wait_for, HELD)
        save(tmp_path / "folder", CATS_TOO)
        told = await asyncio.to_thread(ask, tmp_path / "folder", {"terms": TOPIC})
        web.release(HELD)
        assert (await running).why == "finished"
        assert told is not None
        return str(told["error"])

    if "terms" in options:
        (tmp_path / "own.toml").write_text(EDITED + "solar = 1.0\npower = 1.0\n")
        options = {"terms": str(tmp_path / "own.toml")}
    with site() as web:
        web.hold(HELD)
        crawl = opened(tmp_path / "folder", web, **options)
        try:
            why = asyncio.run(asyncio.wait_for(asked(crawl, web), PATIENCE))
        finally:
            crawl.store.close()
    assert ("run begins" if "scorer" in options else "--terms") in why
    assert [state for (state,) in rows(tmp_path / "folder", "SELECT state FROM request")] == ["done"]


def test_a_kill_after_the_edit_costs_nothing(tmp_path: Path) -> None:
    """Whether the new request stands by then or not: the next run has it."""
    with site() as web:
        web.hold(HELD)
        examples = [flag for number in (1, 2) for flag in ("--examples", web.url(f"/solar/{number}"))]
        given = (web.url("/"), "--topic", TOPIC, *examples, "--migrants", "1")
        running = start(tmp_path, *given)
        asyncio.run(asyncio.wait_for(until_the_rest_is_done(tmp_path, web), PATIENCE))
        save(tmp_path, CATS_TOO)
        assert ask(tmp_path, {"terms": TOPIC}) == {"ok": True}
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
        web.release(HELD)
        finish(tmp_path)
        cats = {f"/cats/{number}" for number in range(CATS)}
        assert kept(tmp_path) >= cats
        assert all(web.count(path) == 1 for path in cats)
    assert rows(tmp_path, "SELECT count(*) FROM request WHERE state = 'open'") == [(0,)]
    assert not (tmp_path / NAME).exists()
    consistent(tmp_path)
