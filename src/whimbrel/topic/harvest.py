"""How much of what a crawl fetches is relevant, when it is no longer worth going on, and whether it has drifted."""

from collections import deque

RECENT = 100
FALLEN = 0.1
"""A harvest below this share of what it was at its best has fallen."""
LEAST = 5
"""Relevant pages without which nothing can be said to have fallen."""
HOPELESS = 4
"""Times its patience that a crawl goes on without finding so many."""


class HarvestWatch:
    """Counts pages as they are judged. `patience` is over how many of the last the harvest is looked at; 0 for a crawl
    that is to go on in any case."""

    def __init__(self, patience: int) -> None:
        self._patience = patience
        self._window: deque[bool] = deque(maxlen=patience or RECENT)
        self._in_window = 0
        self._best = 0.0
        self.judged = 0
        self.relevant = 0

    def note(self, relevant: bool) -> None:
        window = self._window
        if len(window) == window.maxlen:
            self._in_window -= window[0]
        window.append(relevant)
        self._in_window += relevant
        self.judged += 1
        self.relevant += relevant
        if len(window) == window.maxlen:
            self._best = max(self._best, self._in_window / len(window))

    @property
    def rate(self) -> float:
        """Of all pages that were judged, the share that is relevant."""
        return self.relevant / self.judged if self.judged else 0.0

    @property
    def recent(self) -> float:
        """Of the last ones."""
        return self._in_window / len(self._window) if self._window else 0.0

    def words(self) -> str:
        """Why it is not worth going on, for a person to read."""
        return (
            f"of the last {len(self._window)} pages {self._in_window} were relevant, of all {self.judged} "
            f"{self.relevant}: there is hardly more to find. `[topic] patience_pages` says when to end"
        )

    @property
    def fallen(self) -> bool:
        """Whether the last pages brought next to nothing, beside what others brought before."""
        if not self._patience or self.judged < 2 * self._patience:
            return False
        if self.relevant < LEAST:
            return self.judged >= HOPELESS * self._patience
        return self.recent < FALLEN * max(self._best, self.rate)
