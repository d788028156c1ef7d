"""The resident: stays at the place between crawls, watches the owner's folders, tells homes what changed as it happens,
and writes what the owner gets for it."""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

from whimbrel.fetch.folder_events import NOTHING, FolderEvents
from whimbrel.fetch.folders import FileFound, SiteFolders
from whimbrel.fetch.from_files import ShownBook
from whimbrel.fetch.site_watch import PageMoved, SiteWatch
from whimbrel.places.at.dead_links import MissingBook, dead_links
from whimbrel.places.at.gifts import by_host, write_gifts
from whimbrel.places.link.calls import Notice
from whimbrel.records.url import Url

LOOK_SECONDS = 2.0
TOLD_LOOK_SECONDS = 60.0
"""Between two looks at all files where the kernel tells of those that are written: it may miss some."""
SETTLE_SECONDS = 0.1
"""A file is often written in several steps, and a site in many files: what follows so soon is told together."""
SETTLE_MOST_SECONDS = 0.5
REST = 20.0
"""Times as long as a look at all files took, or writing what the owner gets, neither is done again: a twentieth of a
core at most."""
FEED_SECONDS = 30 * 86_400.0
MOST_NOTICED = 1000
"""URLs in one notice; a site that was written anew is told in several."""
SHOWN = "shown.sqlite"
WATCHED = "watched.sqlite"

Tell = Callable[[Notice], None]
Done = TypeVar("Done")


class Resident:
    """Watches for one place. `tell` hears of changes, those that came about while nobody watched included; `say` what
    the owner should know."""

    def __init__(
        self, folders: Sequence[tuple[str, str]], place: Path, tell: Tell, missing: MissingBook | None = None,
        say: Callable[[str], None] = lambda words: None,
    ) -> None:  # fmt: skip
        self._place = place
        self._tell = tell
        self._say = say
        self._folders = SiteFolders(folders)
        self._missing = missing or MissingBook(place)
        self._missing_seen = self._shown_seen = 0
        self._owes = False
        self._shown = ShownBook(place / SHOWN)
        self._watch = SiteWatch(folders, place / WATCHED, self._shown.is_open)

    def close(self) -> None:
        self._watch.close()
        self._shown.close()

    def look(self, now: float) -> list[PageMoved]:
        """Looks at all files once."""
        return self._noted(self._watch.look(now))

    def look_at(self, files: Iterable[Path], now: float) -> list[PageMoved]:
        """The same at these alone."""
        return self._noted(self._watch.look_at(files, now))

    def _noted(self, moved: list[PageMoved]) -> list[PageMoved]:
        self._owes = self._owes or bool(moved)
        return moved

    def give(self, now: float) -> None:
        """Writes the owner's files anew."""
        self._owes, self._missing_seen, self._shown_seen = False, self._missing.number, self._shown.version
        pages = self._watch.pages()
        dead = dead_links((page.url for page in pages), self._body, set(self._missing.urls))
        write_gifts(self._place, pages, self._watch.since(now - FEED_SECONDS), dead)

    def _body(self, url: Url) -> bytes:
        found = self._folders.read(url)
        return found.body if isinstance(found, FileFound) else b""

    def since(self, moment: float) -> list[PageMoved]:
        """What changed since a moment, for whoever asks."""
        return self._watch.since(moment)

    @property
    def owes(self) -> bool:
        """Whether the owner's files are older than what they tell of: pages, what is shown of them, what is missing."""
        return self._owes or (self._missing.number, self._shown.version) != (self._missing_seen, self._shown_seen)

    def tell(self, moved: list[PageMoved], now: float) -> None:
        for notice in notices(moved, now):
            self._tell(notice)

    async def run(self) -> None:
        """Until it is cancelled. Looking is done beside the loop: a large site takes a while to be gone through."""
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1, "whimbrel-resident") as beside:
            events = await loop.run_in_executor(beside, self._events)
            try:
                await _Watch(self, events, beside).run()
            finally:
                if events is not None:
                    events.close()
                await loop.run_in_executor(beside, self.close)

    def _events(self) -> FolderEvents | None:
        try:
            return FolderEvents(self._watch.roots)
        except OSError as error:
            self._say(f"folders are looked at every {LOOK_SECONDS:g} s, for the kernel does not tell: {error}")
            return None


class _Watch:
    """When a resident looks at what; homes are told before the owner's files are written."""

    def __init__(self, resident: Resident, events: FolderEvents | None, beside: ThreadPoolExecutor) -> None:
        self._resident = resident
        self._events = events
        self._beside = beside
        self._loop = asyncio.get_running_loop()
        self._news = NOTHING
        self._looks_from = self._looks_by = self._gives_from = self._loop.time()

    async def run(self) -> None:
        while True:
            began = self._loop.time()
            if began >= self._looks_by or (self._news.whole and began >= self._looks_from):
                await self._look(began)
            elif self._news.files:
                files, self._news = self._news.files, self._news.without_files()
                await self._tell(partial(self._resident.look_at, files))
            if (began := self._loop.time()) >= self._gives_from:
                if self._resident.owes:
                    await self._do(partial(self._resident.give, time.time()))
                self._gives_from = max(began + LOOK_SECONDS, self._rested(began))
            await self._wait()

    async def _look(self, began: float) -> None:
        self._news = NOTHING
        await self._tell(self._resident.look)
        self._looks_from = max(began + LOOK_SECONDS, self._rested(began))
        unasked = LOOK_SECONDS if self._events is None else TOLD_LOOK_SECONDS
        self._looks_by = max(began + unasked, self._looks_from)

    def _rested(self, began: float) -> float:
        now = self._loop.time()
        return now + REST * (now - began)

    async def _tell(self, look: Callable[[float], list[PageMoved]]) -> None:
        self._resident.tell(await self._do(partial(look, time.time())), time.time())

    async def _do(self, work: Callable[[], Done]) -> Done:
        return await self._loop.run_in_executor(self._beside, work)

    async def _wait(self) -> None:
        """Until something is to be done, or the kernel tells of files; then until no more follow."""
        until = min(self._looks_from if self._news.whole else self._looks_by, self._gives_from)
        if self._events is None:
            return await asyncio.sleep(max(0.0, until - self._loop.time()))
        most = self._loop.time() + SETTLE_MOST_SECONDS
        while await _readable(self._events.descriptor, until - self._loop.time()):
            self._news = self._news.and_then(self._events.take())
            until = min(most, self._loop.time() + SETTLE_SECONDS)
        return None


async def _readable(descriptor: int, seconds: float) -> bool:
    """Whether there is something to be read within so many seconds."""
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        async with asyncio.timeout(max(0.0, seconds)):
            await ready.wait()
    except TimeoutError:
        return False
    finally:
        loop.remove_reader(descriptor)
    return True


def notices(moved: list[PageMoved], now: float) -> list[Notice]:
    return [
        Notice(host, [page.url for page in pages[start : start + MOST_NOTICED]], now)
        for host, pages in by_host(moved).items()
        for start in range(0, len(pages), MOST_NOTICED)
    ]
