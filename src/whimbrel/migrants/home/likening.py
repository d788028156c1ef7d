"""Reads the pages that are kept for an order by similarity. Imported only where that is asked for: it takes NumPy and
the stemmers of the extra `search`."""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from whimbrel.flows.gather.keeping import KEPT
from whimbrel.flows.packing import unpack
from whimbrel.frontier.similarity import SaidOnPage, Similarity
from whimbrel.parse.language import language_of
from whimbrel.parse.words import STEMMED, Analysers, split
from whimbrel.repository.port.writer import Writer
from whimbrel.urls.normal import key as key_of

SEED = 1
"""By which readers are sent back along links, as in `whimbrel order`."""


class Likening:
    """Of one query. Pages are read when their order is asked for, not when they come in."""

    def __init__(self, store: Writer, query: str) -> None:
        self.query = query
        self._store = store
        self._analysers = Analysers()
        self._words = [self._analysers.forms(word, STEMMED) for word in dict.fromkeys(split(query))]
        """Each as pages in any language may hold it: of few words the language is seldom told."""
        self._similarity = Similarity(np.random.default_rng(SEED))
        self._unread = [one.key for one in store.past.candidates() if not one.asset and one.outcome in KEPT]

    def note(self, keys: Iterable[int]) -> None:
        """Pages that have come in."""
        self._unread += keys

    def scores(self, keys: Sequence[int]) -> list[float]:
        if not keys:
            return []
        self._read()
        return self._similarity.scores(keys)

    def told(self) -> str:
        """For the summary of a run."""
        self._read()
        return f"{self._similarity.precision:.0%} of {self._similarity.pages:,} pages say a word of “{self.query}”"

    def _read(self) -> None:
        """Documents are passed over: what they say is not read while a crawl runs."""
        unread, self._unread = self._unread, []
        for key in unread:
            version = self._store.version_of(key)
            if version is not None and version[2]:
                reading = unpack(version[2])
                self._similarity.take_in(key, self._said(reading.text), list(map(key_of, reading.urls)))

    def _said(self, text: str) -> SaidOnPage:
        said = Counter(self._analysers.of(language_of(text)).tokens(text).split())
        counts = tuple(sum(said[form] for form in forms) for forms in self._words)
        return SaidOnPage(counts, max(said.values(), default=0))
