"""A migrant on its rounds: from lane to lane, as each host's courtesy, its robots.txt and the room at home allow."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from math import inf
from typing import TYPE_CHECKING

from whimbrel.fetch.http import Fetcher
from whimbrel.fetch.politeness import AddressBook, Courtesy
from whimbrel.fetch.robots import product
from whimbrel.flows.visit import crawl
from whimbrel.flows.visit.permission import NOT_NOW_SECONDS, RobotsAsked, ask, permission
from whimbrel.flows.visit.tools import Tools
from whimbrel.frontier.cache import UrlCache
from whimbrel.migrants.away.consent import Consent
from whimbrel.migrants.away.gauge import Gauge
from whimbrel.migrants.away.lanes import Lane, Turns
from whimbrel.migrants.away.outbox import Outbox
from whimbrel.migrants.away.urgency import Urgency
from whimbrel.migrants.clock import Clock
from whimbrel.migrants.judge import Spelling, UrlJudge
from whimbrel.migrants.wire import messages as wire
from whimbrel.records.response import TRANSIENT, FailureKind
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome, Visit
from whimbrel.urls.normal import host as host_of
from whimbrel.urls.normal import key as key_of
from whimbrel.urls.normal import origin as origin_of
from whimbrel.urls.resolve import LinkResolver

if TYPE_CHECKING:
    from whimbrel.flows.visit.seeking import Seeker
    from whimbrel.flows.visit.sessions import Sessions

HUNGRY = 32
TICK_SECONDS = 0.001
"""The loop counts in these: a timer for less rings at once, again and again, until the time has come."""
ROBOTS_TRIES = 3


class Rounds:
    """Begins what may begin, until it is halted. `room` is how many more pages home may keep (-1: any number).

    `freed` is called with a lane that has a request fewer under way, `ended` when all is done after a halt,
    `broke` with what a visit raised; nothing is begun after it.
    """

    def __init__(
        self, brief: wire.Brief, fetcher: Fetcher, judge: UrlJudge, cache: UrlCache, outbox: Outbox,
        seeker: "Seeker | None", *, at_work_on: Callable[[int], None], freed: Callable[[Lane], None],
        ended: Callable[[], None], broke: Callable[[BaseException], None], clock: Clock = time,
    ) -> None:  # fmt: skip
        self._brief = brief
        self._fetcher = fetcher
        self._outbox = outbox
        self._seeker = seeker
        self._freed = freed
        self._ended = ended
        self._broke = broke
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._consent = Consent(brief, self.note, clock)
        self._turn_timer: asyncio.TimerHandle | None = None
        self._notes: list[str] = []
        self._gauge = Gauge()
        self._in_flight = 0
        self._running: set[asyncio.Task[None]] = set()
        self._halted = False
        self.turns = Turns()
        self.addresses = AddressBook(brief.politeness)
        self.urgency = Urgency()
        self.queued = 0
        self.under_way: set[int] = set()
        self.room = -1
        self._sessions = _sessions(fetcher, brief, self._pause)
        self.tools = Tools(
            fetcher=fetcher,
            resolver=LinkResolver(),
            cache=cache,
            judge=judge,
            rewrite=Spelling(brief.rewrites) if brief.rewrites else None,
            now=clock.time,
            agent=product(brief.agent),
            assets=brief.assets,
            pictures=brief.pictures,
            retries=brief.retries,
            retry_seconds=self._retry_seconds,
            busy=self._busy,
            at_work_on=at_work_on,
            seeker=seeker,
            sessions=self._sessions,
            unheeded=frozenset(brief.directives_off_hosts),
            assumed=frozenset(brief.assumed),
        )

    def note(self, words: str) -> None:
        """What a person should know; it goes home with the next pulse."""
        self._notes.append(words)

    def pulse(self, now: float) -> wire.Pulse:
        """How it goes; what was noted is told once."""
        next_at = self.turns.next_at()
        wait = max(0.0, next_at - now) if next_at is not None else 0.0
        notes, self._notes = self._notes, []
        return self._gauge.pulse(self.queued, self._in_flight, self.turns.waiting(now), wait, notes)

    def halt(self) -> None:
        """Nothing new is begun; what is under way comes home first."""
        self._halted = True
        self.take_turns()

    # Turns.

    def schedule(self, lane: Lane, courtesy: Courtesy) -> None:
        if lane.granted:
            self.turns.schedule(lane, courtesy.ready_at())

    def take_on(self, lane: Lane, courtesy: Courtesy) -> None:
        """Tasks came for a host that is known. It may have asked for peace since they were chosen."""
        self._give_back_if_held(lane, courtesy)
        self.schedule(lane, courtesy)

    def take_turns(self) -> None:
        if not self._halted:
            now = self._clock.monotonic()  # by the loop's own, a lane freed in this callback would not be due yet
            while self._may_begin() and (lane := self.turns.next(now)) is not None:
                self._begin(lane, now)
            self._wake_at(self.turns.next_at(), now)
        # Where bytes are dear, a message a page is: what there is waits for more until there is nothing left to do.
        if self._in_flight + self.queued < (1 if self.tools.bare else HUNGRY):
            self._outbox.flush()
        if self._halted and not self._in_flight and not self._running:
            self._ended()

    def _may_begin(self) -> bool:
        if self._in_flight >= self._brief.most_connections:
            return False
        if self._outbox.full:
            return False
        return self.room < 0 or self._in_flight + self._outbox.pages < self.room

    def _begin(self, lane: Lane, now: float) -> None:
        """Starts what the lane's courtesy allows now."""
        courtesy = lane.courtesy
        assert courtesy is not None, "a lane is scheduled once its courtesy is known"
        if self.urgency.halts(lane):
            return
        while lane.queue and courtesy.free(now) and self._may_begin():
            if not self.addresses.free(lane.address, now):
                courtesy.hold(self.addresses.ready_at(lane.address))
                break
            if self._seeker is not None and not self.urgency.pressing:
                self._seeker.freshen(lane.queue)
            wait, hours = self._consent.wait(lane)
            if wait:
                self._give_back(lane, "hours", f"{lane.host} is asked in its hours alone ({hours}): it waits", wait)
                return
            if why := self._closed(lane.queue[0]):
                self._give_back(lane, "session", why, inf)
                return
            allowed = self._consent.known(lane, lane.queue[0])
            if allowed is None:
                self._ask_robots(lane, courtesy, now)
                return
            task = lane.queue.popleft()
            self.queued -= 1
            if (refused := self._consent.refusal(task, allowed)) is not None:
                self._outbox.put(refused)
                self.done_with(task.key)
            else:
                self._start(lane, courtesy, now)
                self.spawn(self._visit(lane, courtesy, task))
        if courtesy.in_use < courtesy.connections:
            self.schedule(lane, courtesy)

    def _closed(self, task: Task) -> str:
        """Why the task's site is not asked in this run: its credentials cannot be had, or do not hold any more."""
        over = self._sessions.over.get(origin_of(task.url), "") if self._sessions is not None else ""
        return over or self._consent.closed(task)

    def done_with(self, key: int) -> None:
        for halted in self.urgency.done(key):
            if halted.courtesy is not None:
                self.schedule(halted, halted.courtesy)

    def _start(self, lane: Lane, courtesy: Courtesy, now: float) -> None:
        courtesy.started(now)
        self.addresses.started(lane.address, now, lane.loopback)
        self._in_flight += 1

    def _finish(self, lane: Lane, courtesy: Courtesy, began: float) -> None:
        now = self._clock.monotonic()  # the loop's own clock stands still while callbacks run
        courtesy.finished(now, now - began)
        self._in_flight -= 1
        self._freed(lane)
        self.schedule(lane, courtesy)

    async def _visit(self, lane: Lane, courtesy: Courtesy, task: Task) -> None:
        began = self._clock.monotonic()
        courtesy.sent(began)
        self.under_way.add(task.key)
        done = await crawl.visit(task, self.tools)
        self.under_way.discard(task.key)
        self._finish(lane, courtesy, began)
        self._gauge.answered(self._clock.monotonic() - began, done.received_bytes)
        self.done_with(task.key)
        if done.status and done.status not in crawl.BUSY:
            courtesy.recovered()
        self._outbox.put(done)
        if self._seeker is not None:
            self._outbox.put_again(crawl.recovered(self.tools))
            self._notes += self._seeker.notes()
        self._give_back_if_held(lane, courtesy)
        self.take_turns()

    def _give_back_if_held(self, lane: Lane, courtesy: Courtesy) -> None:
        """A host that must be left alone for longer than we are patient goes back home with its tasks."""
        wait = courtesy.ready_at() - self._loop.time()
        if wait > self._brief.patience_seconds and lane.queue:
            self._give_back(lane, wire.BUSY, f"{lane.host} asked to be left alone for {round(wait)} s", wait)

    def _give_back(self, lane: Lane, rule: str, reason: str, wait: float, origin: str = "") -> None:
        """All tasks of the lane, or those of one origin."""
        self.note(reason)
        at = self._clock.time()
        for task in self._taken_out(lane, origin):
            self._outbox.put(
                Visit(task.key, task.url, task.depth, Outcome.DISCOVERED, rule, reason, 0, at, 0, retry_in_seconds=wait)
            )
            self.done_with(task.key)

    def _taken_out(self, lane: Lane, origin: str) -> list[Task]:
        tasks = list(lane.queue)
        taken = [task for task in tasks if not origin or origin_of(task.url) == origin]
        self.queued -= len(taken)
        lane.queue.clear()
        lane.queue.extend(task for task in tasks if origin and origin_of(task.url) != origin)
        return taken

    def _retry_seconds(self, url: Url, attempt: int) -> float:
        lane = self._lane_of(url)
        return (0.2 if lane is not None and lane.loopback else 10.0) * float(6**attempt)

    def _busy(self, url: Url, retry_after: float | None) -> float:
        lane = self._lane_of(url)
        if lane is None or lane.courtesy is None:
            return retry_after or NOT_NOW_SECONDS
        wait = lane.courtesy.backoff(self._loop.time(), retry_after)
        self._outbox.send(wire.HostHeld(lane.number, wait))
        return wait

    async def ask_besides(self, url: Url) -> bool:
        """Waits until the visit that holds its host's turn may ask for something more; whether it may at all."""
        lane, task = self._lane_of(url), Task(key_of(url), url, 1, 0, 0, True)
        allowed = self._consent.known(lane, task) if lane is not None else None
        if allowed is None or self._halted or self._consent.refusal(task, allowed) is not None:
            return False
        await self._pause(url)
        return True

    async def _pause(self, url: Url) -> None:
        """Until the host may be asked once more, by the visit that holds its turn."""
        lane = self._lane_of(url)
        if lane is not None and lane.courtesy is not None:
            await asyncio.sleep(lane.courtesy.delay_seconds)
            lane.courtesy.sent(self._clock.monotonic())

    def _lane_of(self, url: Url) -> Lane | None:
        return self.turns.of_host(host_of(url))

    # robots.txt.

    def _ask_robots(self, lane: Lane, courtesy: Courtesy, now: float) -> None:
        if lane.asking:
            return
        lane.asking = True
        self._start(lane, courtesy, now)
        self.spawn(self._get_robots(lane, courtesy, origin_of(lane.queue[0].url)))

    async def _get_robots(self, lane: Lane, courtesy: Courtesy, origin: str) -> None:
        began = self._clock.monotonic()
        courtesy.sent(began)
        asked = await ask(origin, self._fetcher, self._clock.time())
        lane.asking = False
        known = self._consent.learn(lane, origin, permission(asked.copy, self._brief.agent, asked.reason))
        self._finish(lane, courtesy, began)
        self._outbox.put_robots(asked.copy, asked.records)
        if known.rules is not None:
            lane.robots_tries.pop(origin, None)
        else:
            self._robots_not_now(lane, courtesy, known.reason, asked)
        self.take_turns()

    def _robots_not_now(self, lane: Lane, courtesy: Courtesy, reason: str, asked: RobotsAsked) -> None:
        origin = asked.copy.origin
        tries = lane.robots_tries[origin] = lane.robots_tries.get(origin, 0) + 1
        now = self._loop.time()
        wait = asked.retry_after_seconds
        if wait is None:
            wait = self._retry_seconds(Url(f"http://{lane.host}/"), tries - 1)
        # A name without an address is mostly a typing error, a bad certificate stays one: no use in trying at once.
        hopeless = asked.kind is not None and (asked.kind is FailureKind.DNS or asked.kind not in TRANSIENT)
        if hopeless or tries >= ROBOTS_TRIES or wait > self._brief.patience_seconds:
            del lane.robots_tries[origin]
            self._leave(lane, asked, reason, max(wait, NOT_NOW_SECONDS))
        else:
            courtesy.hold(now + wait)

    def _leave(self, lane: Lane, asked: RobotsAsked, reason: str, wait: float) -> None:
        """A server that is busy is so for the whole host; one that is not there may be there on another port."""
        origin = asked.copy.origin
        if asked.copy.status in crawl.BUSY:
            self._give_back(lane, wire.BUSY, f"{lane.host} is left alone: {reason}", wait)
            return
        if origin in self.tools.assumed:
            self._fall_back(lane, asked, reason)
        if any(origin_of(task.url) == origin for task in lane.queue):
            failing = f"http_{asked.copy.status}" if asked.copy.status >= 500 else "robots"
            if asked.kind is not None:  # nothing answers there, whatever it is asked for
                reason = reason.removeprefix("robots.txt: ")
            self._give_back(lane, asked.kind or failing, f"{origin} is left alone: {reason}", wait, origin)

    def _fall_back(self, lane: Lane, asked: RobotsAsked, reason: str) -> None:
        """Nobody speaks https where it was assumed: the seeds are asked for by plain http."""
        rule, at = asked.kind or "", self._clock.time()
        outcome = Outcome.UNREACHABLE if rule in TRANSIENT else Outcome.FAILED
        for task in [task for task in lane.queue if origin_of(task.url) == asked.copy.origin]:
            if links := crawl.without_tls(task, asked.kind, asked.answered):
                self.note(f"{reason}; no scheme was given, so {links[0].url} is asked instead of {task.url}")
                self._outbox.put(Visit(task.key, task.url, task.depth, outcome, rule, reason, 0, at, 0, links=links))
                lane.queue.remove(task)
                self.queued -= 1
                self.done_with(task.key)

    # What is under way.

    def _wake_at(self, moment: float | None, now: float) -> None:
        """`now` is the moment by which the turns were looked at: what came due since then must not be missed."""
        if self._turn_timer is not None:
            self._turn_timer.cancel()
            self._turn_timer = None
        if moment is not None and moment > now:
            self._turn_timer = self._loop.call_later(max(moment - now, TICK_SECONDS), self.take_turns)

    def spawn(self, work: Coroutine[None, None, None]) -> None:
        running = self._loop.create_task(work)
        self._running.add(running)
        running.add_done_callback(self._ran)

    def _ran(self, running: asyncio.Task[None]) -> None:
        self._running.discard(running)
        if not running.cancelled() and (error := running.exception()) is not None:
            # A broken promise of our own: better a migrant that dies aloud than a page lost in silence.
            self._halted = True
            self._broke(error)
            return
        if self._halted and not self._running:
            self.take_turns()


def _sessions(
    fetcher: Fetcher, brief: wire.Brief, pause: Callable[[Url], Coroutine[None, None, None]]
) -> "Sessions | None":
    """Loaded only where there are credentials: most crawls have none."""
    if not brief.fetch.sites:
        return None
    from whimbrel.flows.visit.sessions import Sessions

    return Sessions(fetcher, brief.witnesses, pause)
