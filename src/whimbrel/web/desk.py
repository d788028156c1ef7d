"""What all handlers share: the folder, its seals, its readers, its search and its crawls."""

import hashlib
import logging
import random
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from typing import Generic, TypeVar

from whimbrel.agents.toolbox import Toolbox
from whimbrel.api.topics import open_topics
from whimbrel.api.wishing import Proposal
from whimbrel.behaviour.exploring import explored
from whimbrel.flows.telling.site_figures import SiteFigures, site_figures
from whimbrel.places.home.telling import with_revoked
from whimbrel.rank.profile import ReaderProfile
from whimbrel.readers.contract import NOBODY, SECONDS_A_DAY
from whimbrel.readers.interests import Interests
from whimbrel.readers.keeping import Favourite, ReaderKeeping, WasAt
from whimbrel.readers.log import ReaderLog
from whimbrel.readers.tallies import Tallies
from whimbrel.readers.voices import Voices
from whimbrel.readers.wishes import Wishes
from whimbrel.records.deed import Action, Deed
from whimbrel.records.request import Topical
from whimbrel.records.url import Url
from whimbrel.repository.contract import Enquiry, NothingThere, RepositoryError
from whimbrel.repository.engines import open_reader
from whimbrel.repository.location import Where, located
from whimbrel.repository.views import LaneCounts, Overview
from whimbrel.search.ask.query import parse
from whimbrel.search.ask.searcher import Searcher
from whimbrel.search.contract import Answer, Hit, SearchSettings
from whimbrel.search.ranked import link_ranks
from whimbrel.web.crawls import Crawls
from whimbrel.web.granters import Granters
from whimbrel.web.history import DAY_SECONDS, Happening, lately
from whimbrel.web.ingest import Ingest
from whimbrel.web.library import titled
from whimbrel.web.profiles import Profiles
from whimbrel.web.public_counts import PublicCounts, public_counts
from whimbrel.web.seals import Seals
from whimbrel.web.settings import Door
from whimbrel.web.who import Readership, Who

OVERVIEW_SECONDS = 3.0
LARGEST_SHARE = 0.1
"""Of the time, that counting a large folder may take."""
LONGEST_QUERY = 10_000
RECENT_DAYS = 7
MOST_HAPPENINGS = 30
COUNTING_SECONDS = 0.5
"""That an answer waits for another process to let it be counted."""
MOST_TYPING = 1_000
"""Readers whose last results are held until they have stopped typing."""
MOST_PROPOSED = 100
PROPOSED_SECONDS = 600.0
NOTHING_YET = "Nothing is kept in this folder yet: add a site in the crawl room."

logger = logging.getLogger(__name__)

T = TypeVar("T")


class Remembered(Generic[T]):
    """An answer that takes a while: asked for anew once it is some seconds old, and the slower it is the more."""

    def __init__(self, ask: Callable[[], T]) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._known: tuple[float, T] | None = None

    def forget(self) -> None:
        with self._lock:
            self._known = None

    def get(self) -> T:
        with self._lock:
            began = time.monotonic()
            if self._known is None or began >= self._known[0]:
                answer = self._ask()
                ended = time.monotonic()
                self._known = (ended + max(OVERVIEW_SECONDS, (ended - began) / LARGEST_SHARE), answer)
            return self._known[1]


class Desk:
    """Made when the server starts, closed when it ends. Threads share it."""

    def __init__(self, where: Where, door: Door, seals: Seals, search: SearchSettings) -> None:
        self.location = located(where)
        self.door = door
        self.seals = seals
        self.log = ReaderLog(self.location, wait_seconds=COUNTING_SECONDS)
        self.keeping = ReaderKeeping(self.log)
        self.tallies = Tallies(self.log)
        self.readership = Readership(door, seals, self.log)
        self.ingest = Ingest(self.log)
        self._typing: OrderedDict[int, tuple[str, list[Url]]] = OrderedDict()
        self.search = search
        self._lock = threading.Lock()
        self._searcher: Searcher | None = None
        self.voices = Voices(self.log, self._words_on, door.readers.mining)
        self._overview = Remembered(self._look)
        self._sites = Remembered(self._looked_at)
        self._public = Remembered(lambda: public_counts(self.location))
        self.crawls = Crawls(self.location, self._forget_counts, door.networks)
        self.interests = Interests(self.log)
        self.profiles = Profiles(self.interests, self.searcher)
        self.wishes = Wishes(self.log)
        self.granters = Granters(self.location, self.wishes, door.networks, self._forget_counts)
        self._proposals: OrderedDict[tuple[int, str], tuple[float, Proposal]] = OrderedDict()
        self._happenings = Remembered(self._happened)
        self._topics = Remembered(lambda: open_topics(self.location))

    def close(self) -> None:
        self.voices.wait()
        self.log.close()
        if self._searcher is not None:
            self._searcher.close()

    # Search.

    def answer(
        self, text: str, page: int, size: int, *, snippets: bool = True, facets: bool = True,
        profile: ReaderProfile | None = None,
    ) -> Answer:  # fmt: skip
        query = parse(text[:LONGEST_QUERY])
        try:
            answer = self.searcher().answer(
                query, page=page, size=size, snippets=snippets, facets=facets, profile=profile
            )
            return with_revoked(self.location.beside, answer)
        except NothingThere:
            return Answer(query, page, size, (), 0, (), "", 0, (*query.notes, NOTHING_YET), 0.0)

    def explored(self, who: Who, text: str, answer: Answer) -> list[Hit]:
        """The hits, now and then with one of them tried at another place. Only where it is noted and used; drawn alike
        for whoever asks the same thing again that day."""
        if not who.recorded or not self.search.reader_weight or answer.page > 1:
            return list(answer.hits)
        drawn = f"{who.id} {int(time.time() // SECONDS_A_DAY)} {' '.join(text.split())}".encode()
        known = self.voices.believed(text, [hit.key for hit in answer.hits])
        return explored(answer.hits, known, self.door.readers.explore, random.Random(hashlib.sha256(drawn).digest()))

    def searcher(self) -> Searcher:
        with self._lock:
            if self._searcher is None:
                self._searcher = Searcher(self.location, self.search, voices=self.voices)
            return self._searcher

    def toolbox(self) -> Toolbox:
        """What agents may ask."""
        return Toolbox(self.location, self.searcher, self.holds_private)

    def _words_on(self, url: Url) -> int:
        return self.searcher().words_on(url)

    # What readers did, of those who said yes.

    def note_shown(self, who: Who, query: str, urls: Sequence[Url], first_rank: int = 1) -> None:
        self._note([_deed(who, url, Action.SHOWN, query, first_rank + place) for place, url in enumerate(urls)], who)

    def hold_shown(self, who: Who, query: str, urls: Sequence[Url]) -> None:
        """Results for what is being typed: they count when the typing has stopped."""
        if who.recorded:
            with self._lock:
                self._typing[who.number] = (query, list(urls))
                self._typing.move_to_end(who.number)
                if len(self._typing) > MOST_TYPING:
                    self._typing.popitem(last=False)

    def settle_shown(self, who: Who, query: str) -> None:
        with self._lock:
            held, urls = self._typing.pop(who.number, ("", []))
        if held == query:
            self.note_shown(who, query, urls)

    def note_done(self, who: Who, url: Url, action: Action, query: str = "", *, version: int = 0, amount: float = 1.0
                  ) -> None:  # fmt: skip
        self._note([_deed(who, url, action, query, 0, version, amount)], who)

    def _note(self, deeds: Sequence[Deed], who: Who) -> None:
        """An answer is worth more than its being counted."""
        if not who.recorded or not deeds:
            return
        try:
            self.log.note(deeds)
        except sqlite3.Error as error:
            logger.warning("what was shown could not be counted: %s", error)

    # What they asked for that was not here.

    def propose(self, who: Who, query: str, proposal: Proposal) -> None:
        """Held until it is confirmed: working it out takes seconds."""
        with self._lock:
            self._proposals[who.number, query] = (time.monotonic(), proposal)
            self._proposals.move_to_end((who.number, query))
            if len(self._proposals) > MOST_PROPOSED:
                self._proposals.popitem(last=False)

    def proposed(self, who: Who, query: str) -> Proposal | None:
        """Once, and not for long: what waits on sites changes."""
        with self._lock:
            at, proposal = self._proposals.pop((who.number, query), (0.0, None))
        return proposal if time.monotonic() - at < PROPOSED_SECONDS else None

    def fetched_for(self, who: Who, query: str) -> tuple[int, Collection[Url]]:
        """The pages that came because somebody said of this search that it was not enough, and the last who did: the
        number of that wish."""
        wishes = self.wishes.of(who.number, " ".join(query.split()))
        numbers = [wish.number for wish in wishes]
        return (numbers[-1], self.wishes.pages(numbers)) if numbers else (0, ())

    def tend_wishes(self, now: float) -> None:
        if self.door.read_only:
            return
        try:
            self.granters.tend(now)
        except (sqlite3.Error, OSError) as error:
            logger.warning("wishes that wait could not be seen to: %s", error)

    def fold(self, now: float) -> None:
        """What is older than the settings say becomes sums; where it cannot be now, tomorrow."""
        try:
            self.log.fold(self.door.readers.keep_days, now)
        except sqlite3.Error as error:
            logger.warning("what readers did long ago could not be summed up: %s", error)

    def counted(self, key: int) -> tuple[int, int]:
        """How often a page was shown and opened."""
        return self.tallies.of(key)

    # The folder at a glance.

    def overview(self) -> tuple[Overview, list[LaneCounts]] | None:
        """A few seconds old, but not older than the end of a crawl. None where no crawl has begun."""
        # A folder that was empty a moment ago is looked into again: somebody waits for its first page.
        return self._overview.get() or self._look()

    def _look(self) -> tuple[Overview, list[LaneCounts]] | None:
        try:
            with open_reader(self.location) as reader:
                return reader.overview(), reader.lanes()
        except NothingThere:
            return None

    def sites(self) -> list[SiteFigures]:
        """How each site is covered and kept up, the largest first; a few seconds old."""
        return self._sites.get()

    def public_counts(self) -> PublicCounts:
        """Without pages fetched with credentials; a few seconds old."""
        return self._public.get()

    def _looked_at(self) -> list[SiteFigures]:
        try:
            with open_reader(self.location) as reader:
                return site_figures(reader, link_ranks(self.location.beside), time.time())
        except NothingThere:
            return []

    def _forget_counts(self) -> None:
        self._overview.forget()
        self._sites.forget()
        self._public.forget()
        self._topics.forget()

    def holds_private(self) -> bool:
        """Whether pages are kept that were fetched with credentials."""
        seen = self.overview()
        return seen is not None and seen[0].private > 0

    def happenings(self) -> list[Happening]:
        """The latest of the last days, each page once; a few seconds old."""
        return self._happenings.get()

    def topics(self) -> list[tuple[Enquiry, Topical]]:
        """What crawls look for by topic, the latest first; a few seconds old."""
        return self._topics.get()

    def forget_happenings(self) -> None:
        self._happenings.forget()

    def favourites(self, reader: int = NOBODY) -> list[Favourite]:
        """The latest first."""
        return titled(self.location.beside, self.keeping.favourites(reader))

    def history(self, reader: int, most: int) -> list[WasAt]:
        return titled(self.location.beside, self.keeping.history(reader, most))

    def _happened(self) -> list[Happening]:
        try:
            recent = lately(self.location, time.time() - RECENT_DAYS * DAY_SECONDS, MOST_HAPPENINGS)
            return titled(self.location.beside, recent)
        except RepositoryError:
            return []


def _deed(who: Who, url: Url, action: Action, query: str, rank: int, version: int = 0, amount: float = 1.0) -> Deed:
    return Deed(who.number, time.time(), url, version, action, amount, " ".join(query.split()), rank)
