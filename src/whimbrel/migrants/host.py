"""The migrant: a process that holds lanes, visits their pages and sends home what it found.

It learns everything it needs from the brief and never asks home while a page is under way. It ends when home's end
of the connection closes.
"""

import asyncio
import gc
import os
import time
from collections.abc import Callable, Coroutine
from pathlib import Path

import msgspec

from whimbrel.fetch.dns import Resolver as Names
from whimbrel.fetch.guard import Guard, is_loopback
from whimbrel.fetch.http import Fetcher
from whimbrel.fetch.politeness import AddressBook, Courtesy
from whimbrel.fetch.robots import product
from whimbrel.flows import crawl
from whimbrel.flows.permission import Asked, ask, permission
from whimbrel.flows.seeking import Seeker
from whimbrel.flows.shelf import Shelf
from whimbrel.frontier.cache import UrlCache
from whimbrel.migrants import wire
from whimbrel.migrants.consent import Consent
from whimbrel.migrants.gauge import Gauge
from whimbrel.migrants.itinerary import Gate, Itinerary, digest
from whimbrel.migrants.judge import Judge, Spelling
from whimbrel.migrants.lanes import Lane, Turns
from whimbrel.migrants.outbox import Outbox
from whimbrel.migrants.urgency import Urgency
from whimbrel.records.response import TRANSIENT, FailureKind
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome, Visit
from whimbrel.urls.normal import host as host_of
from whimbrel.urls.normal import origin as origin_of
from whimbrel.urls.resolve import Resolver

CACHED_URLS = 150_000
PULSE_SECONDS = 0.5
COLLECT_SECONDS = 60.0
HUNGRY = 32
ROBOTS_TRIES = 3
NOT_NOW_SECONDS = 3_600.0


class Passport(msgspec.Struct, frozen=True):
    """Who a migrant is, and whose: its name for life and home's public key. `shelf` is a file at its place."""

    name: str
    home: bytes
    shelf: str = ""


class Host:
    """Runs one brief until home says halt."""

    def __init__(self, brief: wire.Brief, writer: asyncio.StreamWriter, mark: memoryview, passport: Passport) -> None:
        self._brief = brief
        self._gate = Gate(passport.home, passport.name, digest(brief))
        self._loop = asyncio.get_running_loop()
        self._names = Names()
        guard = Guard(frozenset(brief.seed_hosts), tuple(brief.networks))
        self._fetcher = Fetcher(brief.fetch, guard, self._names)
        self._judge = Judge(brief)
        self._site_delays = dict(brief.site_delays)
        self._turns = Turns()
        self._addresses = AddressBook(brief.politeness)
        cache = UrlCache(CACHED_URLS)
        self._outbox = Outbox(writer, cache)
        self._room = -1
        self._in_flight = 0
        self._queued = 0
        self._turn_timer: asyncio.TimerHandle | None = None
        self._notes: list[str] = []
        self._consent = Consent(brief, self._notes.append)
        self._urgency = Urgency()
        self._gauge = Gauge()
        self._packing = False
        self._running: set[asyncio.Task[None]] = set()
        self._halted = False
        self._ended: asyncio.Event = asyncio.Event()
        self._collect_at = self._loop.time() + COLLECT_SECONDS
        shelf = Path(passport.shelf) if passport.shelf else None
        self._seeker = Seeker(brief.requests, Shelf(shelf)) if brief.requests else None
        self._tools = crawl.Tools(
            fetcher=self._fetcher,
            resolver=Resolver(),
            cache=cache,
            judge=self._judge,
            rewrite=Spelling(brief.rewrites) if brief.rewrites else None,
            now=time.time,
            agent=product(brief.agent),
            assets=brief.assets,
            retries=brief.retries,
            retry_seconds=self._retry_seconds,
            busy=self._busy,
            at_work_on=_marker(mark),
            seeker=self._seeker,
        )

    # What home says.

    def on_scope(self, message: wire.Scope) -> None:
        self._judge.widen(message.seeds)

    def on_work(self, work: wire.Work) -> None:
        self._outbox.acknowledged(work.acknowledged)
        self._room = work.room
        for sealed in work.itineraries:
            opened = self._gate.open(sealed, time.time())
            if isinstance(opened, Itinerary):
                self._accept(opened)
            else:
                self._outbox.send(wire.Refusal(opened.rule, opened.reason))
        self._take_turns()

    def _accept(self, itinerary: Itinerary) -> None:
        now = self._loop.time()
        for given in itinerary.lanes:
            lane = self._turns.lane(given.number, given.host)
            lane.copies.update((copy.origin, copy) for copy in given.robots)
            tasks = [task for task in given.tasks if not self._answered(task)]
            self._urgency.enqueue(lane.queue, tasks, itinerary.priority)
            if self._seeker is not None:
                ordered = self._urgency.first(self._seeker.by_promise(lane.queue))
                lane.queue.clear()
                lane.queue.extend(ordered)
            self._queued += len(tasks)
            lane.slices = given.slices
            if lane.courtesy is None and not lane.preparing:
                lane.preparing = True
                self._spawn(self._prepare(lane, given, now + given.wait_seconds))
            elif lane.courtesy is not None:
                lane.courtesy.share(lane.slices, wire.SLICES)
                self._schedule(lane, lane.courtesy)

    def _answered(self, task: Task) -> bool:
        """A page that lies on the shelf is asked of nobody, and nobody has to be waited for."""
        done = crawl.from_shelf(task, self._tools)
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
            self._schedule(lane, lane.courtesy)
            self._take_turns()

    def on_hold(self, message: wire.Hold) -> None:
        lane = self._turns.lanes.get(message.lane)
        if lane is not None and lane.courtesy is not None:
            lane.courtesy.hold(self._loop.time() + message.seconds)

    def on_release(self, message: wire.Release) -> None:
        """Tasks of these slices are begun no more; the lane goes once what is under way no longer needs it."""
        lane = self._turns.lanes.get(message.lane)
        if lane is None:
            self._outbox.send(wire.Luggage([wire.Lane(message.lane, "", 0.0, [], [])], message.slices))
            return
        released = set(message.slices or range(wire.SLICES))
        queue = list(lane.queue)
        lane.dropped = [task for task in queue if task.key & (wire.SLICES - 1) in released]
        self._queued -= len(lane.dropped)
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
            self._done_with(task.key)
        if not lane.slices:
            self._turns.drop(lane)

    def _packed(self, lane: Lane, courtesy: Courtesy | None, tasks: list[Task]) -> wire.Lane:
        ready_at = max(courtesy.ready_at(), self._addresses.ready_at(lane.address)) if courtesy is not None else 0.0
        wait = max(0.0, ready_at - self._loop.time())
        strikes = courtesy.strikes if courtesy is not None else 0
        return wire.Lane(lane.number, lane.host, wait, [], tasks, lane.slices, courtesy is None, strikes)

    def on_pack(self) -> None:
        self._packing = True
        self.on_halt()

    def on_halt(self) -> None:
        """Nothing new is begun; what is under way comes home first."""
        self._halted = True
        self._take_turns()

    async def wait_until_ended(self) -> None:
        await self._ended.wait()
        await self._fetcher.close()

    # Turns.

    async def _prepare(self, lane: Lane, given: wire.Lane, not_before: float) -> None:
        """Whether a host is on loopback decides how it is treated; that takes its address."""
        addresses = [] if self._brief.fetch.proxy else await self._names.resolve(lane.host)
        lane.address = addresses[0] if addresses else lane.host
        lane.loopback = bool(addresses) and all(is_loopback(address) for address in addresses)
        delay = self._site_delays.get(lane.host)
        politeness = self._brief.politeness
        if delay is not None:
            politeness = msgspec.structs.replace(politeness, delay_seconds=delay, delay_given=True)
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
        self._schedule(lane, courtesy)
        self._take_turns()

    def _recall_delay(self, lane: Lane, courtesy: Courtesy) -> None:
        """The full delay of a host includes what its robots.txt asked for when it was last read."""
        for copy in lane.copies.values():
            courtesy.learn(permission(copy, self._brief.agent).crawl_delay_seconds)

    def _schedule(self, lane: Lane, courtesy: Courtesy) -> None:
        if lane.granted:
            self._turns.schedule(lane, courtesy.ready_at())

    def _take_turns(self) -> None:
        if not self._halted:
            now = self._loop.time()
            while self._may_begin() and (lane := self._turns.next(now)) is not None:
                self._begin(lane, now)
            self._wake_at(self._turns.next_at(), now)
        if self._in_flight + self._queued < HUNGRY:
            self._outbox.flush()
        if self._halted and not self._in_flight and not self._running:
            self._farewell()

    def _may_begin(self) -> bool:
        if self._in_flight >= self._brief.most_connections:
            return False
        if self._outbox.full:
            return False
        return self._room < 0 or self._in_flight + self._outbox.pages < self._room

    def _begin(self, lane: Lane, now: float) -> None:
        """Starts what the lane's courtesy allows now."""
        courtesy = lane.courtesy
        assert courtesy is not None, "a lane is scheduled once its courtesy is known"
        if self._urgency.halts(lane):
            return
        while lane.queue and courtesy.free(now) and self._may_begin():
            if not self._addresses.free(lane.address, now):
                courtesy.hold(self._addresses.ready_at(lane.address))
                break
            if self._seeker is not None and not self._urgency.pressing:
                self._seeker.freshen(lane.queue)
            allowed = self._consent.known(lane, lane.queue[0])
            if allowed is None:
                self._ask_robots(lane, courtesy, now)
                return
            task = lane.queue.popleft()
            self._queued -= 1
            if (refused := self._consent.refusal(task, allowed)) is not None:
                self._outbox.put(refused)
                self._done_with(task.key)
            else:
                self._start(lane, courtesy, now)
                self._spawn(self._visit(lane, courtesy, task))
        if courtesy.in_use < courtesy.connections:
            self._schedule(lane, courtesy)

    def _done_with(self, key: int) -> None:
        for halted in self._urgency.done(key):
            if halted.courtesy is not None:
                self._schedule(halted, halted.courtesy)

    def _start(self, lane: Lane, courtesy: Courtesy, now: float) -> None:
        courtesy.started(now)
        self._addresses.started(lane.address, now, lane.loopback)
        self._in_flight += 1

    def _finish(self, lane: Lane, courtesy: Courtesy, began: float) -> None:
        now = time.monotonic()  # the loop's own clock stands still while callbacks run
        courtesy.finished(now, now - began)
        self._in_flight -= 1
        self._yield(lane)
        self._schedule(lane, courtesy)

    async def _visit(self, lane: Lane, courtesy: Courtesy, task: Task) -> None:
        began = time.monotonic()
        courtesy.sent(began)
        done = await crawl.visit(task, self._tools)
        self._finish(lane, courtesy, began)
        self._gauge.answered(time.monotonic() - began, done.received_bytes)
        self._done_with(task.key)
        if done.status and done.status not in crawl.BUSY:
            courtesy.recovered()
        self._outbox.put(done)
        if self._seeker is not None:
            self._outbox.put_again(self._seeker.recovered(), self._seeker.fitted())
            self._notes += self._seeker.notes()
        self._give_back_if_held(lane, courtesy)
        self._take_turns()

    def _give_back_if_held(self, lane: Lane, courtesy: Courtesy) -> None:
        """A host that must be left alone for longer than we are patient goes back home with its tasks."""
        wait = courtesy.ready_at() - self._loop.time()
        if wait > self._brief.patience_seconds and lane.queue:
            self._give_back(lane, "busy", f"{lane.host} asked to be left alone for {round(wait)} s", wait)

    def _give_back(self, lane: Lane, rule: str, reason: str, wait: float) -> None:
        self._notes.append(reason)
        at = time.time()
        for task in lane.queue:
            self._outbox.put(
                Visit(task.key, task.url, task.depth, Outcome.DISCOVERED, rule, reason, 0, at, 0, retry_in_seconds=wait)
            )
            self._done_with(task.key)
        self._queued -= len(lane.queue)
        lane.queue.clear()

    def _retry_seconds(self, url: Url, attempt: int) -> float:
        lane = self._lane_of(url)
        return (0.2 if lane is not None and lane.loopback else 10.0) * float(6**attempt)

    def _busy(self, url: Url, retry_after: float | None) -> float:
        lane = self._lane_of(url)
        if lane is None or lane.courtesy is None:
            return retry_after or NOT_NOW_SECONDS
        wait = lane.courtesy.backoff(self._loop.time(), retry_after)
        self._outbox.send(wire.Held(lane.number, wait))
        return wait

    def _lane_of(self, url: Url) -> Lane | None:
        return self._turns.of_host(host_of(url))

    # robots.txt.

    def _ask_robots(self, lane: Lane, courtesy: Courtesy, now: float) -> None:
        if lane.asking:
            return
        lane.asking = True
        self._start(lane, courtesy, now)
        self._spawn(self._get_robots(lane, courtesy, origin_of(lane.queue[0].url)))

    async def _get_robots(self, lane: Lane, courtesy: Courtesy, origin: str) -> None:
        began = time.monotonic()
        courtesy.sent(began)
        asked = await ask(origin, self._fetcher, time.time())
        lane.asking = False
        known = self._consent.learn(lane, origin, permission(asked.copy, self._brief.agent, asked.reason))
        self._finish(lane, courtesy, began)
        self._outbox.put_robots(asked.copy, asked.records)
        if known.rules is not None:
            lane.robots_tries = 0
        else:
            self._robots_not_now(lane, courtesy, known.reason, asked)
        self._take_turns()

    def _robots_not_now(self, lane: Lane, courtesy: Courtesy, reason: str, asked: Asked) -> None:
        lane.robots_tries += 1
        now = self._loop.time()
        wait = asked.retry_after_seconds
        if wait is None:
            wait = self._retry_seconds(Url(f"http://{lane.host}/"), lane.robots_tries - 1)
        # A name without an address is mostly a typing error, a bad certificate stays one: no use in trying at once.
        hopeless = asked.kind is not None and (asked.kind is FailureKind.DNS or asked.kind not in TRANSIENT)
        if hopeless or lane.robots_tries >= ROBOTS_TRIES or wait > self._brief.patience_seconds:
            lane.robots_tries = 0
            words = f"{lane.host} is left alone: {reason}"
            self._give_back(lane, asked.kind or "robots", words, max(wait, NOT_NOW_SECONDS))
        else:
            courtesy.hold(now + wait)

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
                self._addresses.forget_past(now)
                self._turns.forget_idle(now)
                self._collect_at = now + COLLECT_SECONDS
            await asyncio.sleep(PULSE_SECONDS)

    def _tell(self, now: float) -> None:
        next_at = self._turns.next_at()
        wait = max(0.0, next_at - now) if next_at is not None else 0.0
        waiting = self._turns.waiting(now)
        self._outbox.send(self._gauge.pulse(self._queued, self._in_flight, waiting, wait, self._notes.copy()))
        self._notes.clear()

    def _wake_at(self, moment: float | None, now: float) -> None:
        """`now` is the moment by which the turns were looked at: what came due since then must not be missed."""
        if self._turn_timer is not None:
            self._turn_timer.cancel()
            self._turn_timer = None
        if moment is not None and moment > now:
            self._turn_timer = self._loop.call_at(moment, self._take_turns)

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        running = self._loop.create_task(work)
        self._running.add(running)
        running.add_done_callback(self._ran)

    def _ran(self, running: asyncio.Task[None]) -> None:
        self._running.discard(running)
        if not running.cancelled() and (error := running.exception()) is not None:
            # A broken promise of our own: better a migrant that dies aloud than a page lost in silence.
            self._loop.call_exception_handler({"message": "a visit broke", "exception": error})
            os._exit(70)
        if self._halted and not self._running:
            self._take_turns()


def _marker(mark: memoryview) -> Callable[[int], None]:
    """Writes the key of the page being read where home finds it should this process die of it."""
    place = mark.cast("q")

    def at_work_on(key: int) -> None:
        place[0] = key

    return at_work_on
