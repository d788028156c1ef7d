"""Readers' profiles as the search takes them: the words of what they put aside, read and begin with."""

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable

from whimbrel.parse.stops import content_of
from whimbrel.rank.profile import ReaderProfile
from whimbrel.readers.interests import Interests, InterestsSaid
from whimbrel.records.url import Url
from whimbrel.search.ask.searcher import Searcher
from whimbrel.web.who import Who

RENEWED_SECONDS = 60.0
"""What was read since counts a minute later: the profile of a search need not be of the second."""
MOST_HELD = 200
READ_PAGES = 200
"""Kept pages of each part whose words count beside those of their names."""
FIELD_TIMES = 20
"""A field that a reader names counts as often as a word on so many pages."""


class Profiles:
    """Threads may share it."""

    def __init__(self, interests: Interests, searcher: Callable[[], Searcher]) -> None:
        self._interests = interests
        self._searcher = searcher
        self._lock = threading.Lock()
        self._known: OrderedDict[int, tuple[float, ReaderProfile | None]] = OrderedDict()

    def of(self, who: Who) -> ReaderProfile | None:
        """None for who has no name here, said nothing of themselves, or turned it off."""
        if not who.number:
            return None
        now = time.monotonic()
        with self._lock:
            at, known = self._known.get(who.number, (-RENEWED_SECONDS, None))
        if now - at < RENEWED_SECONDS:
            return known
        made = self._made(self._interests.of(who.number))
        with self._lock:
            self._known[who.number] = (now, made)
            self._known.move_to_end(who.number)
            if len(self._known) > MOST_HELD:
                self._known.popitem(last=False)
        return made

    def forget(self, reader: int) -> None:
        with self._lock:
            self._known.pop(reader, None)

    def _made(self, said: InterestsSaid) -> ReaderProfile | None:
        if not said.on or said.empty:
            return None
        bookmarks = self._words(one.url for one in said.bookmarks[:READ_PAGES])
        for one in said.bookmarks:
            bookmarks.update(content_of(one.title, ""))
        for field in said.fields:
            bookmarks.update(dict.fromkeys(content_of(field, ""), FIELD_TIMES))
        profile = ReaderProfile(bookmarks, self._words(said.visited), self._words([said.start] if said.start else []))
        return None if profile.empty else profile

    def _words(self, urls: Iterable[Url]) -> Counter[str]:
        words: Counter[str] = Counter()
        for text, language in self._searcher().gists(list(urls)).values():
            # Once a page: a long page is not more of an interest than a short one.
            words.update(set(content_of(text, language)))
        return words
