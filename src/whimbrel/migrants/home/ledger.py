"""Who works on what: lanes, leases and the window of tasks that each migrant has at hand."""

from collections.abc import Callable, Collection, Iterable, Sequence, Set

from msgspec.structs import replace

from whimbrel.flows.gather.deciding import Gathered
from whimbrel.flows.refresh.trusting import ETAGS, believed
from whimbrel.frontier.order import Order
from whimbrel.migrants.home.allowance import Allowance
from whimbrel.migrants.home.balance import Fits
from whimbrel.migrants.home.books import EVERY_SLICE, NOBODY, LaneBook
from whimbrel.migrants.home.hands import Hands
from whimbrel.migrants.home.introducing import introduce, task_of
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.home.trials import Trials, Turn
from whimbrel.migrants.home.trips import Given, Trip, trip_of
from whimbrel.migrants.home.window import Place, Window
from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.itinerary import URGENT
from whimbrel.records.request import RULES
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.records.visit import Outcome, Visit
from whimbrel.repository.contract import KnownUrl, Lease, LeaseWanted, Only
from whimbrel.repository.port.writer import Writer
from whimbrel.urls.normal import host as host_of
from whimbrel.urls.normal import origin as origin_of

WINDOW = 1024
"""Tasks that a migrant holds: enough to work on while home commits, few enough that order still means something."""

WINDOWS = {
    Order.BREADTH: WINDOW, Order.DEPTH: 32, Order.COVERAGE: 256, Order.PRIORITY: 256, Order.STRUCTURE: WINDOW,
    Order.SIMILARITY: 32,
}  # fmt: skip
SMALLEST_SHARE = 4
NO_PLACE = -1

Choose = Callable[[LaneBook, Sequence[Proxy], float], Proxy]


class Ledger:
    """Hands out what is due and claims it back. A visit that nobody was asked for is not taken in."""

    def __init__(
        self, store: Writer, judge: Callable[[Url, int, int], Verdict], order: Order, choose: Choose, resumed: bool,
        trials: Trials | None = None,
    ) -> None:  # fmt: skip
        self._store = store
        self._judge = judge
        self.window = Window(store, order)
        self._size = WINDOWS[order]
        self._eager = order is Order.STRUCTURE
        self._choose = choose
        self._resumed = resumed
        self._lanes: dict[int, LaneBook] = {}
        self.queued = 0
        self.active = 0
        self.only = Only.ALL
        self._doubted: set[int] = set()
        self.refused: list[tuple[Visit, Lease]] = []
        self.given_back: list[Visit] = []
        self._hastened: dict[int, Proxy] = {}
        self.afresh: set[int] = set()
        """What is asked for without conditions."""
        self._trials = trials
        self.hands = Hands(self._lanes, self._book, self.drop_leases)
        self.allowance = Allowance(None)
        self.sites: frozenset[str] | None = None
        """Where anything is handed out; None for everywhere."""
        self.fits: Fits | None = None
        """Which places may do work for a host; None where all are alike."""

    def load(self, now: float) -> None:
        self.queued = 0
        if self._trials is not None:
            self._trials.all_done(False)
        words = self._store.past.witnesses(ETAGS)
        self._doubted = {lane for lane, record in words.items() if not believed(record)}
        for number, host, count, earliest in self._store.lanes_due(self.only):
            if not self._concerns(host):
                continue
            book = self._book(number, host, self._resumed)
            book.dry = NOBODY
            book.stocked = earliest <= now
            book.next_at = max(earliest, 0.0)
            self.queued += count

    def all_done(self) -> bool:
        """Nothing is left that has to be asked for; whether something waits that may be."""
        lanes = self._trials.all_done(True) if self._trials is not None else []
        for lane in lanes:
            self._lanes[lane].stock()
        return bool(lanes)

    def _concerns(self, host: str) -> bool:
        return self.sites is None or host in self.sites

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

    def waits_at(self, hosts: Collection[str]) -> bool:
        """Whether something is to be done at one of these hosts."""
        return any(book.host in hosts and (book.stocked or book.leased) for book in self._lanes.values())

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
        """Visits of pages refused by a judge that wants them after all; no place in the queue is theirs, unless
        their refusal is only now being told."""
        if not visits:
            return claimed
        again = {visit.key: visit for visit in visits}
        told = [
            (replace(again.pop(visit.key), links=visit.links), lease)
            if visit.key in again and visit.outcome is Outcome.REFUSED and visit.rule in RULES
            else (visit, lease)
            for visit, lease in claimed
        ]
        rows = self._store.known(again)
        refused = {key: row for key, row in rows.items() if row.outcome == Outcome.REFUSED and row.rule in RULES}
        return told + [(again[key], Lease(row.lane, 0, NO_PLACE, key, 0)) for key, row in refused.items()]

    def _hold(self, lease: Lease, visit: Visit) -> None:
        """The host, or one origin of it, is to be left alone for a while; its tasks stay due as they are."""
        book = self._lanes[lease.lane]
        book.free(lease)
        if visit.rule != wire.BUSY:  # a host that was too busy has been asked
            self.allowance.give_back(lease.key)
        until = visit.at + (visit.retry_in_seconds or 0.0)
        if visit.rule == wire.BUSY:
            book.held_until = max(book.held_until, until)
        else:
            book.leave(origin_of(visit.url), until)
        book.reason = visit.reason
        self.given_back.append(visit)
        book.stock()

    def lift(self, urls: Iterable[Url], now: float) -> None:
        """A person named these: what kept their origins from being asked does so no longer. A host that asked to be
        left alone still is."""
        for url in urls:
            number = self._store.lane(host_of(url))
            if number is not None and (book := self._lanes.get(number)) is not None:
                book.come_back(now, [origin_of(url)])
                book.stock()

    def settle(self, gathered: Gathered, now: float) -> None:
        plan = gathered.plan
        concerned = [place for place in plan.queued if self._concerns(place.host)]
        self.queued += len(concerned) - sum(lease.seq != NO_PLACE for lease in plan.done)
        for place in concerned:
            number = self._store.lane(place.host)
            assert number is not None, "the commit made the lane"
            self._book(number, place.host).stock()
        for lease, at in plan.postponed:
            book = self._lanes[lease.lane]
            book.next_at = at if book.next_at <= now else min(book.next_at, at)
        for lease in gathered.put_back:
            self._lanes[lease.lane].stock()
        for lane in self._trials.learned() if self._trials is not None else ():
            self._lanes[lane].stock()  # what came in may have decided what waits
        if self.window.likens is not None:
            self.window.likens.note(one.key for one in plan.settled if one.outcome == Outcome.FETCHED)

    def drop_leases(self, proxy: Proxy, keys: Collection[int]) -> None:
        """These tasks are due for anybody again."""
        for key in list(keys):
            lease = proxy.leases.pop(key, None)
            if lease is not None:
                self.allowance.give_back(key)
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
        return self.allowance.most(max(1, self.queued - sum(len(book.leased) for book in self._lanes.values())))

    # Going out.

    def reintroduce(self, proxy: Proxy, lane: wire.LaneWork, now: float) -> wire.LaneWork:
        """A lane that a migrant brings along to its new place."""
        return introduce(self._store.robots, self._lanes[lane.number], proxy, now)(lane.tasks)

    def hasten(self, keys: Set[int]) -> set[int]:
        """Which of these a migrant has already; with the next work it is told to do them before all others."""
        in_hand: set[int] = set()
        if self._trials is not None:
            self._trials.forget(keys)
        for book in self._lanes.values():
            leased = {key: book.leased[key] for key in keys & book.leased.keys()}
            in_hand |= leased.keys()
            if book.moving is None:
                self._hastened |= leased
        return in_hand

    def in_hand(self, keys: Collection[int]) -> set[int]:
        return {key for book in self._lanes.values() for key in book.leased.keys() & keys}

    def reorder(self, keys: Set[int]) -> None:
        """These will stand elsewhere in the queue."""
        if self._trials is not None:
            self._trials.forget(keys)

    def hastened(self, now: float) -> Given:
        """Tasks that are already where they are to be done, once more as urgent ones."""
        if not self._hastened:
            return {}
        given: Given = {}
        known = self._store.known(self._hastened)
        for key, proxy in self._hastened.items():
            lease = proxy.leases.get(key)
            if lease is not None:
                lane = introduce(self._store.robots, self._lanes[lease.lane], proxy, now)(
                    [task_of(known[key], lease, {})]
                )
                given.setdefault(proxy.name, {}).setdefault(Trip(URGENT), []).append(lane)
        self._hastened = {}
        return given

    def hand_out(self, working: list[Proxy], now: float) -> Given:
        given = self.hastened(now)
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
        self.active = active
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
            fitting = hungry if self.fits is None else [one for one in hungry if self.fits(book.host, one.place)]
            if holder is None and not fitting:
                continue
            proxy = holder or self._choose(book, fitting, now)
            wanted = max(SMALLEST_SHARE, share * len(slices) // len(EVERY_SLICE))
            # A link that promises more than all at hand must not wait until half of them are done.
            enough = wanted - 1 if self._eager else wanted // 2
            if proxy not in hungry or proxy.name in book.dry or book.shares.get(proxy.name, 0) > enough:
                continue
            for trip, lane in self._lease(proxy, book, slices, wanted - book.shares.get(proxy.name, 0), now):
                given.setdefault(proxy.name, {}).setdefault(trip, []).append(lane)
                served = True
        return served

    def _lease(
        self, proxy: Proxy, book: LaneBook, slices: list[int], count: int, now: float
    ) -> list[tuple[Trip, wire.LaneWork]]:
        part = () if len(slices) == len(EVERY_SLICE) else tuple(slices)
        book.give(slices, proxy)
        book.come_back(now)
        places = self._next_places(proxy, book, part, count, now)
        if not places:
            return []
        lane = introduce(self._store.robots, book, proxy, now)
        kept = [] if book.number in self._doubted else self._conditional(places)
        said = self._store.past.validators(kept) if kept else {}
        trips: dict[Trip, list[Task]] = {}
        for lease, known in places:
            trips.setdefault(trip_of(lease), []).append(task_of(known, lease, said))
        # In the order in which they are to be done: the urgent one was taken from the front of the queue.
        return [(trip, lane(tasks)) for trip, tasks in trips.items()]

    def _conditional(self, places: list[Place]) -> list[int]:
        """Those of which the server may be asked whether what is kept still holds."""
        return [known.key for _, known in places if known.version is not None and known.key not in self.afresh]

    def _next_places(self, proxy: Proxy, book: LaneBook, part: tuple[int, ...], count: int, now: float) -> list[Place]:
        """The next of a lane's queue, leased; of kinds that may not be worth it no more than a few at a time."""
        trials, count = self._trials, self.allowance.most(count)
        chosen: list[Place] = []
        waits = trials if count and self.only is Only.ALL else None
        if waits is not None:
            chosen += self._deferred(waits, proxy, book, part, now, Turn.ANY)
        while len(chosen) < count:
            wanted = count - len(chosen)
            held = book.leased.keys() | trials.deferred(book) if trials is not None else book.leased.keys()
            away = tuple(book.away)
            places = self.window.next(
                LeaseWanted(book.number, wanted, now, held, slices=part, only=self.only, away=away)
            )
            for lease, known in places:
                chosen += self._leased(lease, known, proxy, book, now)
            if len(places) < wanted:
                book.exhausted(proxy)
                postponed = self._store.next_due(book.number, now, self.only)
                book.next_at = min([*book.away.values(), *([postponed] if postponed else [])], default=0.0)
                break
            if trials is None or trials.full(book):
                break
        for turn in (Turn.DOUBTFUL, Turn.SPARED):
            if waits is not None and not chosen and waits.is_turn(book, turn):
                chosen += self._deferred(waits, proxy, book, part, now, turn)
        return chosen

    def _deferred(
        self, trials: Trials, proxy: Proxy, book: LaneBook, part: tuple[int, ...], now: float, turn: Turn
    ) -> list[Place]:
        """Those of the places that wait for others of their kind which need not wait any longer."""
        chosen: list[Place] = []
        for lease, known in trials.waiting(book, part, turn):
            chosen += self._leased(lease, known, proxy, book, now, turn)
            if not self.allowance.most(1):
                break
        return chosen

    def _leased(
        self, lease: Lease, known: KnownUrl, proxy: Proxy, book: LaneBook, now: float, turn: Turn = Turn.ANY
    ) -> list[Place]:
        """The place, leased; none where it has to wait for what others of its kind bring, or is no longer wanted."""
        trials = self._trials if not _is_sure(known) else None
        if trials is not None and not trials.has_room(lease, known, book, turn):
            return []
        if not self._still_wanted(lease, known, proxy, book, now):
            return []
        if trials is not None:
            trials.begin(known, book)
        self.allowance.spend(lease.key)
        proxy.leases[lease.key] = lease
        book.lease(lease.key, proxy)
        return [(lease, known)]

    def _still_wanted(self, lease: Lease, known: KnownUrl, proxy: Proxy, book: LaneBook, now: float) -> bool:
        """Evidence of a trap may have come in since the URL was found; most of a branching trap is caught here."""
        if _is_sure(known):
            return True
        verdict = self._judge(known.url, known.depth, known.run)
        if verdict.accepted:
            return True
        self.refused.append(
            (Visit(known.key, known.url, known.depth, Outcome.REFUSED, verdict.rule, verdict.reason, 0, now, 0), lease)
        )
        book.lease(lease.key, proxy)
        return False


def _is_sure(known: KnownUrl) -> bool:
    """What a person named, a file of a page, or a page that is kept is asked for in any case."""
    return bool(known.asset) or not known.depth or known.version is not None
