"""A collection while a crawl fills it: who matters least in it, and what is to be asked for next."""

from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from whimbrel.flows.collecting.link_file import LinkFile
from whimbrel.flows.collecting.ranking import Standing, ranked
from whimbrel.rank.graph import Numbers

MOST_RANKINGS = 20
"""In a run."""

IsKept = Callable[[int], bool]


class NextVisits(NamedTuple):
    """What to ask for until ranks are worked out anew, the most important first. `missing` is the share of the rank of
    the best pages known that those have which are not kept."""

    keys: list[int]
    missing: float


class Collecting:
    """Ranks are those of the last time they were worked out; before the first, nothing outranks anything."""

    def __init__(self, size: int, links: LinkFile) -> None:
        self.size = size
        self.links = links
        self.rankings = 0
        self._standing: Standing | None = None
        self._least: list[tuple[float, int]] = []

    def rank(self, waiting: Numbers, left: Numbers, kept: Numbers, most: int) -> NextVisits:
        """Works ranks out. Of what waits the best `most` come next, and with them those that left or were turned down
        and are among the best after all."""
        others = np.concatenate([waiting, left])
        standing = self._standing = ranked(self.links, others)
        self.rankings += 1
        shares = standing.of(kept)
        self._least = list(zip(shares.tolist(), kept.tolist(), strict=True))
        heapify(self._least)
        theirs = standing.of(others)
        # Of equals the kept ones stay: they stand in front, and the sort keeps them there.
        best = np.argsort(-np.concatenate([shares, theirs]), kind="stable")[: self.size]
        wanted = best[best >= len(kept)] - len(kept)
        whole = float(np.concatenate([shares, theirs])[best].sum())
        rest = np.setdiff1d(np.argsort(-theirs[: len(waiting)], kind="stable")[:most], wanted, assume_unique=True)
        rest = rest[np.argsort(-theirs[rest], kind="stable")][: max(0, most - len(wanted))]
        keys = others[np.concatenate([wanted, rest]).astype(np.int64)].tolist()
        return NextVisits(keys, float(theirs[wanted].sum()) / whole if whole else 0.0)

    # While visits are taken in.

    def outranks(self, key: int, is_kept: IsKept) -> bool:
        """Whether there is a kept page that matters less."""
        least = self._first(is_kept)
        return least is not None and self._standing is not None and self._standing.one(key) > least[0]

    def take_in(self, key: int) -> None:
        if self._standing is not None:
            heappush(self._least, (self._standing.one(key), key))

    def let_go(self, is_kept: IsKept) -> int | None:
        """The kept page that matters least, which is no longer among them."""
        least = self._first(is_kept)
        return heappop(self._least)[1] if least is not None else None

    def led_to(self, key: int) -> list[int]:
        return self.links.led_to(key)

    def note(self, led: Iterable[tuple[int, Iterable[int]]]) -> None:
        self.links.note(led)

    def _first(self, is_kept: IsKept) -> tuple[float, int] | None:
        while self._least and not is_kept(self._least[0][1]):
            heappop(self._least)
        return self._least[0] if self._least else None
