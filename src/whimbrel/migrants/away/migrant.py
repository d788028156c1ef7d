"""The migrant: holds lanes, visits their pages and sends home what it found.

It learns everything it needs from the brief and never asks home while a page is under way.
"""

import asyncio
import gc
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from whimbrel.fetch.dns import NameResolver as Names
from whimbrel.fetch.guard import is_loopback
from whimbrel.fetch.http import Fetcher
from whimbrel.fetch.politeness import AddressBook, Courtesy, under_owner
from whimbrel.fetch.request import IDENTITY
from whimbrel.fetch.settings import FetchSettings
from whimbrel.flows.visit import crawl
from whimbrel.flows.visit.papers import ReadsPapers
from whimbrel.flows.visit.permission import permission
from whimbrel.flows.visit.tools import Sifts
from whimbrel.frontier.cache import UrlCache
from whimbrel.migrants.away.held import Held
from whimbrel.migrants.away.lanes import Lane
from whimbrel.migrants.away.outbox import Outbox
from whimbrel.migrants.away.rounds import Rounds
from whimbrel.migrants.clock import HomeClock
from whimbrel.migrants.judge import UrlJudge, guard_of
from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.channel import Channel, HouseRules, Passport
from whimbrel.migrants.wire.itinerary import Gate, Itinerary, within
from whimbrel.records.sifting import PageFilter
from whimbrel.records.task import Task

if TYPE_CHECKING:
    from whimbrel.fetch.from_files import FromFiles
    from whimbrel.flows.visit.gazing import Gazing, MayAsk, SeesShapes
    from whimbrel.flows.visit.seeking import Seeker

CACHED_URLS = 150_000
PULSE_SECONDS = 0.5
COLLECT_SECONDS = 60.0
Sifting: TypeAlias = Callable[[PageFilter, bool], Sifts | str]
"""What runs a filter of pages here, on somebody else's machine or not, or why it cannot."""


class Migrant:
    """Runs one brief, known by its digest, until home says halt. `broke` hears of a visit that raised."""

    def __init__(
        self, brief: wire.Brief, known_by: bytes, channel: Channel, passport: Passport,
        broke: Callable[[BaseException], None], sifting: Sifting | None = None, reads: ReadsPapers | None = None,
        sees: "SeesShapes | None" = None,
    ) -> None:  # fmt: skip
        self._brief = brief
        self._house = house = passport.house
        self._gate = Gate(passport.home, passport.name, known_by)
        self._clock = HomeClock(house.ahead_seconds)
        self._loop = asyncio.get_running_loop()
        self._names = Names()
        self._fetcher = Fetcher(_asking(brief.fetch, passport.bare), guard_of(brief, house.sites), self._names)
        self._judge = UrlJudge(brief, abroad=passport.bare)
        self._site_delays = dict(brief.site_delays)
        cache = UrlCache(CACHED_URLS)
        self._held = Held(Path(house.held), house.held_bytes, known_by) if house.held else None
        self._outbox = Outbox(channel, cache, bare=passport.bare, held=self._held)
        self._packing = False
        self._ended: asyncio.Event = asyncio.Event()
        self._collect_at = self._loop.time() + COLLECT_SECONDS
        self._seeker = _seeker(brief, passport.shelf, reads) if brief.requests else None
        if self._seeker is not None:
            self._outbox.before_parcels = self._seeker.settle
            self._outbox.fitted = self._seeker.fitted
        self._rounds = Rounds(
            brief, self._fetcher, self._judge, cache, self._outbox, self._seeker, at_work_on=channel.reads,
            freed=self._yield, ended=self._farewell, broke=broke, clock=self._clock,
        )  # fmt: skip
        self._rounds.addresses = AddressBook(under_owner(brief.politeness, None, house.delay_seconds))
        self._rounds.tools.bare = passport.bare
        if brief.picture_classes and sees is not None:
            self._rounds.tools.gazing = _gazing(brief, sees, self._rounds.ask_besides)
        self._sieve = self._sieve_for(brief.page_filter, sifting, passport.bare) if brief.page_filter else None
        self._rounds.tools.sieve = self._sieve
        judged_here = self._sieve is not None or not brief.page_filter
        if brief.entries and passport.bare and judged_here:
            self._rounds.tools.enters = self._outbox.put_entry
        self._files = _files(self._fetcher, house) if house.folders else None
        if self._files is not None:
            self._rounds.tools.fetcher = self._files
        self._turns = self._rounds.turns

    def _sieve_for(self, page_filter: PageFilter, sifting: Sifting | None, bare: bool) -> Sifts | None:
        """Where the filter of pages cannot run, home judges what comes bare; nothing else can be left to home."""
        made = sifting(page_filter, bare) if sifting is not None else "nothing runs filters here"
        if not isinstance(made, str):
            return made
        if not bare:
            raise RuntimeError(f"the filter of pages cannot run: {made}")
        self._rounds.note(f"the filter of pages does not run at the place ({made}); home judges what it sends")
        return None

    # What home says.

    def on_scope(self, message: wire.WiderScope) -> None:
        self._judge.widen(message.seeds)

    def on_work(self, work: wire.Work) -> None:
        self._outbox.acknowledged(work.acknowledged)
        self._rounds.room = work.room
        for sealed in work.itineraries:
            opened = within(self._gate.open(sealed, self._clock.time()), self._house.sites)
            if isinstance(opened, Itinerary):
                self._accept(opened)
            else:
                self._outbox.send(wire.Refusal(opened.rule, opened.reason))
        self._rounds.take_turns()

    def _accept(self, itinerary: Itinerary) -> None:
        now = self._loop.time()
        for given in itinerary.lanes:
            lane = self._turns.lane(given.number, given.host)
            lane.copies.update((copy.origin, copy) for copy in given.robots)
            tasks = [
                task for task in given.tasks if task.key not in self._rounds.under_way and not self._answered(task)
            ]
            waiting = len(lane.queue)
            self._rounds.urgency.enqueue(lane.queue, tasks, itinerary.priority)
            if self._seeker is not None:
                ordered = self._rounds.urgency.first(self._seeker.by_promise(lane.queue))
                lane.queue.clear()
                lane.queue.extend(ordered)
            self._rounds.queued += len(lane.queue) - waiting
            lane.slices = given.slices
            if lane.courtesy is None and not lane.preparing:
                lane.preparing = True
                self._rounds.spawn(self._prepare(lane, given, now + given.wait_seconds))
            elif lane.courtesy is not None:
                lane.courtesy.share(lane.slices, wire.SLICES)
                self._rounds.take_on(lane, lane.courtesy)

    def _answered(self, task: Task) -> bool:
        """A page that lies on the shelf, or was visited for a home that never heard of it, is asked of nobody, and
        nobody has to be waited for."""
        done = crawl.from_shelf(task, self._rounds.tools)
        if done is None and self._held is not None:
            done = self._held.find(task, self._clock.time())
        if done is not None:
            self._outbox.put(done)
        return done is not None

    def on_served(self, message: wire.Served) -> None:
        if self._seeker is not None:
            self._seeker.done(message.request)

    def on_grant(self, message: wire.Grant) -> None:
        lane = self._turns.lanes.get(message.lane)
        if lane is not None and lane.courtesy is not None:
            lane.granted = True
            self._rounds.schedule(lane, lane.courtesy)
            self._rounds.take_turns()

    def on_hold(self, message: wire.Hold) -> None:
        lane = self._turns.lanes.get(message.lane)
        if lane is not None and lane.courtesy is not None:
            lane.courtesy.hold(self._loop.time() + message.seconds)

    def on_release(self, message: wire.Release) -> None:
        """Tasks of these slices are begun no more; the lane goes once what is under way no longer needs it."""
        lane = self._turns.lanes.get(message.lane)
        if lane is None:
            self._outbox.send(wire.Luggage([wire.LaneWork(message.lane, "", 0.0, [], [])], message.slices))
            return
        released = set(message.slices or range(wire.SLICES))
        queue = list(lane.queue)
        lane.dropped = [task for task in queue if task.key & (wire.SLICES - 1) in released]
        self._rounds.queued -= len(lane.dropped)
        lane.queue.clear()
        lane.queue.extend(task for task in queue if task.key & (wire.SLICES - 1) not in released)
        lane.slices = max(0, lane.slices - len(message.slices)) if message.slices else 0
        if lane.courtesy is not None and lane.slices:
            lane.courtesy.share(lane.slices, wire.SLICES)
        lane.yielding = message.slices
        self._yield(lane)

    def _yield(self, lane: Lane) -> None:
        """Gives back what was asked for, as soon as the host has no more requests of ours than we may still make."""
        courtesy = lane.courtesy
        if lane.yielding is None or courtesy is None or courtesy.in_use > (courtesy.connections if lane.slices else 0):
            return
        slices, lane.yielding = lane.yielding, None
        self._outbox.flush()
        dropped, lane.dropped = lane.dropped, []
        self._outbox.send(wire.Luggage([self._packed(lane, courtesy, dropped)], slices))
        for task in dropped:
            self._rounds.done_with(task.key)
        if not lane.slices:
            self._turns.drop(lane)

    def _packed(self, lane: Lane, courtesy: Courtesy | None, tasks: list[Task]) -> wire.LaneWork:
        if courtesy is None:
            return wire.LaneWork(lane.number, lane.host, 0.0, [], tasks, lane.slices, shy=True)
        ready_at = max(courtesy.ready_at(), self._rounds.addresses.ready_at(lane.address))
        wait = max(0.0, ready_at - self._loop.time())
        return wire.LaneWork(lane.number, lane.host, wait, [], tasks, lane.slices, strikes=courtesy.strikes)

    def on_pack(self) -> None:
        self._packing = True
        self.on_halt()

    def on_halt(self) -> None:
        """What is under way comes home first."""
        self._rounds.halt()

    async def wait_until_ended(self) -> None:
        await self._ended.wait()
        if self._seeker is not None:
            self._seeker.close()
        await self._fetcher.close()

    # A host met for the first time.

    async def _prepare(self, lane: Lane, given: wire.LaneWork, not_before: float) -> None:
        """Whether a host is on loopback decides how it is treated; that takes its address."""
        addresses = [] if self._brief.fetch.proxy else await self._names.resolve(lane.host)
        lane.address = addresses[0] if addresses else lane.host
        lane.loopback = bool(addresses) and all(is_loopback(address) for address in addresses)
        politeness = under_owner(self._brief.politeness, self._site_delays.get(lane.host), self._house.delay_seconds)
        lane.courtesy = courtesy = Courtesy(politeness, loopback=lane.loopback)
        courtesy.share(lane.slices or 1, wire.SLICES)
        courtesy.resume(given.strikes)
        if given.shy:
            self._recall_delay(lane, courtesy)
            not_before = max(not_before, self._loop.time() + courtesy.delay_seconds)
        courtesy.hold(not_before)
        # Many hosts share the addresses of loopback, and none of them minds.
        lane.granted = lane.loopback
        self._outbox.send(wire.LaneNews(lane.number, lane.address, lane.loopback, courtesy.connections))
        self._yield(lane)
        self._rounds.schedule(lane, courtesy)
        self._rounds.take_turns()

    def _recall_delay(self, lane: Lane, courtesy: Courtesy) -> None:
        """The full delay of a host includes what its robots.txt asked for when it was last read."""
        for copy in lane.copies.values():
            courtesy.learn(permission(copy, self._brief.agent).crawl_delay_seconds)

    # The end, and how it goes until then.

    def _farewell(self) -> None:
        if not self._ended.is_set():
            if self._packing:
                lanes = [self._packed(lane, lane.courtesy, list(lane.queue)) for lane in self._turns.lanes.values()]
                self._outbox.flush()
                self._outbox.send(wire.Luggage(lanes, all=True))
            self._tell(self._loop.time())  # what was noticed last is not to be lost
            self._outbox.farewell()
            self._ended.set()

    async def pulse(self) -> None:
        """Tells home how it goes, until the end."""
        while not self._ended.is_set():
            now = self._loop.time()
            self._tell(now)
            if now >= self._collect_at:
                gc.collect()
                self._rounds.addresses.forget_past(now)
                self._turns.forget_idle(now)
                self._collect_at = now + COLLECT_SECONDS
            await asyncio.sleep(PULSE_SECONDS)

    def _tell(self, now: float) -> None:
        if self._files is not None:
            notes, self._files.notes = self._files.notes, []
            for words in notes:
                self._rounds.note(words)
        for words in self._sieve.notes() if self._sieve is not None else ():
            self._rounds.note(words)
        if self._held is not None and self._held.fault:
            self._rounds.note(self._held.fault)
        self._outbox.send(self._rounds.pulse(now))


def _files(fetcher: Fetcher, house: HouseRules) -> "FromFiles":
    # Imported here: few places are given folders.
    from whimbrel.fetch.folders import SiteFolders
    from whimbrel.fetch.from_files import FromFiles, ShownBook

    return FromFiles(fetcher, SiteFolders(house.folders), ShownBook(Path(house.shown) if house.shown else None))


def _asking(fetch: FetchSettings, bare: bool) -> FetchSettings:
    """Where visits travel bare they are compressed together, far better than each by itself."""
    return msgspec.structs.replace(fetch, headers=(*fetch.headers, IDENTITY)) if bare else fetch


def _seeker(brief: wire.Brief, shelf: str, reads: ReadsPapers | None) -> "Seeker":
    # Imported here: judges take long to load, and most crawls are sent out for no kind of page.
    from whimbrel.flows.visit.seeking import Seeker
    from whimbrel.flows.visit.shelf import Shelf
    from whimbrel.judges.convening import convene

    return Seeker(convene(brief.requests, brief.judges), Shelf(Path(shelf) if shelf else None), reads)


def _gazing(brief: wire.Brief, sees: "SeesShapes", may_ask: "MayAsk") -> "Gazing":
    # Imported here: shapes are calculated with arrays, whose package takes long to load.
    from whimbrel.flows.visit.gazing import Gazing
    from whimbrel.judges.convening import pictures_wanted
    from whimbrel.shapes.classes import classes_of

    classes = classes_of(brief.picture_classes)
    wanted = pictures_wanted(brief.requests, list(classes.examples))
    return Gazing(classes, wanted, sees, may_ask, brief.pictures_looked_at, brief.pictures or brief.assets)
