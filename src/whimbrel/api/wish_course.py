"""How the search for one wish goes, written down as it does, and when there is no use in going on."""

import time
from collections import Counter
from collections.abc import Sequence

from whimbrel.readers.wishes import Wishes
from whimbrel.records.url import Url
from whimbrel.records.wish import Wish

FEWEST_IN_VAIN = 100
SHARE_IN_VAIN = 4
"""Pages in a row of which none is of the kinds, after which hardly any is left: so many, and one in so many of all that
were asked for."""


class WishCourse:
    def __init__(self, wishes: Wishes, wish: Wish) -> None:
        self._wishes = wishes
        self._number = wish.number
        self._asked = wish.visited
        self._in_vain = 0
        self._refused: Counter[str] = Counter()
        self.found = wish.found

    def take(self, visited: int, found: Sequence[Url], refused: Sequence[str]) -> str:
        """Why to end, "" where there is no reason to."""
        self._asked += visited
        self._in_vain = 0 if found else self._in_vain + visited
        self.found += len(found)
        self._refused.update(refused)
        if not self._wishes.note(self._number, visited, found, time.time()):
            return "it was taken back"
        if self._in_vain >= max(FEWEST_IN_VAIN, self._asked // SHARE_IN_VAIN):
            return f"of the last {self._in_vain} pages none was of the kind"
        return ""

    def told(self, words: str) -> str:
        """With what rules kept out, for whoever asked."""
        kept_out = ", ".join(f"{count} by {rule}" for rule, count in self._refused.most_common())
        return f"{words}; refused: {kept_out}" if kept_out else words
