"""A wish beside a crawl that is running: what promises most comes first in its queue, and it keeps what it fetches."""

import time
from collections.abc import Sequence

from whimbrel.api.scouting import Scout
from whimbrel.api.wish_course import WishCourse
from whimbrel.api.wishing import requests_of
from whimbrel.frontier.order import Order
from whimbrel.migrants.home import control
from whimbrel.readers.wishes import Wishes
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome
from whimbrel.records.wish import Wish
from whimbrel.repository.engines import open_reader
from whimbrel.repository.location import Location
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import ListedUrl

AT_A_TIME = 8
"""Pages that the crawl is asked to fetch first, of each site."""
LOOK_SECONDS = 0.5
PATIENCE_SECONDS = 120.0
"""In which one of those has to come in: a host may have asked to be left alone."""

_KEPT = (Outcome.FETCHED, Outcome.UNCHANGED)


class Beside:
    """Asks a running crawl. It learns from what comes in, as a migrant sent out for the kind would."""

    def __init__(self, location: Location, wishes: Wishes, wish: Wish) -> None:
        self._location = location
        self._wishes = wishes
        self._wish = wish
        self._course = WishCourse(wishes, wish)

    def run(self) -> str:
        """Why the wish is over, "" where it is to be tried anew: the crawl has ended, or takes nothing now."""
        if control.ask(self._location.beside, {"ask": "progress"}) is None:
            return self._wait("It waits for another command that works on the folder.")
        with open_reader(self._location) as reader:
            if reader.recall("order") == Order.STRUCTURE:
                return self._wait("It waits for the crawl that is running, which looks for pages of another kind.")
            requests = requests_of(reader, self._wish.kinds)
            if not requests:
                return "the pages that showed the kind are not kept any more"
            scout = Scout(reader, requests)
            scout.learn(self._wish.sites)
            self._wishes.begin(self._wish.number, time.time())
            return self._ask(reader, scout)

    def _ask(self, reader: Reader, scout: Scout) -> str:
        asked: set[int] = set()
        left = self._wish.visits_left
        while left and self._course.found < self._wish.pages:
            waiting = scout.promising(self._wish.sites, min(left, AT_A_TIME * len(self._wish.sites)), asked)
            if not waiting:
                return self._course.told("every page that is known there has been asked for")
            asked |= {one.key for one in waiting}
            told = control.ask(self._location.beside, {"hasten": [one.url for one in waiting]})
            if told is None or not told.get("ok"):
                return self._wait("It waits for the crawl that is running to end." if told is not None else "")
            came = self._come_in(reader, [one.url for one in waiting])
            left -= len(came)
            kept = [one for one in came if one.outcome in _KEPT and "html" in one.mime]
            found = [one.url for one in kept if scout.look(one)]
            refused = [one.rule for one in came if one.outcome == Outcome.REFUSED]
            if why := self._course.take(len(came), found, refused):
                return self._course.told(why)
        return self._course.told("as much as may be spent on it was asked for")

    def _come_in(self, reader: Reader, urls: Sequence[Url]) -> list[ListedUrl]:
        """What became of them, once all came in, or none did for long."""
        came: dict[Url, ListedUrl] = {}
        until = time.monotonic() + PATIENCE_SECONDS
        while len(came) < len(urls) and time.monotonic() < until:
            known = [one for url in urls if url not in came and (one := reader.one(url)) is not None]
            new = {one.url: one for one in known if one.outcome != Outcome.DISCOVERED}
            if new:
                until = time.monotonic() + PATIENCE_SECONDS
            came |= new
            if len(came) < len(urls):
                if control.ask(self._location.beside, {"ask": "progress"}) is None:
                    break
                time.sleep(LOOK_SECONDS)
        return list(came.values())

    def _wait(self, words: str) -> str:
        self._wishes.wait(self._wish.number, words)
        time.sleep(LOOK_SECONDS)
        return ""
