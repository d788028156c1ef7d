"""What a migrant has found and home has not yet acknowledged."""

import asyncio
from collections import deque
from collections.abc import Callable
from math import inf

from msgspec import Struct

from whimbrel.frontier.cache import UrlCache
from whimbrel.migrants.away.held import Held
from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.channel import Channel
from whimbrel.records.entry import ENTRY_RULE, PageEntry
from whimbrel.records.request import Fitted
from whimbrel.records.visit import Outcome, Visit
from whimbrel.repository.contract import RobotsCopy

PARCEL_VISITS = 64
PARCEL_BYTES = 1 << 20
PARCEL_SECONDS = 0.1
BARE_PARCEL_VISITS = 512
BARE_PARCEL_SECONDS = 0.5
"""Over a link on which bytes are dear, fewer and larger ones."""
BARE_IDLE_SECONDS = 20.0
"""That a page did not change, or is not there, has time: where a site is asked once a second, a parcel for each would
cost as much as a central crawl. A migrant that is killed asks for so much again."""
OCCURRENCES_SECONDS = 30.0
FITTED_SECONDS, BARE_FITTED_SECONDS = 5.0, 60.0
"""What a judge has learned is larger than most pages, and replaces what it had learned before: it goes home this
seldom, and at the end."""
MOST_OCCURRENCES = 50_000
_ABSENT = frozenset({404, 410})
MOST_UNACKNOWLEDGED_BYTES = 64 << 20


class SentParcel(Struct, frozen=True):
    """A parcel on its way: what it may take up at home, and how much we must hold for it."""

    number: int
    pages: int
    bytes: int


class Outbox:
    """Packs visits into parcels: when enough have come together, after a moment, or when `flush` is asked for.

    `pages` counts the documents that home may still keep, those in parcels on their way included.
    """

    def __init__(self, channel: Channel, cache: UrlCache, *, bare: bool = False, held: Held | None = None) -> None:
        self._channel = channel
        self._held = held
        self._cache = cache
        self._bare = bare
        self._seconds, self._most = (
            (BARE_PARCEL_SECONDS, BARE_PARCEL_VISITS) if bare else (PARCEL_SECONDS, PARCEL_VISITS)
        )
        self._fitted_seconds = BARE_FITTED_SECONDS if bare else FITTED_SECONDS
        self._loop = asyncio.get_running_loop()
        self._visits: list[Visit] = []
        self._visits_bytes = 0
        self._robots: list[RobotsCopy] = []
        self._records: list[bytes] = []
        self._again: list[Visit] = []
        self._entries: list[PageEntry] = []
        self._waiting_entries: dict[int, PageEntry] = {}
        self._sent: deque[SentParcel] = deque()
        self._sent_bytes = 0
        self._number = 0
        self._timer: asyncio.TimerHandle | None = None
        self._occurrences_at = self._loop.time()
        self._fitted_at = self._occurrences_at if bare else -inf
        self.pages = 0
        self.before_parcels: Callable[[], None] = lambda: None
        """What has to be done before home hears of anything."""
        self.fitted: Callable[[], list[Fitted]] = list
        """What judges have learned since this was last asked. It is put into bytes no sooner than it goes home."""

    @property
    def full(self) -> bool:
        """Where the disk takes no more, one parcel at a time: home still has to hear of what was asked."""
        if self._held is not None and self._held.full and self._sent:
            return True
        return self._sent_bytes + self._visits_bytes > MOST_UNACKNOWLEDGED_BYTES

    def acknowledged(self, number: int) -> None:
        while self._sent and self._sent[0].number <= number:
            done = self._sent.popleft()
            self.pages -= done.pages
            self._sent_bytes -= done.bytes
            if self._held is not None:
                self._held.release(done.number)

    def put_entry(self, entry: PageEntry) -> None:
        """It goes along with the visit that it stands for."""
        self._waiting_entries[entry.key] = entry

    def put(self, done: Visit) -> None:
        self._visits.append(done)
        if done.rule == ENTRY_RULE and done.key in self._waiting_entries:
            self._entries.append(self._waiting_entries.pop(done.key))
        self._visits_bytes += _weight(done)
        self.pages += _may_be_kept(done)
        if len(self._visits) >= self._most or self._visits_bytes >= PARCEL_BYTES:
            self.flush()
        else:
            self._flush_soon(BARE_IDLE_SECONDS if self._bare and _has_time(done) else self._seconds)

    def put_again(self, visits: list[Visit]) -> None:
        """Pages from the shelf that home has heard of as refused; the judges now think otherwise."""
        self._again += visits
        if visits:
            self._flush_soon(self._seconds)

    def put_robots(self, copy: RobotsCopy, records: bytes) -> None:
        self._robots.append(copy)
        self._records.append(records)
        self._flush_soon(self._seconds)

    def flush(self) -> None:
        if self._visits or self._robots or self._again:
            self._post(self._occurrences(), self._learned())

    def farewell(self) -> None:
        self._post(self._cache.drain(), self.fitted())
        self.send(wire.Bye())

    def send(self, message: wire.FromMigrant) -> None:
        """Where home is gone, so is this migrant in a moment; until then there is nobody to tell."""
        self._channel.send(wire.encode(message))

    def _post(self, occurrences: list[tuple[int, int]], fitted: list[Fitted]) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.before_parcels()
        self._number += 1
        parcel = wire.Parcel(
            self._number, self._visits, self._robots, self._records, occurrences, self._again, fitted, self._entries
        )
        data = wire.encode(parcel)
        if self._held is not None:
            self._held.keep(self._number, data)
        self._channel.send(data)
        size = len(data)
        pages = sum(_may_be_kept(done) for done in self._visits)
        self._sent.append(SentParcel(self._number, pages, size))
        self._sent_bytes += size
        self._visits, self._robots, self._records, self._visits_bytes = [], [], [], 0
        self._again, self._entries = [], []
        if fitted:
            self._fitted_at = self._loop.time()

    def _flush_soon(self, seconds: float) -> None:
        """Within so long: sooner where something already waits for less."""
        at = self._loop.time() + seconds
        if self._timer is not None and self._timer.when() > at:
            self._timer.cancel()
            self._timer = None
        if self._timer is None:
            self._timer = self._loop.call_at(at, self._flush_now)

    def _flush_now(self) -> None:
        self._timer = None
        self.flush()

    def _learned(self) -> list[Fitted]:
        too_soon = self._loop.time() - self._fitted_at < self._fitted_seconds
        return [] if too_soon else self.fitted()

    def _occurrences(self) -> list[tuple[int, int]]:
        now = self._loop.time()
        if now - self._occurrences_at < OCCURRENCES_SECONDS and self._cache.undrained < MOST_OCCURRENCES:
            return []
        self._occurrences_at = now
        return self._cache.drain()


def _weight(done: Visit) -> int:
    if done.exchange is not None:
        return len(done.exchange.raw)
    return len(done.archived.response) if done.archived is not None else 0


def _may_be_kept(done: Visit) -> bool:
    return done.document is not None or (done.exchange is not None and done.outcome is Outcome.FETCHED)


def _has_time(done: Visit) -> bool:
    """Whether nothing follows from it: no page to keep, no link to follow, no other try."""
    if done.links or done.retry_in_seconds is not None:
        return False
    return done.status in _ABSENT or (done.outcome is Outcome.UNCHANGED and done.exchange is None)
