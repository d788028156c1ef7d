"""The resident: stays at the place between crawls, watches the owner's folders, tells homes what changed as it happens,
and writes what the owner gets for it."""

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from whimbrel.fetch.folders import FileFound, SiteFolders
from whimbrel.fetch.from_files import ShownBook
from whimbrel.fetch.site_watch import PageMoved, SiteWatch
from whimbrel.places.at.dead_links import MissingBook, dead_links
from whimbrel.places.at.gifts import by_host, write_gifts
from whimbrel.places.link.calls import Notice
from whimbrel.records.url import Url

LOOK_SECONDS = 2.0
REST = 20.0
"""Times as long as a look took nothing is looked at: a twentieth of a core at most."""
FEED_SECONDS = 30 * 86_400.0
MOST_NOTICED = 1000
"""URLs in one notice; a site that was written anew is told in several."""
SHOWN = "shown.sqlite"
WATCHED = "watched.sqlite"

Tell = Callable[[Notice], None]


class Resident:
    """Watches for one place. `tell` hears of changes, those that came about while nobody watched included."""

    def __init__(
        self, folders: Sequence[tuple[str, str]], place: Path, tell: Tell, missing: MissingBook | None = None
    ) -> None:
        self._place = place
        self._tell = tell
        self._folders = SiteFolders(folders)
        self._missing = missing or MissingBook(place)
        self._missing_seen = 0
        self._shown = ShownBook(place / SHOWN)
        self._watch = SiteWatch(folders, place / WATCHED, self._shown.is_open)

    def close(self) -> None:
        self._watch.close()
        self._shown.close()

    def look(self, now: float) -> list[PageMoved]:
        """Looks once, and writes the owner's files anew where anything changed."""
        moved = self._watch.look(now)
        if moved or self._missing.number != self._missing_seen:
            self._missing_seen = self._missing.number
            pages = self._watch.pages()
            dead = dead_links((page.url for page in pages), self._body, set(self._missing.urls))
            write_gifts(self._place, pages, self._watch.since(now - FEED_SECONDS), dead)
        return moved

    def _body(self, url: Url) -> bytes:
        found = self._folders.read(url)
        return found.body if isinstance(found, FileFound) else b""

    def since(self, moment: float) -> list[PageMoved]:
        """What changed since a moment, for whoever asks."""
        return self._watch.since(moment)

    async def run(self) -> None:
        """Until it is cancelled. Looking is done beside the loop: a large site takes a while to be gone through."""
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1, "whimbrel-resident") as beside:
            try:
                while True:
                    began = time.monotonic()
                    moved = await loop.run_in_executor(beside, self.look, time.time())
                    for notice in notices(moved, time.time()):
                        self._tell(notice)
                    await asyncio.sleep(max(LOOK_SECONDS, REST * (time.monotonic() - began)))
            finally:
                await loop.run_in_executor(beside, self.close)


def notices(moved: list[PageMoved], now: float) -> list[Notice]:
    return [
        Notice(host, [page.url for page in pages[start : start + MOST_NOTICED]], now)
        for host, pages in by_host(moved).items()
        for start in range(0, len(pages), MOST_NOTICED)
    ]
