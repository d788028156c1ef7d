"""What all handlers share: the folder, its seals, its readers, its search and its crawls."""

import threading
import time
from pathlib import Path

from whimbrel.repository.contract import NothingThere
from whimbrel.repository.embedded.reader import Reader
from whimbrel.repository.views import Lane, Overview
from whimbrel.search.contract import Answer, SearchSettings
from whimbrel.search.query import parse
from whimbrel.search.searcher import Searcher
from whimbrel.search.states import StateBook
from whimbrel.web.crawls import Crawls
from whimbrel.web.readers import Readers
from whimbrel.web.seals import Seals
from whimbrel.web.settings import Door

OVERVIEW_SECONDS = 3.0
LONGEST_QUERY = 10_000
NOTHING_YET = "Nothing is kept in this folder yet: add a site in the crawl room."


class Desk:
    """Made when the server starts, closed when it ends. Threads share it."""

    def __init__(self, folder: Path, door: Door, seals: Seals, search: SearchSettings) -> None:
        self.folder = folder
        self.door = door
        self.seals = seals
        self.readers = Readers(folder)
        self.crawls = Crawls(folder)
        self.search = search
        self._lock = threading.Lock()
        self._counting = threading.Lock()
        self._searcher: Searcher | None = None
        self._states: StateBook | None = None
        self._seen: tuple[float, Overview, list[Lane]] | None = None

    def close(self) -> None:
        self.readers.close()
        for each in (self._searcher, self._states):
            if each is not None:
                each.close()

    # Search.

    def answer(self, text: str, page: int, size: int, *, snippets: bool = True, facets: bool = True) -> Answer:
        query = parse(text[:LONGEST_QUERY])
        try:
            return self.searcher().answer(query, page=page, size=size, snippets=snippets, facets=facets)
        except NothingThere:
            return Answer(query, page, size, (), 0, (), "", 0, (*query.notes, NOTHING_YET), 0.0)

    def searcher(self) -> Searcher:
        with self._lock:
            if self._searcher is None:
                self._searcher = Searcher(self.folder, self.search)
            return self._searcher

    def states(self) -> StateBook:
        with self._lock:
            if self._states is None:
                self._states = StateBook(self.folder)
            return self._states

    # The folder at a glance.

    def overview(self) -> tuple[Overview, list[Lane]] | None:
        """Counting a large folder takes a while: counts are a few seconds old. None where no crawl has begun."""
        now = time.monotonic()
        with self._counting:
            if self._seen is None or now - self._seen[0] > OVERVIEW_SECONDS:
                try:
                    with Reader(self.folder) as reader:
                        self._seen = (now, reader.overview(), reader.lanes())
                except NothingThere:
                    return None
            return self._seen[1], self._seen[2]
