"""Grants the wishes that wait: a crawl for pages of their kinds, within what may be spent on each.

One process at a time grants, by a lock that goes with it. Where the folder is free the crawl is its own; where one is
running, the pages that promise most come first in that one's queue, and it fetches them as it would have later. A wish
that was cut off goes on with what is left of its allowance.
"""

import asyncio
import fcntl
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from whimbrel.api.beside import Beside
from whimbrel.api.opening import OpenedCrawl, open_crawl
from whimbrel.api.outset import Errand
from whimbrel.api.running import run_crawl
from whimbrel.api.scouting import Scout
from whimbrel.api.wish_course import WishCourse
from whimbrel.api.wishing import folder_settings, requests_of
from whimbrel.migrants.home.ending import RunEnd
from whimbrel.migrants.home.manager import Manager
from whimbrel.readers.log import ReaderLog
from whimbrel.readers.wishes import Wishes
from whimbrel.records.ending import Why
from whimbrel.records.request import RULES
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome, Visit
from whimbrel.records.wish import Wish
from whimbrel.repository.contract import DONE, FolderBusy, RepositoryError
from whimbrel.repository.engines import open_reader, open_writer
from whimbrel.repository.location import Location, Where, located

LOCK_FILE = "wishes.lock"
ENDING = (signal.SIGINT, signal.SIGTERM)
FIRST_SHARE = 4
"""One in so many of the visits goes to what kept pages say is most promising; those that follow learn from it."""

Say = Callable[[str], None]


@contextmanager
def alone(folder: Path) -> Iterator[bool]:
    """Whether nobody else grants wishes on this folder; the kernel lets go of the lock however the process ends."""
    descriptor = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


class Granting:
    def __init__(self, where: Where, networks: Sequence[str] = (), say: Say = lambda words: None) -> None:
        self._location: Location = located(where)
        self._networks = networks
        self._say = say

    def run(self) -> int:
        """Grants all that waits; how many wishes were. Nothing is done where another process does it already."""
        done = 0
        with alone(self._location.beside) as ours, ReaderLog(self._location) as log:
            wishes = Wishes(log)
            while ours and (waiting := wishes.open()):
                self._say(f"wish {waiting[0].number}: {waiting[0].query}")
                words = self._grant(wishes, waiting[0])
                wishes.end(waiting[0].number, words, time.time())
                self._say(f"wish {waiting[0].number} ended: {words}")
                done += 1
        return done

    def _grant(self, wishes: Wishes, wish: Wish) -> str:
        """Why it ended, in words."""
        while (known := wishes.one(wish.number)) is not None and known.visits_left and known.pages_left:
            try:
                open_writer(self._location).close()  # a folder that is not free is told before anything is read
                opened, first = self._opened(known)
            except FolderBusy:
                ended = Beside(self._location, wishes, known).run()
            except RepositoryError as error:
                return str(error)
            else:
                wishes.begin(known.number, time.time())
                ended = asyncio.run(_crawled(opened, first, wishes, known))
            if ended:
                return ended
        return "as much as may be spent on it was asked for" if known is not None else "it was taken back"

    def _opened(self, wish: Wish) -> tuple[OpenedCrawl, list[Url]]:
        """The crawl, ready to run, and what is to be asked for first."""
        with open_reader(self._location) as reader:
            settings = folder_settings(reader, self._networks)
            limit = settings.readers.more_seconds
            settings = replace(settings, crawl=replace(settings.crawl, like=(), limit=None, time_limit_seconds=limit))
            requests = requests_of(reader, wish.kinds)
            if not requests:
                raise RepositoryError("the pages that showed the kind are not kept any more")
            scout = Scout(reader, requests)
            scout.learn(wish.sites)
            first = [one.url for one in scout.promising(wish.sites, wish.visits_left // FIRST_SHARE)]
        errand = Errand(requests, frozenset(wish.sites), wish.pages_left)
        opened = open_crawl(settings, [], self._location, errand=errand, budget=wish.visits_left)
        return opened, first


async def _crawled(opened: OpenedCrawl, first: Sequence[Url], wishes: Wishes, wish: Wish) -> str:
    course = WishCourse(wishes, wish)
    manager = opened.manager

    async def hear(visits: list[Visit]) -> None:
        asked = [visit for visit in visits if visit.outcome is not Outcome.DISCOVERED]
        found = [visit.url for visit in asked if visit.requests and visit.outcome is Outcome.FETCHED]
        refused = [visit.rule for visit in asked if visit.outcome is Outcome.REFUSED and visit.rule not in RULES]
        if why := await asyncio.to_thread(course.take, len(asked), found, refused):
            manager.stop(Why.FINISHED, why)

    manager.listen(hear)
    manager.hasten(first)
    try:
        ended = await _to_its_end(opened, manager)
        for one in opened.store.requests.open():
            if set(one.examples) in [set(kind.examples) for kind in wish.kinds]:
                opened.store.requests.end(one.number, DONE, time.time())
    finally:
        opened.store.close()
    return course.told(ended.words)


async def _to_its_end(opened: OpenedCrawl, manager: Manager) -> RunEnd:
    loop = asyncio.get_running_loop()
    for number in ENDING:
        loop.add_signal_handler(number, manager.stop, Why.STOPPED, "it was stopped")
    try:
        return await run_crawl(opened)
    finally:
        for number in ENDING:
            loop.remove_signal_handler(number)
