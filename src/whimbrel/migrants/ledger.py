"""Who works on what: lanes, leases and the window of tasks that each migrant has at hand."""

from collections.abc import Callable, Sequence

from whimbrel.flows.gather import Gathered
from whimbrel.migrants import wire
from whimbrel.migrants.proxy import Proxy
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.records.visit import Outcome, Visit
from whimbrel.repository.contract import Known, Lease
from whimbrel.repository.embedded.store import Store

WINDOW = 1024
"""Tasks that a migrant holds: enough to work on while home commits, few enough that order still means something."""

SMALLEST_SHARE = 4
_VARIABLE = frozenset("?;0123456789")
DEEPEST_FIRST_WINDOW = 32


class LaneBook:
    """What home remembers of a lane while it runs."""

    __slots__ = ("held_until", "host", "known_to", "leased", "next_at", "reason", "stocked", "wait_seconds")

    def __init__(self, host: str, wait_seconds: float) -> None:
        self.host = host
        self.leased: set[int] = set()
        self.stocked = True
        self.next_at = 0.0
        self.held_until = 0.0
        self.reason = ""
        self.wait_seconds = wait_seconds
        self.known_to: Proxy | None = None


class Ledger:
    """Hands out what is due and claims it back. A visit that nobody was asked for is not taken in."""

    def __init__(
        self,
        store: Store,
        judge: Callable[[Url, int, int], Verdict],
        newest_first: bool,
        delay_seconds: float,
        resumed: bool,
    ) -> None:
        self._store = store
        self._judge = judge
        self._newest_first = newest_first
        self._delay_seconds = delay_seconds
        self._resumed = resumed
        self._lanes: dict[int, LaneBook] = {}
        self._holders: dict[int, Proxy] = {}
        self.queued = 0
        self.refused: list[tuple[Visit, Lease]] = []
        self.given_back: list[Visit] = []

    def load(self, now: float) -> None:
        for number, host, count, earliest in self._store.lanes_due():
            book = self._book(number, host, self._delay_seconds if self._resumed else 0.0)
            book.stocked = earliest <= now
            book.next_at = max(earliest, 0.0)
            self.queued += count

    def _book(self, number: int, host: str, wait_seconds: float = 0.0) -> LaneBook:
        book = self._lanes.get(number)
        if book is None:
            book = self._lanes[number] = LaneBook(host, wait_seconds)
        return book

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
            self._lanes[lease.lane].leased.discard(lease.key)
        return claimed

    def _hold(self, lease: Lease, visit: Visit) -> None:
        """The host is to be left alone for a while; its tasks stay due as they are."""
        book = self._lanes[lease.lane]
        book.leased.discard(lease.key)
        book.held_until = max(book.held_until, visit.at + (visit.retry_in_seconds or 0.0))
        book.reason = visit.reason
        self.given_back.append(visit)
        book.stocked = True

    def settle(self, gathered: Gathered, now: float) -> None:
        plan = gathered.plan
        self.queued += len(plan.queued) - len(plan.done)
        for _, host, _, _ in plan.queued:
            number = self._store.lane(host)
            assert number is not None, "the commit made the lane"
            self._book(number, host).stocked = True
        for lease, at in plan.postponed:
            book = self._lanes[lease.lane]
            book.next_at = at if book.next_at <= now else min(book.next_at, at)
        for lease in gathered.put_back:
            self._lanes[lease.lane].stocked = True

    def take_back(self, proxy: Proxy, now: float) -> None:
        """A migrant is gone: its lanes are free again, after one full delay."""
        for lease in proxy.leases.values():
            book = self._lanes[lease.lane]
            book.leased.discard(lease.key)
            book.stocked = True
        proxy.leases.clear()
        for book in self._lanes.values():
            if book.known_to is proxy:
                book.known_to = None
                book.wait_seconds = self._delay_seconds

    def next_due(self) -> tuple[float, str] | None:
        """When something is due next, and why not now where a host is held; None when nothing ever is."""
        moments = [
            (max(book.held_until, 0.0 if book.stocked else book.next_at), book.reason)
            for book in self._lanes.values()
            if book.stocked or book.next_at > 0
        ]
        return min(moments, default=None)

    # Going out.

    def hand_out(
        self, listening: list[Proxy], working: list[Proxy], room: int, now: float, acknowledge: bool
    ) -> list[tuple[Proxy, wire.FromHome]]:
        lanes = self._stock(working, now) if working and room != 0 else {}
        messages: list[tuple[Proxy, wire.FromHome]] = []
        for proxy in listening:
            given = lanes.get(proxy.number, [])
            if given or acknowledge:
                messages.append((proxy, wire.Work(given, proxy.acknowledged, room)))
        return messages

    def _stock(self, proxies: list[Proxy], now: float) -> dict[int, list[wire.Lane]]:
        for book in self._lanes.values():
            if not book.stocked and 0 < book.next_at <= now:
                book.stocked = True
        stocked = [(n, b) for n, b in self._lanes.items() if b.stocked and b.held_until <= now]
        active = sum(1 for book in self._lanes.values() if book.stocked or book.leased)
        window = DEEPEST_FIRST_WINDOW if self._newest_first else WINDOW
        share = max(SMALLEST_SHARE, window * len(proxies) // max(1, active))
        given: dict[int, list[wire.Lane]] = {}
        for number, book in stocked:
            if len(book.leased) > share // 2:
                continue
            proxy = book.known_to or min(proxies, key=lambda p: len(p.leases))
            if len(proxy.leases) >= 2 * window:
                continue
            # Served lanes go to the end, so that among very many none is forgotten.
            self._lanes[number] = self._lanes.pop(number)
            lane = self._lease(proxy, number, book, share - len(book.leased), now)
            if lane is not None:
                given.setdefault(proxy.number, []).append(lane)
        return given

    def _lease(self, proxy: Proxy, number: int, book: LaneBook, count: int, now: float) -> wire.Lane | None:
        places = self._store.lease(number, count, now, book.leased, self._newest_first)
        if len(places) < count:
            book.stocked = False
            book.next_at = self._store.next_due(number, now)
        places = [place for place in places if self._still_wanted(*place, book, now)]
        for lease, _ in places:
            proxy.leases[lease.key] = lease
            book.leased.add(lease.key)
        if not places:
            return None
        robots = [] if book.known_to is proxy else self._store.robots(book.host)
        wait, book.wait_seconds = book.wait_seconds, 0.0
        book.known_to = proxy
        return wire.Lane(number, book.host, wait, robots, [_task(known, lease) for lease, known in places])

    def _still_wanted(self, lease: Lease, known: Known, book: LaneBook, now: float) -> bool:
        """Evidence of a trap may have come in since the URL was found; most of a branching trap is caught here."""
        if not known.run and _VARIABLE.isdisjoint(known.url[8:]):
            return True
        verdict = self._judge(known.url, known.depth, known.run)
        if verdict.accepted or known.asset or not known.depth:
            return True
        self.refused.append(
            (Visit(known.key, known.url, known.depth, Outcome.REFUSED, verdict.rule, verdict.reason, 0, now, 0), lease)
        )
        book.leased.add(lease.key)
        return False


def _task(known: Known, lease: Lease) -> Task:
    return Task(known.key, known.url, known.depth, known.hops, lease.attempt, bool(known.asset))
