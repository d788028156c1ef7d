"""Who works on what: lanes, leases and the window of tasks that each migrant has at hand."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from whimbrel.flows.again import SITEMAP
from whimbrel.flows.gather import Gathered
from whimbrel.flows.trusting import ETAGS, believed
from whimbrel.frontier.order import URGENT_BAND, Order
from whimbrel.migrants import wire
from whimbrel.migrants.books import EVERY_SLICE, NOBODY, LaneBook
from whimbrel.migrants.itinerary import ORDINARY, URGENT
from whimbrel.migrants.lifecycle import ALIVE
from whimbrel.migrants.proxy import Proxy
from whimbrel.migrants.window import Window
from whimbrel.records.request import RULE
from whimbrel.records.task import NO_VALIDATORS, Task, Validators
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.records.visit import Outcome, Visit
from whimbrel.repository.contract import Known, Lease, Only
from whimbrel.repository.embedded.store import Store

WINDOW = 1024
"""Tasks that a migrant holds: enough to work on while home commits, few enough that order still means something."""

WINDOWS = {
    Order.BREADTH: WINDOW, Order.DEPTH: 32, Order.COVERAGE: 256, Order.PRIORITY: 256, Order.STRUCTURE: WINDOW,
}  # fmt: skip
SMALLEST_SHARE = 4
NO_PLACE = -1
_VARIABLE = frozenset("?;0123456789")

Choose = Callable[[LaneBook, Sequence[Proxy], float], Proxy]
Given = dict[str, dict[int, list[wire.Lane]]]
"""Lanes by the name of the migrant and the priority of the itinerary."""


class Ledger:
    """Hands out what is due and claims it back. A visit that nobody was asked for is not taken in."""

    def __init__(
        self, store: Store, judge: Callable[[Url, int, int], Verdict], order: Order, choose: Choose, resumed: bool
    ) -> None:
        self._store = store
        self._judge = judge
        self._window = Window(store, order)
        self._size = WINDOWS[order]
        self._eager = order is Order.STRUCTURE
        self._choose = choose
        self._resumed = resumed
        self._lanes: dict[int, LaneBook] = {}
        self.queued = 0
        self.only = Only.ALL
        self._doubted: set[int] = set()
        self.refused: list[tuple[Visit, Lease]] = []
        self.given_back: list[Visit] = []

    def load(self, now: float) -> None:
        self.queued = 0
        words = self._store.past.witnesses(ETAGS)
        self._doubted = {lane for lane, record in words.items() if not believed(record)}
        for number, host, count, earliest in self._store.lanes_due(self.only):
            book = self._book(number, host, self._resumed)
            book.dry = NOBODY
            book.stocked = earliest <= now
            book.next_at = max(earliest, 0.0)
            self.queued += count

    def _book(self, number: int, host: str, shy: bool = False) -> LaneBook:
        book = self._lanes.get(number)
        if book is None:
            book = self._lanes[number] = LaneBook(number, host, shy)
        return book

    def book(self, number: int) -> LaneBook | None:
        return self._lanes.get(number)

    @property
    def books(self) -> Sequence[LaneBook]:
        return list(self._lanes.values())

    def held_by(self, proxy: Proxy) -> list[LaneBook]:
        return [book for book in self.books if proxy in book.holders]

    # Coming in.

    def claim(self, pending: Sequence[tuple[Proxy, wire.Parcel]]) -> list[tuple[Visit, Lease]]:
        """The visits that were asked for, with their leases; what arrives twice is claimed once."""
        claimed, self.refused = self.refused, []
        self.given_back = []
        for proxy, parcel in pending:
            for visit in parcel.visits:
                held = proxy.leases.pop(visit.key, None)
                if held is not None and visit.outcome is Outcome.DISCOVERED:
                    self._hold(held, visit)
                elif held is not None:
                    claimed.append((visit, held))
        for _, lease in claimed:
            self._lanes[lease.lane].free(lease)
        return self._recovered(claimed, [visit for _, parcel in pending for visit in parcel.again])

    def _recovered(self, claimed: list[tuple[Visit, Lease]], visits: Sequence[Visit]) -> list[tuple[Visit, Lease]]:
        """Visits of pages refused for their structure that match after all; no place in the queue is theirs, unless
        their refusal is only now being told."""
        if not visits:
            return claimed
        again = {visit.key: visit for visit in visits}
        told = [
            (replace(again.pop(visit.key), links=visit.links), lease)
            if visit.key in again and (visit.outcome, visit.rule) == (Outcome.REFUSED, RULE)
            else (visit, lease)
            for visit, lease in claimed
        ]
        rows = self._store.known(again)
        refused = {key: row for key, row in rows.items() if (row.outcome, row.rule) == (Outcome.REFUSED, RULE)}
        return told + [(again[key], Lease(row.lane, 0, NO_PLACE, key, 0)) for key, row in refused.items()]

    def _hold(self, lease: Lease, visit: Visit) -> None:
        """The host is to be left alone for a while; its tasks stay due as they are."""
        book = self._lanes[lease.lane]
        book.free(lease)
        book.held_until = max(book.held_until, visit.at + (visit.retry_in_seconds or 0.0))
        book.reason = visit.reason
        self.given_back.append(visit)
        book.stock()

    def settle(self, gathered: Gathered, now: float) -> None:
        plan = gathered.plan
        self.queued += len(plan.queued) - sum(lease.seq != NO_PLACE for lease in plan.done)
        for _, host, _, _ in plan.queued:
            number = self._store.lane(host)
            assert number is not None, "the commit made the lane"
            self._book(number, host).stock()
        for lease, at in plan.postponed:
            book = self._lanes[lease.lane]
            book.next_at = at if book.next_at <= now else min(book.next_at, at)
        for lease in gathered.put_back:
            self._lanes[lease.lane].stock()

    def take_back(self, proxy: Proxy, heir: Proxy | None = None) -> None:
        """A migrant is gone without a word: its lanes are free again, after one full delay."""
        self.drop_leases(proxy, proxy.leases)
        for book in self._lanes.values():
            places = [place for place, holder in enumerate(book.holders) if holder is proxy]
            if book.lose(proxy):
                book.shy = True
                book.give(places, heir)
                book.stock()

    def drop_leases(self, proxy: Proxy, keys: Sequence[int] | dict[int, Lease]) -> None:
        """These tasks are due for anybody again."""
        for key in list(keys):
            lease = proxy.leases.pop(key, None)
            if lease is not None:
                book = self._lanes[lease.lane]
                book.free(lease)
                book.stock()

    def next_due(self) -> tuple[float, str] | None:
        """When something is due next, and why not now where a host is held; None when nothing ever is. What is with
        a migrant that sleeps is not due before it wakes."""
        moments = [
            (max(book.held_until, 0.0 if book.open else book.next_at), book.reason)
            for book in self._lanes.values()
            if (book.next_at > 0 or book.open) and not book.asleep
        ]
        return min(moments, default=None)

    def ready(self, now: float) -> int:
        """About how many tasks could be begun now if there were more hands: those not leased, of lanes not held."""
        if not any(book.stocked and book.held_until <= now and book.open for book in self._lanes.values()):
            return 0
        return max(1, self.queued - sum(len(book.leased) for book in self._lanes.values()))

    # Changing hands.

    def inherit(self, proxy: Proxy, lane: wire.Lane, slices: list[int], now: float) -> None:
        """A migrant gave a lane, or slices of it, back: they go to the heir, with the wait that the host is owed."""
        book = self._lanes[lane.number]
        self.drop_leases(proxy, [task.key for task in lane.tasks])
        for place in slices or EVERY_SLICE:
            heir = book.heirs.get(place)
            if book.holders[place] is proxy:
                book.holders[place] = heir if heir is not None and heir.state in ALIVE else None
        released = set(slices or EVERY_SLICE)
        book.heirs = {place: heir for place, heir in book.heirs.items() if place not in released}
        if not slices:
            proxy.lanes.discard(lane.number)
        book.settled(proxy)
        self._remember(book, lane, now)

    def _remember(self, book: LaneBook, lane: wire.Lane, now: float) -> None:
        book.wait_until = max(book.wait_until, now + lane.wait_seconds)
        book.strikes = max(book.strikes, lane.strikes)
        book.shy |= lane.shy
        book.stock()

    def pack(self, proxy: Proxy, lanes: list[wire.Lane], now: float) -> list[wire.Lane]:
        """What a migrant takes along: its queue in order. Tasks that it does not own up to are due for anybody."""
        packed = []
        for lane in lanes:
            tasks = [task for task in lane.tasks if task.key in proxy.leases]
            if (book := self._lanes.get(lane.number)) is not None:
                book.settled(proxy)
                self._remember(book, lane, now)
                packed.append(replace(lane, tasks=tasks))
        kept = {task.key for lane in packed for task in lane.tasks}
        self.drop_leases(proxy, [key for key in proxy.leases if key not in kept])
        return packed

    def leave(self, proxy: Proxy) -> None:
        """A migrant goes for good and in order: its lanes are free, with the waits it told."""
        self.drop_leases(proxy, proxy.leases)
        for book in self._lanes.values():
            if book.lose(proxy):
                book.stock()

    def reserve(self, proxy: Proxy, leases: Sequence[Lease], lanes: Sequence[wire.Lane]) -> None:
        """What a sleeping migrant held when home ended is still its own."""
        books = {lane.number: self._book(lane.number, lane.host, True) for lane in lanes}
        for lease in leases:
            if lease.lane in books:
                proxy.leases[lease.key] = lease
                books[lease.lane].lease(lease.key, proxy)
        for lane in lanes:
            if lane.slices == len(EVERY_SLICE) and lane.tasks:
                books[lane.number].give(EVERY_SLICE, proxy)

    def reintroduce(self, proxy: Proxy, lane: wire.Lane, now: float) -> wire.Lane:
        """A lane that a migrant brings along to its new place."""
        return self._introduce(self._lanes[lane.number], proxy, now)(lane.tasks)

    # Going out.

    def hand_out(self, working: list[Proxy], now: float) -> Given:
        given: Given = {}
        if not self._hungry(working):
            return given
        stocked, active = [], 0
        for book in self._lanes.values():
            if 0 < book.next_at <= now:
                book.next_at = 0.0
                book.stock()
            active += book.stocked or bool(book.leased)
            if book.stocked and book.moving is None and book.held_until <= now:
                stocked.append(book)
        share = max(SMALLEST_SHARE, self._size * len(working) // max(1, active))
        for book in stocked:
            hungry = self._hungry(working)
            if not hungry:
                break
            if self._serve(book, hungry, share, now, given):
                # Served lanes go to the end, so that among very many none is forgotten.
                self._lanes[book.number] = self._lanes.pop(book.number)
        return given

    def _hungry(self, working: list[Proxy]) -> list[Proxy]:
        return [proxy for proxy in working if len(proxy.leases) < 2 * self._size]

    def _serve(self, book: LaneBook, hungry: list[Proxy], share: int, now: float, given: Given) -> bool:
        served = False
        for holder, slices in book.parts().items():
            proxy = holder or self._choose(book, hungry, now)
            wanted = max(SMALLEST_SHARE, share * len(slices) // len(EVERY_SLICE))
            # A link that promises more than all at hand must not wait until half of them are done.
            enough = wanted - 1 if self._eager else wanted // 2
            if proxy not in hungry or proxy.name in book.dry or book.shares.get(proxy.name, 0) > enough:
                continue
            for priority, lane in self._lease(proxy, book, slices, wanted - book.shares.get(proxy.name, 0), now):
                given.setdefault(proxy.name, {}).setdefault(priority, []).append(lane)
                served = True
        return served

    def _lease(
        self, proxy: Proxy, book: LaneBook, slices: list[int], count: int, now: float
    ) -> list[tuple[int, wire.Lane]]:
        part = () if len(slices) == len(EVERY_SLICE) else tuple(slices)
        book.give(slices, proxy)
        places = self._window.next(book.number, count, now, book.leased.keys(), part, self.only)
        if len(places) < count:
            book.exhausted(proxy)
            book.next_at = self._store.next_due(book.number, now, self.only)
        places = [place for place in places if self._still_wanted(*place, proxy, book, now)]
        for lease, _ in places:
            proxy.leases[lease.key] = lease
            book.lease(lease.key, proxy)
        if not places:
            return []
        lane = self._introduce(book, proxy, now)
        kept = [] if book.number in self._doubted else [known.key for _, known in places if known.version is not None]
        said = self._store.past.validators(kept) if kept else {}
        urgent = [_task(known, lease, said) for lease, known in places if lease.band == URGENT_BAND]
        ordinary = [_task(known, lease, said) for lease, known in places if lease.band != URGENT_BAND]
        return [(priority, lane(tasks)) for priority, tasks in ((URGENT, urgent), (ORDINARY, ordinary)) if tasks]

    def _introduce(self, book: LaneBook, proxy: Proxy, now: float) -> Callable[[list[Task]], wire.Lane]:
        """A lane new to its migrant comes with what is known of it; whoever has it gets the tasks alone."""
        number, host = book.number, book.host
        slices = sum(1 for holder in book.holders if holder is proxy)
        if number in proxy.lanes:
            return lambda tasks: wire.Lane(number, host, 0.0, [], tasks, slices)
        proxy.lanes.add(number)
        robots, wait = self._store.robots(host), max(0.0, book.wait_until - now)
        shy, book.shy, strikes = book.shy, False, book.strikes
        return lambda tasks: wire.Lane(number, host, wait, robots, tasks, slices, shy, strikes)

    def _still_wanted(self, lease: Lease, known: Known, proxy: Proxy, book: LaneBook, now: float) -> bool:
        """Evidence of a trap may have come in since the URL was found; most of a branching trap is caught here."""
        if not known.run and _VARIABLE.isdisjoint(known.url[8:]):
            return True
        verdict = self._judge(known.url, known.depth, known.run)
        if verdict.accepted or known.asset or not known.depth:
            return True
        self.refused.append(
            (Visit(known.key, known.url, known.depth, Outcome.REFUSED, verdict.rule, verdict.reason, 0, now, 0), lease)
        )
        book.lease(lease.key, proxy)
        return False


def _task(known: Known, lease: Lease, validators: dict[int, Validators]) -> Task:
    said = validators.get(known.key, NO_VALIDATORS)
    sitemap = known.asset == SITEMAP
    return Task(known.key, known.url, known.depth, known.hops, lease.attempt, bool(known.asset), said, sitemap)
