"""Home: keeps the migrants busy, takes their parcels in, and decides when a crawl is over.

Everything durable is in the repository. Leases live here only, so a crash of home costs nothing but the visits that
were not committed, and a crash of a migrant nothing but the visits that it had not sent.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from whimbrel.flows.gather.deciding import Terms
from whimbrel.flows.gather.shedding import RankedPages
from whimbrel.migrants.clock import Clock, woken
from whimbrel.migrants.home.allowance import Allowance
from whimbrel.migrants.home.answering import ControlAnswers
from whimbrel.migrants.home.briefs import Briefs
from whimbrel.migrants.home.chooser import Chooser
from whimbrel.migrants.home.control import Control
from whimbrel.migrants.home.crew import Crew
from whimbrel.migrants.home.deaths import DEATHS_ON_ONE_PAGE
from whimbrel.migrants.home.ending import RunEnd, limit_reached, nothing_left
from whimbrel.migrants.home.errands import Errands
from whimbrel.migrants.home.intake import Anew, Intake, Pending, SentUrls, Sown, as_seeds
from whimbrel.migrants.home.places import Atlas
from whimbrel.migrants.home.progress import Progress
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.home.renewal import ANEW, Renewal
from whimbrel.migrants.home.speaking import heard
from whimbrel.migrants.home.staff import CollectionTurns, Staff
from whimbrel.migrants.home.trips import Given
from whimbrel.migrants.home.window import Likens
from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.itinerary import seal_of
from whimbrel.records.ending import Why
from whimbrel.records.url import Url
from whimbrel.records.visit import Visit
from whimbrel.repository.contract import Enquiry, Lease, Only
from whimbrel.repository.port.writer import Writer
from whimbrel.urls.normal import key as key_of

Result = TypeVar("Result")
Listener = Callable[[list[Visit]], Awaitable[None]]

COMMIT_VISITS = 256
COMMIT_SECONDS = 0.5
LOW_WATER = 96
FAREWELL_SECONDS = 10.0


class Manager:
    """Runs one crawl over an open store."""

    def __init__(
        self, store: Writer, brief: wire.Brief, terms: Terms, staff: Staff,
        *, resumed: bool = False, requests: Sequence[Enquiry] = (), budget: int | None = None,
        sites: frozenset[str] | None = None, clock: Clock = time, patience: int = 0,
    ) -> None:  # fmt: skip
        """`sites` are the hosts that this run is about, None for all; `patience` is that of `Errands`."""
        self._clock = clock
        self._store = store
        self._brief = brief
        self._briefs = Briefs(brief)
        self._terms = terms
        self._errands = Errands(store, requests, patience)
        self.progress = Progress(self._clock.time(), pages=store.pages)
        chooser = Chooser(staff.strategy, staff.criteria, staff.measures)
        self._sieve = staff.sieve
        self._intake = Intake(
            store, terms, chooser, self._errands, self.progress, resumed=resumed, brief=brief, sieve=staff.sieve,
            papers=staff.papers,
        )  # fmt: skip
        self._intake.heard, self._busy = staff.heard, staff.busy
        self._ledger = self._intake.ledger
        self._ledger.allowance = self.allowance = Allowance(budget)
        self._ledger.sites = sites
        self._seal = seal_of(store.location.beside)
        self._wake = asyncio.Event()
        atlas = Atlas(staff.places, staff.reach)
        self._ledger.fits = atlas.fits if atlas.elsewhere else None
        self.crew = Crew(
            store, self._briefs, self._seal, self._ledger, staff.limits, atlas, staff.carrier,
            wake=self._wake.set, hear=self._hear, give_up=self._give_up_on, clock=clock, lost_at=staff.lost_at,
            rechoose=chooser.again,
        )  # fmt: skip
        self._writer = ThreadPoolExecutor(1, "whimbrel-writer")
        self._listeners: list[Listener] = []
        self.on_idle: Callable[[float], int] | None = None
        self.renewal = Renewal()
        self._pending: Pending = []
        self._pending_visits = 0
        self._sown: list[Sown] = []
        self._afresh: set[int] = set()
        self._stop: RunEnd | None = None
        self._beyond = False
        self._collector: CollectionTurns | None = None
        self.likeness_told = ""
        """What is to be said of an order by similarity when the run is over."""

    def plant(self, seeds: Iterable[Url]) -> int:
        """Takes seeds in; returns how many the folder did not know."""
        return self._intake.plant(seeds, self._clock.time())

    def reconsider(self, other_kinds: bool) -> None:
        """URLs left out by a rule that has been withdrawn since are due again; with `other_kinds` also pages that were
        not of a kind asked for then."""
        self._intake.reconsider(other_kinds, self._clock.time())

    def rejudge(self, anew: Anew) -> None:
        """What settings that have changed left out is judged by today's."""
        self._intake.rejudge(anew, self._clock.time())

    def collect(self, pages: RankedPages, collector: Callable[[Intake], CollectionTurns]) -> None:
        """Keeps the folder within the collection's size."""
        self._intake.ranked = pages
        self._collector = collector(self._intake)

    def order_by(self, likens: Likens) -> None:
        """What waits is handed out by how like the pages that are kept it is."""
        self._ledger.window.likens = likens

    def listen(self, listener: Listener) -> None:
        """It hears of all visits once they are durable; with several, in the order in which they came."""
        self._listeners.append(listener)

    def stop(self, why: Why, words: str) -> None:
        """Ends the run cleanly: what is under way still comes home."""
        if self._stop is None:
            self._stop = RunEnd(why, words)
        self._wake.set()

    def wake(self) -> None:
        """Something outside has changed, such as which places can be reached."""
        self._wake.set()

    @property
    def limit(self) -> int | None:
        """The pages that the folder may hold at the end of this run; any number where pictures are counted."""
        return None if self._terms.pictures else self._terms.limit

    @property
    def rankings(self) -> int:
        """How often ranks were worked out for a collection of fixed size."""
        return self._collector.rankings if self._collector is not None else 0

    async def run(self, time_limit_seconds: float | None = None) -> RunEnd:
        try:
            ended = await self._run(time_limit_seconds)
        finally:
            if self._collector is not None:
                self._collector.close()
            if self._sieve is not None:
                self._sieve.close()
        self._errands.end(ended.why, self._clock.time())
        if (likens := self._ledger.window.likens) is not None:
            self.likeness_told = likens.told()
        return ended

    async def _run(self, time_limit_seconds: float | None) -> RunEnd:
        self._ledger.load(self._clock.time())
        full = self._limit_reached()
        if full and not self._assets_left():
            return self._ended_by_limit()
        if not full and (over := self._over()) is not None and not await self._find_more():
            return over
        deadline = self._clock.monotonic() + time_limit_seconds if time_limit_seconds else None
        control = Control(self._store.location.beside, ControlAnswers(self, self.crew, self._ledger).respond)
        try:
            await control.open()
            if full:
                return await self._fetch_assets(deadline)
            await self.crew.begin()
            ended = await self._work(deadline)
            while ended is ANEW:
                await self._set_out_anew()
                ended = await self._work(deadline)
            await self._call_home()
            if ended.why is Why.LIMIT and await self._write(self._assets_left):
                ended = await self._fetch_assets(deadline)
            await self._write(self._intake.look_back, self._clock.time())
            return ended
        finally:
            await control.close()
            await self.crew.end()
            self._writer.shutdown()

    def _assets_left(self) -> bool:
        return self._brief.assets and bool(self._store.lanes_due(Only.ASSETS))

    async def _fetch_assets(self, deadline: float | None) -> RunEnd:
        """What the kept pages need to be shown as they were takes no room: it is fetched beyond the limit, by migrants
        that hold no pages."""
        self._beyond = True
        self._ledger.only = Only.ASSETS
        await self.crew.renew()
        await self._write(self._ledger.load, self._clock.time())
        ended = await self._work(deadline)
        await self._call_home()
        return ended if ended.why in (Why.TIME, Why.STOPPED, Why.KILLED, Why.BUDGET) else self._ended_by_limit()

    # What migrants say.

    def _hear(self, proxy: Proxy, message: wire.FromMigrant) -> None:
        match message:
            case wire.Parcel():
                message = heard(message, proxy.place.sites) if proxy.place.sites else message
                self._pending.append((proxy, message))
                self._pending_visits += len(message.visits)
                proxy.visits += len(message.visits)
                nearly_idle = len(proxy.leases) - self._pending_visits < LOW_WATER
                if self._pending_visits >= COMMIT_VISITS or nearly_idle:
                    self._wake.set()
            case wire.Pulse():
                self._note(proxy, message)

    def _note(self, proxy: Proxy, pulse: wire.Pulse) -> None:
        proxy.felt(pulse, self._clock.monotonic())
        self.progress.hear([p.pulse for p in self.crew.alive if p.pulse is not None], pulse.notes)
        self.progress.migrant_cpu_seconds = self.crew.cpu_seconds

    async def _give_up_on(self, lease: Lease) -> None:
        reason = f"reading it ended the migrant {DEATHS_ON_ONE_PAGE} times"
        await self._write(self._intake.give_up_on, lease, reason, self._clock.time())

    # The loop.

    async def _work(self, deadline: float | None) -> RunEnd:
        while True:
            arrived = self.crew.arrivals()
            await self._commit()
            await self.crew.tend(arrived, self._ledger.ready(self._clock.time()))
            self.progress.deaths = self.crew.deaths.total
            if self._stop is not None:
                return self._stop
            if self.renewal.asked and not arrived and self.crew.settled():
                return ANEW
            if deadline is not None and self._clock.monotonic() >= deadline:
                return RunEnd(Why.TIME, "the time limit is reached")
            if self._limit_reached():
                return self._ended_by_limit()
            if self.allowance.spent and not any(proxy.leases for proxy in self.crew.alive):
                return RunEnd(Why.BUDGET, f"the budget of {self.allowance.visits} visits is spent")
            if self._collector is not None and self._collector.ended:
                return RunEnd(Why.FINISHED, self._collector.ended)
            if self._errands.harvest is not None and self._errands.harvest.fallen:
                return RunEnd(Why.HARVEST, self._errands.harvest.words())
            if not self._pending and not arrived and (over := self._over()) is not None and not self._busy():
                if not await self._find_more():
                    return over
                continue
            await self._sleep(deadline)

    async def _sleep(self, deadline: float | None) -> None:
        wait = COMMIT_SECONDS
        if deadline is not None:
            wait = max(0.0, min(wait, deadline - self._clock.monotonic()))
        await woken(self._wake, wait)
        self._wake.clear()

    def _over(self) -> RunEnd | None:
        self.progress.idle_until = 0.0
        if self._ledger.refused or self._sown or self._afresh or any(proxy.leases for proxy in self.crew.alive):
            return None
        self.progress.idle_until = (self._ledger.next_due() or (0.0, ""))[0]
        return nothing_left(self._ledger, self.crew, self._brief.patience_seconds, self._clock.time())

    async def _find_more(self) -> bool:
        """Whether somebody who was asked put more into the queue, or something waits that need not be asked for."""
        more = self._collector.more if self._collector is not None and self._collector.full else self.on_idle
        if more is None or not await self._write(more, self._clock.time()):
            return await self._write(self._ledger.all_done)
        await self._write(self._ledger.load, self._clock.time())
        return True

    def _limit_reached(self) -> bool:
        """A refresh goes on at the limit: visits to kept pages take no room."""
        return not self._terms.refreshing and not self._beyond and self._full

    @property
    def _full(self) -> bool:
        held = self._store.pictures if self._terms.pictures else self._store.pages
        return self._terms.limit is not None and held >= self._terms.limit

    def _ended_by_limit(self) -> RunEnd:
        asked_for = self._errands.found if self._brief.requests else None
        return limit_reached(asked_for, self._terms.limit, "picture" if self._terms.pictures else "page")

    async def _call_home(self) -> None:
        """The last parcels of every migrant come in before the run ends. A server that keeps one waiting does not
        keep us: what was not finished is still due."""
        for proxy in self.crew.alive:
            proxy.tell(wire.Halt())
        patience = self._clock.monotonic() + min(self._brief.fetch.total_seconds, FAREWELL_SECONDS)
        while any(p.reachable for p in self.crew.alive) and self._clock.monotonic() < patience:
            await self._sleep(None)
        await self._commit()

    # Commits.

    async def _write(self, work: Callable[..., Result], *arguments: object) -> Result:
        """On the thread that writes: the loop goes on hearing migrants while it waits for the disk. What else touches
        the store (the roster, the start, the end) does so while nothing is under way here."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, work, *arguments)

    async def _commit(self) -> None:
        pending, self._pending, self._pending_visits = self._pending, [], 0
        ready = self.crew.ready
        working = [] if self._stop is not None or self._limit_reached() or self.crew.gathering else ready
        visits, work = await self._write(self._take_in, pending, ready, working)
        if self._intake.new_scope:
            self.crew.widen(self._intake.new_scope)
            self._intake.new_scope = []
        for proxy, message in work:
            proxy.tell(message)
        if visits:
            self.crew.deaths.in_a_row = 0
            for listener in self._listeners:
                await listener(visits)

    def _take_in(
        self, pending: Pending, ready: list[Proxy], working: list[Proxy]
    ) -> tuple[list[Visit], list[tuple[Proxy, wire.FromHome]]]:
        now = self._clock.time()
        visits, served = self._intake.take(pending, now)
        if self._errands.harvest is not None:
            self.progress.note_harvest(self._errands.harvest)
        messages: list[tuple[Proxy, wire.FromHome]] = [
            (proxy, wire.Served(number)) for proxy in ready for number in served
        ]
        sown, self._sown = self._sown, []
        self._intake.sow(sown, now)
        afresh, self._afresh = self._afresh, set()
        if afresh:
            self._intake.ask_afresh(afresh, now)
        if self._collector is not None:
            self._collector.turn(sum(len(proxy.leases) for proxy in self.crew.alive), now)
        room = self._room(len(ready))
        if self._terms.refreshing:
            self._ledger.only = Only.KEPT if self._full else Only.ALL
        given = self._ledger.hand_out(working, now) if working and room != 0 and not self._limit_reached() else {}
        messages += self._work_for(ready, given, room, now, bool(pending))
        self.progress.queued = self._ledger.queued
        self.progress.hosts_at_work = self._ledger.active
        return visits, messages

    def _work_for(
        self, ready: list[Proxy], given: Given, room: int, now: float, acknowledge: bool
    ) -> list[tuple[Proxy, wire.FromHome]]:
        """One message a migrant: its itineraries, the most urgent first, and what home has safely kept."""
        messages: list[tuple[Proxy, wire.FromHome]] = []
        for proxy in ready:
            trips = given.get(proxy.name, {})
            sealed = [
                self._seal.itinerary(proxy.name, self._briefs.digest(proxy), trip.priority, now, trips[trip])
                for trip in sorted(trips, key=lambda trip: -trip.priority)
            ]
            if sealed or acknowledge:
                messages.append((proxy, wire.Work(sealed, proxy.acknowledged, room)))
        return messages

    # Sent along while it runs.

    def send(self, seeds: Iterable[Url]) -> "asyncio.Future[SentUrls]":
        """More seeds for a crawl that is under way, before everything else; tells what became of them."""
        return self._sow(seeds, only_waiting=False)

    def ask_afresh(self, urls: Iterable[Url]) -> None:
        """Known URLs are visited once more, without conditions: what is kept of them is not believed."""
        self._afresh.update(map(key_of, urls))
        self._wake.set()

    def hasten(self, urls: Iterable[Url]) -> "asyncio.Future[SentUrls]":
        """Those of these that wait come before everything else; nothing else is done about any of them."""
        return self._sow(urls, only_waiting=True)

    def _sow(self, urls: Iterable[Url], only_waiting: bool) -> "asyncio.Future[SentUrls]":
        answer: asyncio.Future[SentUrls] = asyncio.get_running_loop().create_future()
        self._sown.append(Sown(as_seeds(urls), answer, only_waiting=only_waiting))
        self._wake.set()
        return answer

    def terms_edited(self, topic: str) -> str:
        """The migrants are to judge by them from now on; or why that waits for the next run."""
        self._wake.set()
        return "this run is ending" if self._beyond or self._stop else self.renewal.ask(topic, self._errands)

    async def _set_out_anew(self) -> None:
        """Migrants come home with what is under way, and others set out with the new terms."""
        await self._call_home()
        self._brief = await self._write(self.renewal.take, self._brief, self._errands, self._intake, self._clock.time())
        self._briefs.renew(self._brief)
        await self.crew.renew()
        await self._write(self._ledger.load, self._clock.time())

    def _room(self, migrants: int) -> int:
        if self._terms.limit is None or self._terms.refreshing or self._beyond or self._terms.pictures:
            return -1
        # Rounded up: were one page left to two migrants, neither would begin. What is too much is not kept.
        return -(-max(0, self._terms.limit - self._store.pages) // max(1, migrants))
