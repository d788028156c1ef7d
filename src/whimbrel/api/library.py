"""The crawl as a library: an iterator of visits."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

from msgspec import Struct

from whimbrel.api.credentials import from_flags
from whimbrel.api.opening import OpenedCrawl, open_crawl, stored_seeds
from whimbrel.api.running import run_crawl
from whimbrel.api.seeds import read_named
from whimbrel.config import Settings, load
from whimbrel.flows.packing import unpack
from whimbrel.migrants.home.ending import RunEnd
from whimbrel.records.visit import Visit


async def crawl(
    seeds: Iterable[str] = (),
    *,
    repo: str | Path = "whimbrel-data",
    config: str | Path | None = None,
    auth: str = "",
    headers: Iterable[str] = (),
    cookies: str = "",
    **options: object,
) -> AsyncIterator[Visit]:
    """Crawls into `repo` and gives every visit once it is durable there.

    Options are the settings by their names (`limit=100, delay_seconds=2`); `auth`, `headers` (`"Name: value"`) and
    `cookies` are for the one site that the seeds are on, secrets as `env:NAME` or `file:PATH`.
    Leaving the loop early ends the crawl; the folder can be crawled on at any time.
    """
    settings = load(Path(config) if config else None, os.environ, flags_of(options))
    named = read_named(seeds or settings.crawl.seeds)
    given = ([auth] if auth else [], list(headers), [cookies] if cookies else [])
    settings = from_flags(settings, *given, named.seeds or stored_seeds(Path(repo)))
    opened = open_crawl(settings, named.seeds, Path(repo), assumed=named.assumed)
    visits: asyncio.Queue[list[Visit] | None] = asyncio.Queue(maxsize=4)
    opened.manager.listen(visits.put)
    running = asyncio.create_task(_run(opened, visits))
    try:
        while (done := await visits.get()) is not None:
            for visit in done:
                yield visit
        await running
    finally:
        if not running.done():
            running.cancel()
            # The run waits to hand its last visits over; nobody takes them any more.
            while not visits.empty():
                visits.get_nowait()
            await asyncio.gather(running, return_exceptions=True)
        opened.store.close()


async def _run(opened: OpenedCrawl, visits: "asyncio.Queue[list[Visit] | None]") -> RunEnd:
    try:
        return await run_crawl(opened)
    finally:
        await visits.put(None)


def flags_of(options: dict[str, object]) -> dict[str, object]:
    """`limit=100` as the settings know it: `crawl.limit`."""
    sections = ("crawl", "topic", "fetch", "refresh", "repository", "migrants", "places", "log")
    known = {key: section for section in sections for key in _keys(section)}
    return {f"{known.get(name, 'crawl')}.{name}": value for name, value in options.items()}


def _keys(section: str) -> tuple[str, ...]:
    record: Struct = getattr(Settings(), section)
    return record.__struct_fields__


def text_of(visit: Visit) -> str:
    """The visible text of a visited page, "" where there is none."""
    return unpack(visit.document.reading).text if visit.document is not None and visit.document.reading else ""
