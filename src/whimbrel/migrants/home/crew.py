"""The migrants of a run: created and disposed with the load or by hand, moved, put to sleep, buried when they die.

Everything here happens between two commits, so that nothing of the books changes while they are being written.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from whimbrel.migrants.clock import Clock
from whimbrel.migrants.home import lifecycle, load, luggage
from whimbrel.migrants.home.balance import better_held, misplaced, shed, spread
from whimbrel.migrants.home.books import LaneBook
from whimbrel.migrants.home.briefs import Briefs
from whimbrel.migrants.home.deaths import Deaths
from whimbrel.migrants.home.ledger import Ledger
from whimbrel.migrants.home.lifecycle import MigrantState, Verb
from whimbrel.migrants.home.orders import MigrantOrder
from whimbrel.migrants.home.places import HERE, Atlas, MigrantPlace
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.home.reception import Reception
from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.channel import Carrier
from whimbrel.migrants.wire.itinerary import ORDINARY, Seal
from whimbrel.records.url import Url
from whimbrel.repository.contract import Lease
from whimbrel.repository.port.writer import Writer

START_SECONDS = 5.0
DROWSY_SECONDS = 60.0
AGAIN_SECONDS = 30.0
"""Between two looks at whether a site would be better off with another migrant."""

Rechoose = Callable[[LaneBook, Proxy, Sequence[Proxy], float], Proxy | None]


class Crew:
    """`give_up` is called with the lease of a page that killed whoever read it."""

    def __init__(
        self, store: Writer, briefs: Briefs, seal: Seal, ledger: Ledger, limits: load.CrewLimits, atlas: Atlas,
        carrier: Carrier, *, wake: Callable[[], None], hear: Callable[[Proxy, wire.FromMigrant], None],
        give_up: Callable[[Lease], Awaitable[None]], clock: Clock = time,
        lost_at: Callable[[str], None] = lambda _: None, rechoose: Rechoose | None = None,
    ) -> None:  # fmt: skip
        self._rechoose = rechoose
        self._clock = clock
        self._store = store
        self._briefs = briefs
        self._seal = seal
        self._ledger = ledger
        self._limits = limits
        self._atlas = atlas
        self._carrier = carrier
        self._wake = wake
        self._give_up = give_up
        self._lost_at = lost_at
        self._orders: list[MigrantOrder] = []
        self._intents: dict[str, MigrantOrder] = {}
        self._dead: list[Proxy] = []
        self._past_cpu_seconds = 0.0
        self._changed_at = self._rechosen_at = self._clock.monotonic()
        self.deaths = Deaths()
        self.alive: list[Proxy] = []
        self.asleep: dict[str, Proxy] = {}
        self._reception = Reception(self._briefs, ledger, self.alive, wake=wake, hear=hear, clock=clock)

    # Beginning and end.

    async def begin(self) -> None:
        for roll in self._store.roster.rolls():
            if roll.state in (MigrantState.ASLEEP, MigrantState.MOVING, MigrantState.WOKEN):
                sleeper = luggage.lay_down(roll, self._store, self._ledger, self._atlas, self._clock)
                self.asleep[sleeper.name] = sleeper
                if roll.state != MigrantState.ASLEEP:
                    await self._wake_up(sleeper)
            elif roll.state in lifecycle.ALIVE:
                self._store.roster.save(roll._replace(state=MigrantState.LOST))
        for _ in range(0 if self._all_elsewhere() else self._limits.fewest - len(self.near)):
            await self.create()

    async def _wake_up(self, proxy: Proxy) -> None:
        del self.asleep[proxy.name]
        await self._start(proxy)
        luggage.save(self._store, proxy, self._clock.time())

    async def end(self) -> None:
        await self._dismiss()
        self._store.roster.forget_old()
        for order in [*self._orders, *self._intents.values()]:
            order.refuse("the crawl has ended")

    def settled(self) -> bool:  # nobody is on the way from one place or state to another
        return not self._orders and not self._intents and all(p.state is not MigrantState.MOVING for p in self.alive)

    async def renew(self) -> None:
        """Those who were called home make way for others, who hold nothing yet."""
        await self._dismiss()
        for proxy in self.alive:
            self._past_cpu_seconds += proxy.cpu_seconds
            self._ledger.hands.leave(proxy)
        self.alive.clear()
        for _ in range(self._limits.fewest):
            await self.create()

    async def _dismiss(self) -> None:
        now = self._clock.time()
        for proxy in self.alive:
            proxy.cut()
        await asyncio.gather(*(proxy.end() for proxy in self.alive))
        for proxy in self.alive:
            proxy.state = MigrantState.DISPOSED
            self._store.roster.save(proxy.roll(now))

    @property
    def ready(self) -> list[Proxy]:
        return [proxy for proxy in self.alive if proxy.ready]

    @property
    def cpu_seconds(self) -> float:
        """Of all migrants of this run, also those that are gone."""
        return self._past_cpu_seconds + sum(proxy.cpu_seconds for proxy in [*self.alive, *self.asleep.values()])

    @property
    def drowsy(self) -> bool:
        """Whether somebody was put to sleep so lately that he may be meant to wake elsewhere."""
        return any(self._clock.monotonic() - proxy.slept_at < DROWSY_SECONDS for proxy in self.asleep.values())

    @property
    def gathering(self) -> bool:
        """Whether some of the first are still on their way: whoever is early must not get all the work."""
        started = self._clock.monotonic() - self._changed_at
        return started < START_SECONDS and any(p.state is MigrantState.CREATED and not p.lost for p in self.alive)

    async def create(self, parent: str = "", place: MigrantPlace | None = None) -> Proxy:
        proxy = Proxy(
            self._store.roster.name(),
            place or self._atlas.find(HERE) or MigrantPlace(),
            parent,
            self._clock.time(),
            self._clock,
        )
        proxy.errand = self._briefs.errand
        self._store.roster.save(proxy.roll(self._clock.time()))
        await self._start(proxy)
        return proxy

    async def _start(self, proxy: Proxy) -> None:
        proxy.state = MigrantState.CREATED
        if proxy.place.fault():
            proxy.place = MigrantPlace()  # it was there when the migrant was sent; its work is not lost with it
        self._changed_at = self._clock.monotonic()
        self.alive.append(proxy)
        proxy.errand = self._briefs.errand
        shelf = proxy.place.shelf(self._store.location.beside, self._seal.sender)
        proxy.shelf = str(shelf) if proxy.errand else ""
        await proxy.start(self._carrier, self._seal.public, self._reception.hear, self._reception.lost)

    # Between commits.

    def widen(self, seeds: list[Url]) -> None:
        """Whoever is there hears of it now, whoever comes later with the brief."""
        self._reception.widen(seeds)

    def arrivals(self) -> list[tuple[Proxy, wire.Luggage]]:
        """Luggage that came in; what was sent before it has been heard too, and is committed first."""
        self._dead = [proxy for proxy in self.alive if proxy.lost]
        return self._reception.arrivals()

    async def tend(self, arrived: list[tuple[Proxy, wire.Luggage]], ready_tasks: int) -> None:
        for proxy, brought in arrived:
            await self._unpack(proxy, brought)
        await self._bury_the_dead()
        greeted = self._reception.greeted()
        for proxy in greeted:
            proxy.state = MigrantState.ACTIVE
            if proxy.luggage:
                self._resume(proxy)
            self._store.roster.save(proxy.roll(self._clock.time()))
        if greeted:
            self._wake()  # they can be given work at once
        orders, self._orders = self._orders, []
        for order in orders:
            await self._obey(order)
        await self._follow_the_load(ready_tasks)
        await self._go_out()
        if len(self.ready) > 1:
            self._reception.ask_back(spread(self._ledger.books, self.ready, self._atlas.fits))
            self._choose_again()

    def _choose_again(self) -> None:
        """Sites were given out before anything was measured, and what is measured changes."""
        now = self._clock.monotonic()
        if self._rechoose is None or now - self._rechosen_at < AGAIN_SECONDS:
            return
        self._rechosen_at = now
        at, rechoose = self._clock.time(), self._rechoose

        def again(book: LaneBook, holder: Proxy, proxies: Sequence[Proxy]) -> Proxy | None:
            return None if self._reception.shares_address(holder, book.number) else rechoose(book, holder, proxies, at)

        self._reception.ask_back(better_held(self._ledger.books, self.ready, self._atlas.fits, again))

    async def _go_out(self) -> None:
        """Somebody is sent to every place that can be reached and has work at its sites; lanes whose migrant is at
        the wrong place change hands."""
        if not self._atlas.elsewhere:
            return
        manned = {proxy.place.name for proxy in self.alive}
        for place in self._atlas.elsewhere:
            if place.name not in manned and self._ledger.waits_at(place.sites) and self._atlas.reach(place.name):
                await self.create(place=place)
        self._reception.ask_back(misplaced(self._ledger.books, self.ready, self._atlas.fits))

    @property
    def near(self) -> list[Proxy]:
        """Those on home's own machine, whose number follows the load."""
        return [proxy for proxy in self.alive if not proxy.place.sites]

    def _all_elsewhere(self) -> bool:
        """Whether whatever is to be done is done at places: then nobody has to start here."""
        books = self._ledger.books if self._atlas.elsewhere else []
        at_places = (self._atlas.at(book.host) for book in books if book.stocked or book.leased)
        return bool(self._atlas.elsewhere) and all(at_places)

    async def _follow_the_load(self, ready_tasks: int) -> None:
        now, limits = self._clock.monotonic(), self._limits
        if self._all_elsewhere():
            limits, ready_tasks = msgspec.structs.replace(limits, fewest=0), 0
        workers = tuple(
            load.Worker(p.name, p.busy, len(p.leases), len(p.lanes), now - p.idle_since if p.idle_since else 0.0)
            for p in self.near
        )
        movable = sum(2 if book.divisible else 1 for book in self._ledger.books if book.stocked or book.leased)
        state = load.Load(workers, ready_tasks, movable, now - self._changed_at)
        move, name = load.decide(state, limits)
        if move is load.Move.CREATE:
            self._share(self._find(name), await self.create(name))
        elif move is load.Move.DISPOSE:
            await self._dispose(self._find(name), None)

    def _find(self, name: str) -> Proxy | None:
        return next((p for p in self.alive if p.name == name), self.asleep.get(name))

    def _share(self, parent: Proxy | None, child: Proxy) -> None:
        if parent is not None and parent.ready:
            self._reception.ask_back(shed(self._ledger.held_by(parent), parent, child))

    async def _unpack(self, proxy: Proxy, brought: wire.Luggage) -> None:
        now = self._clock.time()
        if not brought.all:
            for lane in brought.lanes:
                self._ledger.hands.inherit(proxy, lane, brought.slices, now)
            return
        order = self._intents.pop(proxy.name, None)
        proxy.luggage = self._ledger.hands.pack(proxy, brought.lanes, now)
        proxy.state = MigrantState.MOVING
        luggage.save(self._store, proxy, self._clock.time())
        await proxy.end()
        self.alive.remove(proxy)
        if order is None or order.verb is Verb.DISPOSE:
            self._free(proxy)
        elif order.verb is Verb.DEACTIVATE:
            self._fall_asleep(proxy)
        else:
            proxy.place = order.destination(proxy, self._atlas)
            await self._start(proxy)
        if order is not None:
            order.done(f"{proxy.name} is {proxy.state}, at {proxy.place.name}")

    def _fall_asleep(self, proxy: Proxy) -> None:
        proxy.state = MigrantState.ASLEEP
        proxy.slept_at = self._clock.monotonic()
        self.asleep[proxy.name] = proxy
        luggage.save(self._store, proxy, self._clock.time())

    def _free(self, proxy: Proxy) -> None:
        """Its work is for anybody; hosts are left alone as long as it would have left them."""
        now = self._clock.time()
        self._ledger.hands.leave(proxy)
        proxy.luggage = []
        proxy.state = MigrantState.DISPOSED
        self._past_cpu_seconds += proxy.cpu_seconds
        self._store.roster.save(proxy.roll(now))

    def _resume(self, proxy: Proxy) -> None:
        """The queue it came with, in the order it had."""
        now = self._clock.time()
        lanes = [lane for lane in proxy.luggage if lane.tasks]
        proxy.luggage = []
        waiting = [self._ledger.reintroduce(proxy, lane, now) for lane in lanes]
        sealed = self._seal.itinerary(proxy.name, self._briefs.digest(proxy), ORDINARY, now, waiting)
        proxy.tell(wire.Work([sealed], 0, -1))

    # The dead.

    async def _bury_the_dead(self) -> None:
        """A migrant that died is replaced; its lanes wait one full delay, its page is not tried for ever. One that has
        not been heard of for long is as good as dead: its pulse stops only while a page holds it."""
        for proxy in self.alive:
            patience = proxy.place.patience_seconds
            if not proxy.lost and self._clock.monotonic() - proxy.heard_at > patience:
                proxy.fault = f"nothing was heard of it for {patience:.0f} s"
                proxy.cut()
        for proxy in [p for p in self._dead if p in self.alive and p.lost]:
            await self._bury(proxy)

    async def _bury(self, proxy: Proxy) -> None:
        if not proxy.place.sites:
            self.deaths.another(proxy.fault)
        else:
            self._lost_at(proxy.place.name)
        self.alive.remove(proxy)
        culprit = proxy.reading()
        poisoned = proxy.leases.get(culprit)
        if order := self._intents.pop(proxy.name, None):
            order.refuse(f"{proxy.name} died before its queue was saved; its work is free for others")
        await proxy.end()
        proxy.state = MigrantState.LOST
        self._past_cpu_seconds += proxy.cpu_seconds
        self._store.roster.save(proxy.roll(self._clock.time()))
        replaced = not proxy.place.sites and len(self.near) < self._limits.fewest
        heir = await self.create(proxy.name, proxy.place) if replaced else None
        self._ledger.hands.take_back(proxy, heir)
        if poisoned is not None and self.deaths.over(culprit):
            await self._give_up(poisoned)
            self.deaths.in_a_row = 0

    # By hand.

    def ask(self, verb: Verb, name: str, place: str = "") -> "asyncio.Future[str]":
        """What a person asks for is done between commits; the answer comes when it is."""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._orders.append(MigrantOrder(verb, name, place, answer))
        self._wake()
        return answer

    async def _obey(self, order: MigrantOrder) -> None:
        if order.verb is Verb.CREATE:
            return await self._obey_create(order)
        proxy = self._find(order.name)
        if proxy is None:
            names = ", ".join([p.name for p in self.alive] + list(self.asleep)) or "none"
            return order.refuse(f"there is no migrant {order.name}; there are: {names}")
        verdict = lifecycle.judge(proxy.name, proxy.state, order.verb)
        fault = verdict.reason or order.fault(self._atlas)
        if fault:
            return order.refuse(fault)
        match order.verb:
            case Verb.CLONE:
                child = await self.create(proxy.name, order.destination(proxy, self._atlas))
                self._make_room()
                self._share(proxy, child)
                order.done(f"{child.name} is born of {proxy.name}, at {child.place.name}")
            case Verb.ACTIVATE:
                proxy.place = order.destination(proxy, self._atlas)
                await self._wake_up(proxy)
                order.done(f"{proxy.name} is awake, at {proxy.place.name}")
            case Verb.DISPOSE:
                await self._dispose(proxy, order)
            case _:
                self._pack(proxy, order)
        return None

    async def _obey_create(self, order: MigrantOrder) -> None:
        if fault := order.fault(self._atlas):
            return order.refuse(fault)
        child = await self.create(place=self._atlas.find(order.place) if order.place else None)
        self._make_room()
        return order.done(f"{child.name} is born, at {child.place.name}; hosts and shares of hosts come to it")

    def _make_room(self) -> None:
        """Whoever is made by hand stays, whatever the limits were."""
        self._limits = msgspec.structs.replace(self._limits, most=max(self._limits.most, len(self.alive)))

    async def _dispose(self, proxy: Proxy | None, order: MigrantOrder | None) -> None:
        if proxy is None:
            return
        if proxy.state is MigrantState.ASLEEP:
            del self.asleep[proxy.name]
            self._free(proxy)
            if order is not None:
                order.done(f"{proxy.name} is disposed; its work is for the others")
            return
        self._limits = msgspec.structs.replace(self._limits, fewest=min(self._limits.fewest, len(self.alive) - 1))
        self._changed_at = self._clock.monotonic()
        if order is not None:
            self._pack(proxy, order)
        else:
            proxy.state = MigrantState.MOVING
            proxy.tell(wire.Pack())

    def _pack(self, proxy: Proxy, order: MigrantOrder) -> None:
        if order.verb is Verb.DEACTIVATE:
            self._limits = msgspec.structs.replace(self._limits, fewest=min(self._limits.fewest, len(self.alive) - 1))
        self._intents[proxy.name] = order
        proxy.state = MigrantState.MOVING
        proxy.tell(wire.Pack())
