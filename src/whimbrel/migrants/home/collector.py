"""A collection of fixed size: when its ranks are worked out anew, and what is asked for until then (P0 §2.3.2c).

Until it is full, a crawl goes on as any other. Then ranks are worked out over all that is known; of what waits, the
most important comes first, and when that has been visited ranks are worked out again, with what it told. Each time a
little more is asked for than before, so that twenty times are enough for a site of any size.

It is over when twice in a row the pages that would belong here, and are not, had next to no rank. Until little is left
to learn ranks mislead: on a manual whose chapters are known by the links from their sections, a collection that asks
only for what ranks high holds less than the nearest pages would.
"""

from array import array
from collections.abc import Iterator

import numpy as np

from whimbrel.flows.collecting.collection import MOST_RANKINGS, Collecting
from whimbrel.flows.gather.keeping import KEPT
from whimbrel.flows.gather.shedding import RULE, followed
from whimbrel.migrants.home.allowance import Allowance
from whimbrel.migrants.home.intake import Intake
from whimbrel.rank.graph import Numbers
from whimbrel.repository.contract import KnownUrl, Lease
from whimbrel.repository.port.writer import Writer

GROWTH = 1.3
"""Of what is known, from one time to the next. It and the next two were chosen on two manuals (`bench collection`)."""
SETTLED_SHARE = 0.02
SETTLED_ROUNDS = 2
FRONT_BAND = -(1 << 30)
ROWS_AT_A_TIME = 50_000
_FIRST_KEY = -(1 << 63)


class Collector:
    """`ended` says in words why nothing more is asked for; until then it is empty."""

    def __init__(
        self,
        collecting: Collecting,
        store: Writer,
        intake: Intake,
    ) -> None:
        self.collecting = collecting
        self.ended = ""
        self._store = store
        self._intake = intake
        self._ledger = intake.ledger
        self._filling = store.pages < collecting.size
        self._calm = 0
        self._read_what_is_here()

    @property
    def rankings(self) -> int:
        return self.collecting.rankings

    @property
    def full(self) -> bool:
        """Whether there was ever as much here as there is room for."""
        return not self._filling or self._store.pages >= self.collecting.size

    @property
    def allowance(self) -> Allowance:
        return self._ledger.allowance

    def close(self) -> None:
        self.collecting.links.close()

    def turn(self, in_hand: int, now: float) -> None:
        """Before work is handed out: how much of it may be, so that no page comes in for which there is no room yet."""
        size, pages = self.collecting.size, self._store.pages
        if self.ended:
            self.allowance.portion = 0
        elif self._filling and pages < size:
            self.allowance.portion = max(0, size - pages - in_hand)
        elif not in_hand and (self._filling or self.allowance.portion <= 0):
            self.more(now)

    def more(self, now: float) -> int:
        """Works ranks out and puts what is worth asking for to the front; how much that is. While the collection is not
        full, there is nothing to choose."""
        collecting = self.collecting
        if self.ended or not self.full:
            return 0
        self._filling = False
        if collecting.rankings >= MOST_RANKINGS:
            return self._end(f"ranks were worked out {MOST_RANKINGS} times")
        held = {key for book in self._ledger.books for key in book.leased}
        waiting, left = _keys(self._waiting(held)), _keys(self._left())
        known = self.collecting.links.count()
        chosen = collecting.rank(waiting, left, self._kept(), max(1, round(known * (GROWTH - 1.0))))
        self._shed(now)
        self._calm = self._calm + 1 if chosen.missing < SETTLED_SHARE else 0
        if not chosen.keys:
            return self._end("everything in scope has been visited")
        if self._calm >= SETTLED_ROUNDS:
            return self._end("what was seen last changes nothing")
        self._bring_forward(chosen.keys, held, now)
        self.allowance.portion = len(chosen.keys)
        return len(chosen.keys)

    def _end(self, why: str) -> int:
        self.ended = f"the {self.collecting.size:,} most important pages known are here: {why}"
        self.allowance.portion = 0
        return 0

    def _shed(self, now: float) -> None:
        gathering = self._intake.gathering(now)
        if gathering.shedding is not None and self._store.pages > self.collecting.size:
            gathering.shedding.make_room()
            self._intake.settle(gathering.gathered, now)

    def _bring_forward(self, keys: list[int], held: set[int], now: float) -> None:
        bands = {key: FRONT_BAND + place for place, key in enumerate(keys)}
        places = {lease.key: (lease, row) for lease, row in self._waiting(held) if lease.key in bands}
        rows = [row for _, row in places.values()]
        rows += [row for row in self._left() if row.key in bands and row.key not in places]
        self._ledger.reorder(bands.keys())
        gathering = self._intake.gathering(now)
        if gathering.shedding is not None:
            waiting = {key: lease for key, (lease, _) in places.items()}
            gathering.shedding.bring_forward(waiting, sorted(rows, key=lambda row: bands[row.key]), bands)
        self._intake.settle(gathering.gathered, now)

    # What is known.

    def _read_what_is_here(self) -> None:
        """Pages that were kept before this was a collection; and what was forgotten is forgotten here too."""
        links, store = self.collecting.links, self._store
        gone: list[int] = []
        sources = array("q", links.sources())
        for start in range(0, len(sources), ROWS_AT_A_TIME):
            some = sources[start : start + ROWS_AT_A_TIME]
            known = store.known(some)
            gone += [key for key in some if key not in known]
        links.drop(gone)
        have = set(sources) - set(gone)
        for key in self._kept().tolist():
            if key not in have and (version := store.version_of(key)) is not None:
                links.note([(key, followed(version[2]))])

    def _kept(self) -> Numbers:
        pages = self._store.past.candidates()
        return _array(one.key for one in pages if not one.asset and one.outcome in KEPT)

    def _waiting(self, held: set[int]) -> Iterator[tuple[Lease, KnownUrl]]:
        after = _FIRST_KEY
        while places := self._store.waiting(after, ROWS_AT_A_TIME):
            yield from ((lease, row) for lease, row in places if not row.asset and row.key not in held)
            after = places[-1][1].key

    def _left(self) -> Iterator[KnownUrl]:
        after = _FIRST_KEY
        while rows := self._store.left_out_by((RULE,), after, ROWS_AT_A_TIME):
            yield from rows
            after = rows[-1].key


def _keys(places: Iterator[tuple[Lease, KnownUrl]] | Iterator[KnownUrl]) -> Numbers:
    return _array(place.key if isinstance(place, KnownUrl) else place[1].key for place in places)


def _array(keys: Iterator[int]) -> Numbers:
    return np.fromiter(keys, np.int64)
