"""A crawl under way in the process of a test, watched and told what to do as another program would."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from folders import PATIENCE
from whimbrel import api
from whimbrel.config import load
from whimbrel.migrants.home.control import NAME, ask
from whimbrel.migrants.home.ending import RunEnd
from whimbrel.testing.web import TinyWeb

NOWHERE = Path("/dev/null")
Script = Callable[["Watched"], Awaitable[None]]


class Watched:
    """A crawl under way in this process, asked from a thread as another program would."""

    def __init__(self, folder: Path, web: TinyWeb) -> None:
        self.folder = folder
        self.web = web

    async def ask(self, **request: Any) -> dict[str, Any]:
        answer = await asyncio.to_thread(ask, self.folder, request)
        assert answer is not None, "no crawl is running"
        return answer

    async def do(self, verb: str, name: str, place: str = "") -> dict[str, Any]:
        return await self.ask(do=verb, migrant=name, place=place)

    async def migrants(self) -> dict[str, dict[str, Any]]:
        return {row["name"]: row for row in (await self.ask(ask="migrants"))["migrants"]}

    async def busiest(self) -> dict[str, Any]:
        return max((await self.migrants()).values(), key=lambda one: one["tasks"])

    async def until(self, done: Callable[[dict[str, dict[str, Any]]], bool]) -> dict[str, dict[str, Any]]:
        """Asks again and again; what never comes about ends with the test's own time limit."""
        while not done(crew := await self.migrants()):
            await asyncio.sleep(0)
        return crew

    async def asked(self, count: int) -> None:
        assert await asyncio.to_thread(self.web.wait_for_requests, count)


def bounded(config: Path, folder: Path, web: TinyWeb, script: Script, *seeds: str, **options: object) -> RunEnd:
    """A crawl that must end by itself after the script has."""
    settings = load(config, {}, api.flags_of(options))
    opened = api.open_crawl(settings, api.read_seeds(seeds), folder)

    async def both() -> RunEnd:
        running = asyncio.create_task(opened.manager.run())
        while not (folder / NAME).exists():
            await asyncio.sleep(0)
        acting = asyncio.create_task(script(Watched(folder, web)))
        done, _ = await asyncio.wait((running, acting), return_when=asyncio.FIRST_COMPLETED)
        if acting in done:
            acting.result()
        ended = await running
        await acting
        return ended

    try:
        return asyncio.run(asyncio.wait_for(both(), PATIENCE))
    finally:
        opened.store.close()
