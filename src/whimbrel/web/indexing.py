"""Keeps the search index up with the crawl while the server runs: one thread, one writer."""

import logging
import sqlite3
import threading
import time

from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.location import Where
from whimbrel.search.build.indexer import Indexer
from whimbrel.search.contract import SearchSettings

PAUSE_SECONDS = 2.0
LONG_PAUSE_SECONDS = 30.0
TURN_SECONDS = 1.0
"""So long vectors are worked out, and as long nothing is."""
STEP_PAGES = 2_000
"""Pages taken in before looking whether the server is to end."""

logger = logging.getLogger(__name__)


class Indexing:
    """Starts with `start`, ends with `close`. Where another process writes the index it waits for its turn."""

    def __init__(self, where: Where, settings: SearchSettings) -> None:
        self._where = where
        self._settings = settings
        self._ending = threading.Event()
        self._said = ""
        self._thread = threading.Thread(target=self._run, name="whimbrel-indexing", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def close(self) -> None:
        self._ending.set()
        if self.alive:
            self._thread.join()

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                self._follow()
            except RepositoryError as error:
                # No crawl has begun yet, or the folder is being put right: look again.
                logger.debug("the index waits: %s", error)
            except (sqlite3.Error, OSError) as error:
                # A database that is only just being made, a full disk: searching goes on with what there is.
                logger.warning("the index could not be caught up and is tried again: %s", error)
            except Exception:
                # Whatever it was, a server without this thread would search an ever older index and not say so.
                logger.exception("the index could not be caught up; `whimbrel index --rebuild` may help")
                self._ending.wait(LONG_PAUSE_SECONDS)
            self._ending.wait(PAUSE_SECONDS)

    def _follow(self) -> None:
        with Indexer(self._where, self._settings) as indexer:
            while not self._ending.is_set() and indexer.writes:
                caught = indexer.catch_up(limit=STEP_PAGES)
                if caught.indexed or caught.removed:
                    logger.debug("the index took in %d pages, %d wait", caught.indexed, caught.pending)
                if not caught.pending:
                    left = self._understood(indexer)
                    self._ending.wait(TURN_SECONDS if left else PAUSE_SECONDS)

    def _understood(self, indexer: Indexer) -> int:
        """What pages are about is worked out for half of a core at most; returns how many wait."""
        end = time.monotonic() + TURN_SECONDS
        found = indexer.understand(lambda: self._ending.is_set() or time.monotonic() >= end)
        if found.note and found.note != self._said:
            logger.warning(found.note)
        self._said = found.note
        return 0 if found.note else found.left
