"""Everything about one home: the connection to it, and its migrants at this place, whose words it hands on both ways.

What leaves is counted and written down here first.
"""

import asyncio
import contextlib
import os
import shutil
import time
from collections.abc import Callable, Coroutine
from math import ceil

from msgspec import Struct

from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.channel import Channel, Journey, Passport
from whimbrel.migrants.wire.local import Local
from whimbrel.migrants.wire.speech import SPOKEN, who_is_old
from whimbrel.places.at.diary import leaf_of
from whimbrel.places.at.house import House, today
from whimbrel.places.at.joining import JoinRefused, Membership, knock
from whimbrel.places.at.terms import HomeTerms, size
from whimbrel.places.link import subjects
from whimbrel.places.link.calls import Call, Called, Here, Notice, encode, mark, opened_call
from whimbrel.places.link.dial import Dial, DialError, ServerAddress
from whimbrel.places.link.line import Line
from whimbrel.places.link.packing import agreed, packing_for

HERE_SECONDS = 25.0
"""Home takes a place for away after a minute of silence."""
ALONE_SECONDS = 86_400.0
"""So long a migrant goes on without hearing from home."""
KNOCK_SECONDS = 30.0
MOST_UNTOLD = 100
MOST_AGAIN = 3
ECHO_BYTES = 16
AGAIN_SECONDS = 1.0

Spawn = Callable[[Coroutine[None, None, None]], None]


class Guest(Struct):
    """A migrant that works here for a home."""

    call: Call
    line: Line
    channel: Channel
    relay: "asyncio.Task[None]"
    cpu_seconds: float = 0.0
    memory_bytes: int = 0


class Untold(Struct):
    """A notice that home has not taken in yet, and how often it was said again."""

    data: bytes
    again: int = 0


class HomeDesk:
    """Everything about one home: the connection to it, and its migrants here."""

    def __init__(self, house: House, membership: Membership, spawn: Spawn, full: Callable[[], bool]) -> None:
        """`full` says whether as many migrants are here as may be, of all homes."""
        self._house = house
        self._spawn = spawn
        self._full = full
        self.membership = membership
        self._word = os.urandom(8).hex()
        self._guests: dict[str, Guest] = {}
        self._untold: dict[bytes, Untold] = {}
        self._run = ""
        self._used: set[str] = set()
        self._requests = 0
        self._raw_bytes = self._packed_bytes = 0
        address = ServerAddress(membership.servers, membership.certificate)
        self._dial = Dial(address, house.key, lambda: self.membership.jwt, membership.place)
        self._dial.subscribe(subjects.down(membership.place, ">"), self._hear)
        self._dial.on_connected.append(self._back)
        self.heard_at = time.monotonic()

    @property
    def home(self) -> str:
        return self.membership.home

    @property
    def guests(self) -> list[Guest]:
        return list(self._guests.values())

    async def run(self) -> None:
        if not await self._joined():
            return
        self._dial.start()
        try:
            while True:
                self.tell_here()
                await asyncio.sleep(HERE_SECONDS)
        finally:
            self.send_away()
            await self._dial.close()

    async def _joined(self) -> bool:
        """Until home has answered the invitation, however long it is away; False where it says no."""
        while not self.membership.jwt:
            try:
                self.membership = await knock(self._house.folder, self.membership, KNOCK_SECONDS, self._house.version)
            except DialError as error:
                self._house.say(f"{error}; trying again")
                await asyncio.sleep(AGAIN_SECONDS)
            except JoinRefused as error:
                self._house.say(f"home does not let this place in: {error}")
                return False
        return True

    def _back(self) -> None:
        self._house.say(f"connected to {', '.join(self.membership.servers)} as `{self.membership.place}`")
        self.tell_here()
        self._tell_again()
        for guest in self._guests.values():
            guest.line.back()

    def _publish(self, kind: str, data: bytes) -> None:
        self._dial.publish(subjects.up(self.membership.place, kind), data)

    def tell(self, notice: Notice) -> None:
        data = encode(notice)
        self._untold[mark(data)] = Untold(data)
        while len(self._untold) > MOST_UNTOLD:
            del self._untold[next(iter(self._untold))]
        self._publish("notice", data)

    def _tell_again(self) -> None:
        """Home is back: what it did not take in may have come while it was away. Homes before this release never say
        that they did."""
        for name, one in list(self._untold.items()):
            one.again += 1
            if one.again >= MOST_AGAIN:
                del self._untold[name]
            self._publish("notice", one.data)

    def tell_here(self) -> None:
        house, terms = self._house, self._terms
        disk = shutil.disk_usage(house.folder.path)
        here = Here(
            self._word, house.version, SPOKEN, list(terms.sites if terms else ()), house.limits(self.home),
            len(self._guests), os.getloadavg()[0], _free_memory(), disk.free, house.diary.total(self.home),
            house.diary.today(self.home, time.time()), self._requests, house.why_not(self.home),
            cores=os.cpu_count() or 0,
        )  # fmt: skip
        self._publish("here", encode(here))

    @property
    def _terms(self) -> HomeTerms | None:
        return self._house.terms.of(self.home)

    # What home says.

    def _hear(self, subject: str, data: bytes) -> None:
        self.heard_at = time.monotonic()
        _, _, _, kind, *rest = subject.split(".")
        if kind == "line" and rest and rest[0] in self._guests:
            self._guests[rest[0]].line.arrived(data)
        elif kind == "roll":
            self.tell_here()
            self._tell_again()
        elif kind == "noticed":
            self._untold.pop(data, None)
        elif kind == "echo":
            self._publish("echo", data[:ECHO_BYTES])
        elif kind == "call":
            try:
                call = opened_call(data, bytes.fromhex(self.home))
            except wire.WireError as error:
                self._house.say(f"refused: {error}")
                return
            self._spawn(self._take_in(call))

    async def _take_in(self, call: Call) -> None:
        if call.channel in self._guests:  # the answer was lost
            self._publish("called", encode(Called(call.channel, call.packings[0])))
            return
        why_not = self._refused(call)
        packing = agreed(call.packings)
        if not why_not and not packing:
            why_not = f"none of the ways to pack messages ({', '.join(call.packings)}) is known here"
        if why_not:
            self._house.say(f"a call was refused: {why_not}")
            self._publish("called", encode(Called(call.channel, why_not=why_not)))
            return
        if call.run != self._run:  # home began anew: it knows nothing of those it called before
            self.send_away()
            self._run = call.run
        await self._start(call, packing)

    def _refused(self, call: Call) -> str:
        if call.place != self.membership.place:
            return f"it is meant for {call.place}, this is {self.membership.place}"
        if call.word != self._word:
            return "it was made for another run of this place's program"
        if call.channel in self._used:
            return "it was used before"
        if call.wire not in SPOKEN:
            return who_is_old([call.wire], "home", f"place `{call.place}`")
        if self._full():
            return f"{self._house.terms.place.migrants} migrants are here already, as many as the owner allows"
        return self._house.why_not(self.home)

    async def _start(self, call: Call, packing: str) -> None:
        rules = self._house.rules(self.home, call.home_time - time.time())
        shelf = self._house.folder.sites(self.home)
        shelf.mkdir(parents=True, exist_ok=True)
        passport = Passport(call.migrant, bytes.fromhex(self.home), str(shelf / "shelf.sqlite"), True, rules, call.wire)
        place = self.membership.place
        line = Line(
            lambda frame: self._publish(f"line.{call.channel}", frame),
            self._dial.most,
            packing_for(packing, "place", shelf),
        )
        cores = tuple(sorted(os.sched_getaffinity(0))[: max(1, ceil(self._house.terms.place.cpu))])
        channel = await Local().open(Journey(passport, place, str(self._house.folder.path), cores))
        guest = Guest(call, line, channel, asyncio.create_task(asyncio.sleep(0)))
        guest.relay = asyncio.create_task(self._relay(guest))
        self._guests[call.channel] = guest
        self._publish("called", encode(Called(call.channel, packing)))
        line.open()
        self._house.say(f"{call.migrant} works here")

    # Between home and a migrant.

    async def _relay(self, guest: Guest) -> None:
        ways = [asyncio.create_task(self._downwards(guest)), asyncio.create_task(self._upwards(guest))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            if ways[1].done():  # the migrant is gone: what it said last still goes home
                await guest.line.close()
        finally:
            for way in ways:
                way.cancel()
            self._guests.pop(guest.call.channel, None)
            self._used.add(guest.call.channel)
            guest.line.cut()
            await guest.channel.close()
            self._house.say(f"{guest.call.migrant} has ended")

    async def _downwards(self, guest: Guest) -> None:
        with contextlib.suppress(wire.WireError):
            while (message := await guest.line.receive()) is not None:
                guest.channel.send(message)

    async def _upwards(self, guest: Guest) -> None:
        while (message := await guest.channel.receive()) is not None:
            said = wire.read_from_migrant(message)
            if isinstance(said, wire.Pulse):
                guest.cpu_seconds, guest.memory_bytes = said.cpu_seconds, said.memory_bytes
            if isinstance(said, wire.Parcel) and not self._may_leave(len(message)):
                self.send_away()  # it stays in the folder of what is held, and leaves tomorrow
                self.tell_here()
                return
            before = guest.line.offered_bytes
            guest.line.send(message)
            if isinstance(said, wire.Parcel):
                self._requests += len(said.visits)
                self._house.missing.hear(said.visits)
            left = guest.line.offered_bytes - before
            if isinstance(said, wire.Parcel):
                self._raw_bytes += len(message)
                self._packed_bytes += left
            if left:
                self._house.diary.write(leaf_of(said, left, self.home, guest.call.migrant, time.time()))

    def _may_leave(self, raw_bytes: int) -> bool:
        """Whether a parcel keeps within what may leave a day; how small it gets is known from those before it."""
        terms = self._terms
        if terms is None:
            return False
        small = raw_bytes * self._packed_bytes / max(1, self._raw_bytes) if self._raw_bytes else 0.0
        left = size("bytes_a_day", terms.bytes_a_day) - self._house.diary.today(self.home, time.time())
        if small > left:
            self._house.spent[self.home] = today()
        return small <= left

    def send_away(self) -> None:
        for guest in self._guests.values():
            guest.channel.cut()

    def look(self) -> None:
        """The owner's terms are kept while migrants work, too."""
        why_not = self._house.why_not(self.home)
        if not why_not and time.monotonic() - self.heard_at > ALONE_SECONDS:
            why_not = "nothing was heard of home for a day"
        if why_not and self._guests:
            self._house.say(f"migrants are sent away: {why_not}")
            self.send_away()
            self.tell_here()


def _free_memory() -> int:
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
