"""Home: keeps the migrants busy, takes their parcels in, and decides when a crawl is over.

Everything durable is in the repository. Leases live here only, so a crash of home costs nothing but the visits that
were not committed, and a crash of a migrant nothing but the visits that it had not sent.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from msgspec import Struct

from whimbrel.flows.again import Again
from whimbrel.flows.dusting import RULE as DUST
from whimbrel.flows.gather import Gathered, Gathering, Terms
from whimbrel.flows.listing import named_in
from whimbrel.flows.packing import restore_pattern
from whimbrel.frontier.traps import PatternState, TrapSettings
from whimbrel.frontier.watch import Watch
from whimbrel.migrants import wire
from whimbrel.migrants.choice import DEFAULT_CRITERIA, Criteria, Strategy
from whimbrel.migrants.chooser import Chooser
from whimbrel.migrants.control import Control
from whimbrel.migrants.crew import DEATHS_ON_ONE_PAGE, Crew
from whimbrel.migrants.desk import Desk
from whimbrel.migrants.itinerary import digest, seal_of
from whimbrel.migrants.ledger import Given, Ledger
from whimbrel.migrants.load import Limits
from whimbrel.migrants.places import Atlas, Place
from whimbrel.migrants.proxy import Proxy
from whimbrel.records.response import TRANSIENT, FailureKind
from whimbrel.records.url import Url
from whimbrel.records.visit import Link, Outcome, Visit
from whimbrel.repository.contract import Lease, Piece, Plan, RobotsCopy
from whimbrel.repository.embedded.store import Store
from whimbrel.urls.normal import key as key_of

Result = TypeVar("Result")

COMMIT_VISITS = 256
COMMIT_SECONDS = 0.5
LOW_WATER = 96
FAREWELL_SECONDS = 10.0
WATCHED_PATTERNS = 20_000
MOST_NOTES = 200
_NO_ANSWER = frozenset(FailureKind)
_TURNED: dict[str, str] = {Outcome.DUPLICATE: Outcome.FETCHED, Outcome.FETCHED: Outcome.DUPLICATE}


class Ended(Struct, frozen=True):
    """Why a crawl is over, in a word and in a sentence."""

    why: str
    words: str


class Progress(Struct):
    """How a run goes; the display and the summary read it."""

    began: float
    pages: int = 0
    visits: int = 0
    kept: int = 0
    bytes: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    standings: Counter[str] = Counter()
    retries: int = 0
    queued: int = 0
    in_flight: int = 0
    hosts_waiting: int = 0
    next_ready_seconds: float = 0.0
    notes: list[str] = []
    migrant_cpu_seconds: float = 0.0
    deaths: int = 0


class Staff(Struct, frozen=True):
    """How many migrants there may be, where they can live, and how work is given to them."""

    limits: Limits = Limits()
    places: tuple[Place, ...] = ()
    strategy: Strategy = Strategy.WEIGHTED_ROUND_ROBIN
    criteria: Criteria = DEFAULT_CRITERIA


class Manager:
    """Runs one crawl over an open store."""

    def __init__(self, store: Store, brief: wire.Brief, terms: Terms, staff: Staff, *, resumed: bool = False) -> None:
        self._store = store
        self._brief = brief
        self._brief_digest = digest(brief)
        self._terms = terms
        self._patterns_stored = store.has_patterns()
        self._watch = Watch(TrapSettings(), self._recall, WATCHED_PATTERNS)
        self._patterns_seen = 0
        self._admitted = Counter({host: store.admitted(host) for host in terms.site_limits})
        self._again = Again(store.past, terms.patience)
        self._chooser = Chooser(staff.strategy, staff.criteria)
        self._ledger = Ledger(store, self._watch.judge, terms.order, self._chooser, resumed)
        self._seal = seal_of(store.folder)
        self._wake = asyncio.Event()
        self.crew = Crew(
            store, brief, self._seal, self._ledger, staff.limits, Atlas(staff.places),
            wake=self._wake.set, hear=self._hear, give_up=self._give_up_on,
        )  # fmt: skip
        self._writer = ThreadPoolExecutor(1, "whimbrel-writer")
        self.on_visits: Callable[[list[Visit]], Awaitable[None]] | None = None
        self.on_idle: Callable[[float], int] | None = None
        self._pending: list[tuple[Proxy, wire.Parcel]] = []
        self._pending_visits = 0
        self._new_scope: list[Url] = []
        self._sown: list[tuple[list[Link], asyncio.Future[int]]] = []
        self._stop: Ended | None = None
        self.progress = Progress(
            time.time(), pages=store.pages, bytes=Counter(), outcomes=Counter(), errors=Counter(), standings=Counter()
        )

    def _recall(self, name: str) -> PatternState | None:
        if not self._patterns_stored:
            return None
        packed = self._store.patterns([name]).get(name)
        return restore_pattern(packed) if packed else None

    def _gathering(self, now: float) -> Gathering:
        return Gathering(self._store, self._terms, self._watch, now, self._admitted, self._again)

    def plant(self, seeds: Iterable[Url]) -> int:
        """Takes seeds in; returns how many the folder did not know."""
        links = [Link(key_of(url), url, 0, 0, False, "", "") for url in seeds]
        gathered = self._gathering(time.time()).plant(links)
        self._store.commit(gathered.plan, time.time())
        return len(gathered.plan.found)

    def reconsider(self) -> None:
        """URLs left out by a rule that has been withdrawn since are due again."""
        rows = self._store.refused_by(DUST)
        if rows:
            gathered = self._gathering(time.time()).reconsider(rows)
            self._store.commit(gathered.plan, time.time())

    def stop(self, why: str, words: str) -> None:
        """Ends the run cleanly: what is under way still comes home."""
        if self._stop is None:
            self._stop = Ended(why, words)
        self._wake.set()

    @property
    def stopping(self) -> bool:
        return self._stop is not None

    async def run(self, time_limit_seconds: float | None = None) -> Ended:
        self._ledger.load(time.time())
        if self._limit_reached():
            return self._ended_by_limit()
        if (over := self._over()) is not None and not await self._find_more():
            return over
        deadline = time.monotonic() + time_limit_seconds if time_limit_seconds else None
        control = Control(self._store.folder, Desk(self, self.crew, self._ledger).respond)
        try:
            await control.open()
            await self.crew.begin()
            ended = await self._work(deadline)
            await self._call_home()
            return ended
        finally:
            await control.close()
            await self.crew.end()
            self._writer.shutdown()

    # What migrants say.

    def _hear(self, proxy: Proxy, message: wire.FromMigrant) -> None:
        match message:
            case wire.Parcel():
                self._pending.append((proxy, message))
                self._pending_visits += len(message.visits)
                proxy.visits += len(message.visits)
                if self._pending_visits >= COMMIT_VISITS or self._hungry(proxy):
                    self._wake.set()
            case wire.Pulse():
                self._note(proxy, message)

    def _hungry(self, proxy: Proxy) -> bool:
        """Whether the migrant has little left to do beside what it has just sent."""
        return len(proxy.leases) - self._pending_visits < LOW_WATER

    def _note(self, proxy: Proxy, pulse: wire.Pulse) -> None:
        proxy.felt(pulse, time.monotonic())
        pulses = [p.pulse for p in self.crew.alive if p.pulse is not None]
        progress = self.progress
        progress.in_flight = sum(p.in_flight for p in pulses)
        progress.hosts_waiting = sum(p.hosts_waiting for p in pulses)
        progress.next_ready_seconds = min((p.next_ready_seconds for p in pulses), default=0.0)
        progress.migrant_cpu_seconds = self.crew.cpu_seconds
        if len(progress.notes) < MOST_NOTES:
            progress.notes += [note for note in pulse.notes if note not in progress.notes]

    async def _give_up_on(self, lease: Lease) -> None:
        row = self._store.known([lease.key])[lease.key]
        reason = f"reading it ended the migrant {DEATHS_ON_ONE_PAGE} times"
        visit = Visit(row.key, row.url, row.depth, Outcome.FAILED, FailureKind.PARSE, reason, 0, time.time(), 0)
        gathered = self._gathering(time.time()).take([(visit, lease)])
        await self._write(self._store.commit, gathered.plan, time.time())
        self._ledger.settle(gathered, time.time())
        self._tally(gathered)

    # The loop.

    async def _work(self, deadline: float | None) -> Ended:
        while True:
            arrived = self.crew.arrivals()
            await self._commit()
            await self.crew.tend(arrived, self._ledger.ready(time.time()))
            self.progress.deaths = self.crew.deaths
            if self._stop is not None:
                return self._stop
            if deadline is not None and time.monotonic() >= deadline:
                return Ended("time", "the time limit is reached")
            if self._limit_reached():
                return self._ended_by_limit()
            if not self._pending and not arrived and (over := self._over()) is not None:
                if not await self._find_more():
                    return over
                continue
            await self._sleep(deadline)

    async def _sleep(self, deadline: float | None) -> None:
        wait = COMMIT_SECONDS
        if deadline is not None:
            wait = max(0.0, min(wait, deadline - time.monotonic()))
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), wait)
        self._wake.clear()

    def _over(self) -> Ended | None:
        if self._ledger.refused or self._sown or any(proxy.leases for proxy in self.crew.alive):
            return None
        due = self._ledger.next_due()
        if due is None:
            sleepers = [name for name, proxy in self.crew.asleep.items() if proxy.leases]
            if sleepers and self.crew.drowsy:
                return None
            if sleepers:
                names = ", ".join(sleepers)
                return Ended(
                    "asleep", f"all that is left is with {names}, asleep; `whimbrel migrants activate {names}`"
                )
            return Ended("finished", "everything in scope has been visited")
        next_at, reason = due
        wait = next_at - time.time()
        if wait > self._brief.patience_seconds:
            why = f" ({reason})" if reason else ""
            return Ended("waiting", f"all that is left has to wait {_duration(wait)}{why}; run the command again then")
        return None

    async def _find_more(self) -> bool:
        """Whether somebody who was asked put more into the queue."""
        if self.on_idle is None or not await self._write(self.on_idle, time.time()):
            return False
        await self._write(self._ledger.load, time.time())
        return True

    def _limit_reached(self) -> bool:
        """A refresh goes on at the limit: visits to kept pages take no room."""
        return not self._terms.refreshing and self._full

    @property
    def _full(self) -> bool:
        return self._terms.limit is not None and self._store.pages >= self._terms.limit

    def _ended_by_limit(self) -> Ended:
        return Ended("limit", f"the limit of {self._terms.limit} pages is reached")

    async def _call_home(self) -> None:
        """The last parcels of every migrant come in before the run ends. A server that keeps one waiting does not
        keep us: what was not finished is still due."""
        for proxy in self.crew.alive:
            proxy.tell(wire.Halt())
        patience = time.monotonic() + min(self._brief.fetch.total_seconds, FAREWELL_SECONDS)
        while any(p.reachable for p in self.crew.alive) and time.monotonic() < patience:
            await self._sleep(None)
        await self._commit()

    # Commits.

    async def _write(self, work: Callable[..., Result], *arguments: object) -> Result:
        """One thread does all that touches the store: the loop goes on hearing migrants while it waits for the disk."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, work, *arguments)

    async def _commit(self) -> None:
        pending, self._pending, self._pending_visits = self._pending, [], 0
        ready = self.crew.ready
        working = [] if self._stop is not None or self._limit_reached() or self.crew.gathering else ready
        visits, work = await self._write(self._take_in, pending, ready, working)
        if self._new_scope:
            self.crew.widen(self._new_scope)
            self._new_scope = []
        for proxy, message in work:
            proxy.tell(message)
        if visits:
            self.crew.deaths_in_a_row = 0
            if self.on_visits is not None:
                await self.on_visits(visits)

    def _take_in(
        self, pending: list[tuple[Proxy, wire.Parcel]], ready: list[Proxy], working: list[Proxy]
    ) -> tuple[list[Visit], list[tuple[Proxy, wire.FromHome]]]:
        now = time.time()
        visits = self._ledger.claim(pending)
        messages: list[tuple[Proxy, wire.FromHome]] = []
        if pending or visits:
            gathered = self._decide(visits, [parcel for _, parcel in pending], now)
            self._note_away(gathered.plan)
            self._settle(gathered, now)
            self._new_scope += gathered.new_scope
            for proxy, parcel in pending:
                proxy.acknowledged = max(proxy.acknowledged, parcel.number)
                proxy.received += sum(visit.received_bytes for visit in parcel.visits)
                proxy.links += sum(len(visit.links) for visit in parcel.visits)
        self._sow(now)
        room = self._room(len(ready))
        self._ledger.kept_only = self._terms.refreshing and self._full
        given = self._ledger.hand_out(working, now) if working and room != 0 and not self._limit_reached() else {}
        messages += self._work_for(ready, given, room, now, bool(pending))
        self.progress.queued = self._ledger.queued
        return [visit for visit, _ in visits], messages

    def _settle(self, gathered: Gathered, now: float) -> None:
        gathered.plan.choices += self._chooser.drain()
        self._store.commit(gathered.plan, now)
        self._store.pages = gathered.pages
        # Until the watch has to let go of some, everything that this run stored is still in its memory.
        self._patterns_seen += len(gathered.plan.patterns)
        self._patterns_stored |= self._patterns_seen > WATCHED_PATTERNS
        self._ledger.settle(gathered, now)
        self._tally(gathered)

    def _work_for(
        self, ready: list[Proxy], given: Given, room: int, now: float, acknowledge: bool
    ) -> list[tuple[Proxy, wire.FromHome]]:
        """One message a migrant: its itineraries, the most urgent first, and what home has safely kept."""
        messages: list[tuple[Proxy, wire.FromHome]] = []
        for proxy in ready:
            lanes = given.get(proxy.name, {})
            sealed = [
                self._seal.itinerary(proxy.name, self._brief_digest, priority, now, lanes[priority])
                for priority in sorted(lanes, reverse=True)
            ]
            if sealed or acknowledge:
                messages.append((proxy, wire.Work(sealed, proxy.acknowledged, room)))
        return messages

    # Sent along while it runs.

    def send(self, seeds: Iterable[Url]) -> "asyncio.Future[int]":
        """More seeds for a crawl that is under way, before everything else; tells how many were new."""
        links = [Link(key_of(url), url, 0, 0, False, "", "") for url in seeds]
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._sown.append((links, answer))
        self._wake.set()
        return answer

    def _sow(self, now: float) -> None:
        sown, self._sown = self._sown, []
        for links, answer in sown:
            gathered = self._gathering(now).plant(links, urgent=True)
            self._settle(gathered, now)
            answer.get_loop().call_soon_threadsafe(answer.set_result, len(gathered.plan.found))

    def _note_away(self, plan: Plan) -> None:
        """Pages of a host that did not answer at all stay due, and are known as unreachable or failed meanwhile."""
        rows = self._store.known([visit.key for visit in self._ledger.given_back])
        for visit in self._ledger.given_back:
            if visit.reason not in self.progress.notes:
                self.progress.notes.append(visit.reason)
            if visit.rule in _NO_ANSWER and rows[visit.key].version is None:
                outcome = Outcome.UNREACHABLE if visit.rule in TRANSIENT else Outcome.FAILED
                plan.outcomes[visit.key] = (outcome, visit.rule, visit.reason)
                self.progress.outcomes[outcome] += 1
                self.progress.errors[visit.rule] += 1

    def _decide(self, visits: list[tuple[Visit, Lease]], parcels: list[wire.Parcel], now: float) -> Gathered:
        gathering = self._gathering(now)
        gathered = gathering.take(visits)
        plan = gathered.plan
        robots: list[RobotsCopy] = []
        for parcel in parcels:
            robots += parcel.robots
            plan.pieces += [Piece(records, 0) for records in parcel.records if records]
            for key, count in parcel.occurrences:
                plan.occurrences[key] = plan.occurrences.get(key, 0) + count
        plan.robots = robots
        return gathering.offer(named_in(robots)) if self._terms.sitemaps and robots else gathered

    def _room(self, migrants: int) -> int:
        if self._terms.limit is None or self._terms.refreshing:
            return -1
        # Rounded up: were one page left to two migrants, neither would begin. What is too much is not kept.
        return -(-max(0, self._terms.limit - self._store.pages) // max(1, migrants))

    def _tally(self, gathered: Gathered) -> None:
        progress = self.progress
        progress.pages = gathered.pages
        progress.visits += len(gathered.plan.settled)
        progress.retries += len(gathered.plan.postponed)
        progress.standings.update(gathered.standings)
        for settled in gathered.plan.settled:
            progress.outcomes[settled.outcome] += 1
            if settled.outcome in (Outcome.FAILED, Outcome.UNREACHABLE):
                progress.errors[settled.rule] += 1
        for outcome, _, _ in gathered.plan.outcomes.values():
            # A twin came that precedes a page counted before, or one counted as a twin survives after all.
            former = _TURNED.get(outcome)
            if former is not None and progress.outcomes[former]:
                progress.outcomes[former] -= 1
                progress.outcomes[outcome] += 1
        for kind, (size, _) in gathered.plan.traffic.items():
            progress.bytes[kind] += size


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{round(seconds)} s"
    return f"{round(seconds / 60)} min" if seconds < 7200 else f"{round(seconds / 3600)} h"
