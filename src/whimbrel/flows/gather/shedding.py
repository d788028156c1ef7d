"""A collection of fixed size: a page that matters more than the least of those kept takes its place, in one commit."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from whimbrel.dedupe import exact
from whimbrel.flows.gather.batch import Batch
from whimbrel.flows.gather.keeping import KEPT
from whimbrel.flows.packing import unpack
from whimbrel.records.event import EventKind
from whimbrel.records.visit import Document, Outcome, Visit
from whimbrel.repository.contract import KnownUrl, Lease, NewEvent, Queued, Settled
from whimbrel.urls.normal import host as host_of
from whimbrel.urls.normal import key as key_of

RULE = "collection"


class IsKept(Protocol):
    def __call__(self, key: int, /) -> bool: ...


class RankedPages(Protocol):
    """What deciding asks of a collection."""

    size: int

    def outranks(self, key: int, is_kept: IsKept) -> bool: ...
    def take_in(self, key: int) -> None: ...
    def let_go(self, is_kept: IsKept) -> int | None: ...
    def led_to(self, key: int) -> list[int]: ...
    def note(self, led: Iterable[tuple[int, Iterable[int]]]) -> None: ...


class Shedding:
    """Keeps a batch within the collection's size."""

    def __init__(self, batch: Batch, pages: RankedPages) -> None:
        self._batch = batch
        self.pages = pages
        self._reason = f"less important than the {pages.size:,} pages that are kept"

    def turns_down(self, document: Document, row: KnownUrl) -> bool:
        """Whether there is no room for a page that came in. A twin of a kept page takes none."""
        if row.asset or self._batch.gathered.pages < self.pages.size:
            return False
        if exact.group(document.digest, document.text_digest) in self._batch.survivors:
            return False
        return not self.pages.outranks(row.key, self._is_kept)

    def turn_down(self, visit: Visit, row: KnownUrl) -> None:
        """It was looked at and is known; nothing of it is kept but where it leads."""
        settled = Settled(row.key, Outcome.REFUSED, RULE, self._reason, visit.status, visit.at, None, -1)
        self._batch.settle(row, settled)
        self._batch.gathered.turned_down += 1

    def take_in(self, key: int) -> None:
        """A page was kept; if that is one too many, the least goes."""
        if self._is_kept(key) and not self._batch.row(key).asset:
            self.pages.take_in(key)
        self.make_room()

    def make_room(self) -> None:
        while self._batch.gathered.pages > self.pages.size:
            least = self.pages.let_go(self._is_kept)
            if least is None:
                return
            self._shed(least)

    def bring_forward(self, waiting: Mapping[int, Lease], rows: Iterable[KnownUrl], bands: Mapping[int, int]) -> None:
        """These URLs stand elsewhere in the queue from now on; those that are not `waiting` had left, or were turned
        down, and are due after all."""
        batch = self._batch
        for row in rows:
            if row.key in waiting:
                batch.plan.done.append(waiting[row.key])
            else:
                batch.rows[row.key] = row
                batch.overrule(row.key, Outcome.DISCOVERED, "", "")
            batch.plan.queued.append(Queued(row.key, host_of(row.url), bands[row.key]))

    def note(self, visits: Iterable[Visit]) -> None:
        """Where the pages lead, before the commit says what became of them."""
        self.pages.note((visit.key, led) for visit in visits if (led := self._led_to(visit)) is not None)

    def _led_to(self, visit: Visit) -> list[int] | None:
        """A redirect leads to where it leads, a twin to the page that stands for it."""
        row = self._batch.rows.get(visit.key)
        if row is None or row.asset:
            return None
        if row.outcome == Outcome.REDIRECTED and row.target is not None:
            return [row.target]
        if visit.document is None:
            return None
        if row.outcome == Outcome.DUPLICATE:
            survivor = self._batch.survivor_of(self._batch.group_of(row.key)[0])
            return [survivor] if survivor is not None else []
        return followed(visit.document.reading)

    def _shed(self, key: int) -> None:
        batch = self._batch
        group, _ = batch.group_of(key)
        if group and batch.survivor_of(group) == key:
            batch.survivors.pop(group, None)
            batch.plan.survivors.pop(group, None)
            batch.plan.dissolved.append(group)
            for twin in self._twins(group):
                self._leave(twin)
        self._leave(key)
        batch.gathered.pages -= 1
        batch.gathered.replaced += 1

    def _leave(self, key: int) -> None:
        self._batch.overrule(key, Outcome.REFUSED, RULE, self._reason)
        self._batch.plan.left.append(key)
        self._batch.plan.events.append(NewEvent(key, EventKind.REFUSED))

    def _twins(self, group: bytes) -> set[int]:
        batch = self._batch
        known = batch.again.past.twins_in(group) if batch.again is not None else []
        return {
            key
            for key in {*known, *batch.groups}
            if batch.row(key).outcome == Outcome.DUPLICATE and batch.group_of(key)[0] == group
        }

    def _is_kept(self, key: int) -> bool:
        return self._batch.row(key).outcome in KEPT


def followed(packed: bytes) -> list[int]:
    """The keys of the URLs that a packed reading leads to."""
    if not packed:
        return []
    reading = unpack(packed)
    return [key_of(url) for url, follow in zip(reading.urls, reading.followed, strict=True) if follow]
