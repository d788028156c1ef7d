"""Whatever carries the words between home and migrants, the crawl is the same."""

import ast
import asyncio
from pathlib import Path

import pytest
from piped import Pipes

from folders import consistent, crawl, everything
from whimbrel import api
from whimbrel.config import load
from whimbrel.migrants import away, home
from whimbrel.migrants.home.ending import RunEnd
from whimbrel.testing.reply import redirect
from whimbrel.testing.web import Page, TinyWeb, site

PROCESS_CALLS = ("exec", "fork", "kill", "posix_spawn", "spawn", "system", "popen", "_exit", "wait")


def crawl_by_pipes(folder: Path, pipes: Pipes, *seeds: str, **options: object) -> RunEnd:
    settings = load(Path("/dev/null"), {}, api.flags_of(options))
    opened = api.open_crawl(settings, api.read_seeds(seeds), folder, carrier=pipes)

    async def run() -> RunEnd:
        ended = await opened.manager.run()
        await pipes.ended()
        return ended

    try:
        return asyncio.run(asyncio.wait_for(run(), 300))
    finally:
        opened.store.close()


def pages() -> dict[str, Page]:
    """Links in all directions, a redirect, a copy, a page that robots.txt forbids and one that is not there."""
    links = "".join(f"<a href='{path}'>{path}</a>" for path in ("/moved", "/copy", "/private/1", "/missing"))
    whole = site(60, 4, seed=3)
    return {
        **whole,
        "/robots.txt": "User-agent: *\nDisallow: /private/\n",
        "/start": f"<title>start</title><p>begin {links}<a href='/'>the others</a>",
        "/moved": redirect("/start"),
        "/copy": whole["/"],
        "/private/1": "<p>private",
    }


@pytest.mark.parametrize("migrants", [1, 2])
def test_a_crawl_over_plain_pipes_equals_the_local_one(tmp_path: Path, migrants: int) -> None:
    pipes = Pipes()
    with TinyWeb(pages()) as web:
        assert crawl(tmp_path / "local", web.url("/start"), migrants=str(migrants)).why == "finished"
        asked = len(web.log)
        assert crawl_by_pipes(tmp_path / "pipes", pipes, web.url("/start"), migrants=str(migrants)).why == "finished"
        if migrants == 1:  # two may both ask for robots.txt, or not
            assert len(web.log) == 2 * asked
    assert len(pipes.journeys) == migrants
    local = everything(tmp_path / "local")
    assert len(local) > 60
    assert {row[2] for row in local} >= {"fetched", "redirected", "duplicate", "refused", "failed"}
    assert everything(tmp_path / "pipes") == local
    consistent(tmp_path / "pipes")


def test_a_cable_that_is_cut_changes_nothing_but_the_number_of_migrants(tmp_path: Path) -> None:
    pipes = Pipes(cut_after=4)
    with TinyWeb(pages()) as web:
        crawl(tmp_path / "local", web.url("/start"))
        assert crawl_by_pipes(tmp_path / "pipes", pipes, web.url("/start")).why == "finished"
    assert len(pipes.journeys) == 2
    assert everything(tmp_path / "pipes") == everything(tmp_path / "local")
    consistent(tmp_path / "pipes")


@pytest.mark.parametrize("side", [home, away], ids=["home", "away"])
def test_neither_side_starts_or_ends_a_process(side: object) -> None:
    """import-linter sees `subprocess` and its like; `os` holds such calls too."""
    (folder,) = side.__path__  # type: ignore[attr-defined]
    modules = sorted(Path(folder).glob("*.py"))
    assert modules
    calls = [
        f"{module.name}: os.{node.attr}"
        for module in modules
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os"
        if node.attr.startswith(PROCESS_CALLS)
    ]
    assert calls == []
