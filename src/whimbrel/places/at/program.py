"""The program of a place: dials its homes, starts migrants when they call, and hands on what the two say to each other.

Migrants are processes of their own, the same as at home. They keep to the owner's terms because they are started with
them, and because this program stands between: what leaves is counted and written down here first.
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
from whimbrel.migrants.wire.channel import Channel, HouseRules, Journey, Passport
from whimbrel.migrants.wire.local import Local
from whimbrel.places.at.caps import Capped, Caps
from whimbrel.places.at.dead_links import MissingBook
from whimbrel.places.at.diary import Diary, leaf_of
from whimbrel.places.at.joining import SPOKEN, JoinRefused, Membership, PlaceFolder, knock, pinned
from whimbrel.places.at.resident import SHOWN, Resident
from whimbrel.places.at.terms import HomeTerms, PlaceTerms, TermsError, load_terms, open_at, size
from whimbrel.places.link import subjects
from whimbrel.places.link.calls import Call, Called, Here, Notice, encode, opened_call
from whimbrel.places.link.dial import Dial, DialError, ServerAddress
from whimbrel.places.link.keys import KeyPair
from whimbrel.places.link.line import Line
from whimbrel.places.link.packing import agreed, packing_for

HERE_SECONDS = 15.0
LOOK_SECONDS = 1.0
ALONE_SECONDS = 86_400.0
"""So long a migrant goes on without hearing from home."""
KNOCK_SECONDS = 30.0


class Guest(Struct):
    """A migrant that works here for a home."""

    call: Call
    line: Line
    channel: Channel
    relay: "asyncio.Task[None]"
    cpu_seconds: float = 0.0
    memory_bytes: int = 0


class HomeDesk:
    """Everything about one home: the connection to it, and its migrants here."""

    def __init__(self, program: "PlaceProgram", membership: Membership) -> None:
        self._program = program
        self.membership = membership
        self._word = os.urandom(8).hex()
        self._guests: dict[str, Guest] = {}
        self._run = ""
        self._requests = 0
        self._raw_bytes = self._packed_bytes = 0
        address = ServerAddress(membership.servers, membership.certificate)
        self._dial = Dial(address, program.key, lambda: self.membership.jwt, membership.place)
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
                self.membership = await knock(
                    self._program.folder, self.membership, KNOCK_SECONDS, self._program.version
                )
            except DialError as error:
                self._program.say(f"{error}; trying again")
                await asyncio.sleep(LOOK_SECONDS)
            except JoinRefused as error:
                self._program.say(f"home does not let this place in: {error}")
                return False
        return True

    def _back(self) -> None:
        self._program.say(f"connected to {', '.join(self.membership.servers)} as `{self.membership.place}`")
        self.tell_here()
        for guest in self._guests.values():
            guest.line.back()

    def _publish(self, kind: str, data: bytes) -> None:
        self._dial.publish(subjects.up(self.membership.place, kind), data)

    def tell(self, notice: Notice) -> None:
        self._publish("notice", encode(notice))

    def tell_here(self) -> None:
        place, terms = self._program, self._program.terms.of(self.home)
        disk = shutil.disk_usage(place.folder.path)
        here = Here(
            self._word, place.version, SPOKEN, list(terms.sites if terms else ()), _limits(place.terms, terms),
            len(self._guests), os.getloadavg()[0], _free_memory(), disk.free, place.diary.total(self.home),
            place.diary.today(self.home, time.time()), self._requests, self._why_not(terms),
        )  # fmt: skip
        self._publish("here", encode(here))

    def _why_not(self, terms: HomeTerms | None) -> str:
        return self._program.why_not(self.home, terms)

    # What home says.

    def _hear(self, subject: str, data: bytes) -> None:
        self.heard_at = time.monotonic()
        _, _, _, kind, *rest = subject.split(".")
        if kind == "line" and rest and rest[0] in self._guests:
            self._guests[rest[0]].line.arrived(data)
        elif kind == "roll":
            self.tell_here()
        elif kind == "call":
            try:
                call = opened_call(data, bytes.fromhex(self.home))
            except wire.WireError as error:
                self._program.say(f"refused: {error}")
                return
            self._program.spawn(self._take_in(call))

    async def _take_in(self, call: Call) -> None:
        if call.channel in self._guests:  # the answer was lost
            self._publish("called", encode(Called(call.channel, call.packings[0])))
            return
        why_not = self._refused(call)
        packing = agreed(call.packings)
        if not why_not and not packing:
            why_not = f"none of the ways to pack messages ({', '.join(call.packings)}) is known here"
        if why_not:
            self._program.say(f"a call was refused: {why_not}")
            self._publish("called", encode(Called(call.channel, why_not=why_not)))
            return
        if call.run != self._run:  # home began anew: it knows nothing of those it called before
            self.send_away()
            self._run = call.run
        await self._start(call, packing)

    def _refused(self, call: Call) -> str:
        terms = self._program.terms.of(self.home)
        if call.place != self.membership.place:
            return f"it is meant for {call.place}, this is {self.membership.place}"
        if call.word != self._word:
            return "it was made for another run of this place's program"
        if call.wire not in SPOKEN:
            return f"home speaks version {call.wire} of the wire, this place {SPOKEN}: bring the older up to date"
        if len(self._program.guests) >= self._program.terms.place.migrants:
            return f"{self._program.terms.place.migrants} migrants are here already, as many as the owner allows"
        return self._why_not(terms)

    async def _start(self, call: Call, packing: str) -> None:
        terms = self._program.terms.of(self.home)
        assert terms is not None, "asked before"
        rules = self._program.rules(self.home, terms, call.home_time - time.time())
        shelf = self._program.folder.sites(self.home)
        shelf.mkdir(parents=True, exist_ok=True)
        passport = Passport(call.migrant, bytes.fromhex(self.home), str(shelf / "shelf.sqlite"), True, rules)
        place = self.membership.place
        line = Line(
            lambda frame: self._publish(f"line.{call.channel}", frame),
            self._dial.most,
            packing_for(packing, "place", shelf),
        )
        cores = tuple(sorted(os.sched_getaffinity(0))[: max(1, ceil(self._program.terms.place.cpu))])
        channel = await Local().open(Journey(passport, place, str(self._program.folder.path), cores))
        guest = Guest(call, line, channel, asyncio.create_task(asyncio.sleep(0)))
        guest.relay = asyncio.create_task(self._relay(guest))
        self._guests[call.channel] = guest
        self._publish("called", encode(Called(call.channel, packing)))
        line.open()
        self._program.say(f"{call.migrant} works here")

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
            guest.line.cut()
            await guest.channel.close()
            self._program.say(f"{guest.call.migrant} has ended")

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
                self._program.missing.hear(said.visits)
            left = guest.line.offered_bytes - before
            if isinstance(said, wire.Parcel):
                self._raw_bytes += len(message)
                self._packed_bytes += left
            if left:
                self._program.diary.write(leaf_of(said, left, self.home, guest.call.migrant, time.time()))

    def _may_leave(self, raw_bytes: int) -> bool:
        """Whether a parcel keeps within what may leave a day; how small it gets is known from those before it."""
        terms = self._program.terms.of(self.home)
        if terms is None:
            return False
        small = raw_bytes * self._packed_bytes / max(1, self._raw_bytes) if self._raw_bytes else 0.0
        left = size("bytes_a_day", terms.bytes_a_day) - self._program.diary.today(self.home, time.time())
        if small > left:
            self._program.spent[self.home] = today()
        return small <= left

    def send_away(self) -> None:
        for guest in self._guests.values():
            guest.channel.cut()

    def look(self) -> None:
        """The owner's terms are kept while migrants work, too."""
        why_not = self._why_not(self._program.terms.of(self.home))
        if not why_not and time.monotonic() - self.heard_at > ALONE_SECONDS:
            why_not = "nothing was heard of home for a day"
        if why_not and self._guests:
            self._program.say(f"migrants are sent away: {why_not}")
            self.send_away()
            self.tell_here()


class PlaceProgram:
    """Runs until it is told to stop. `say` hears what an owner may want to read."""

    def __init__(self, folder: PlaceFolder, say: Callable[[str], None], version: str) -> None:
        self.folder = folder
        self.version = version
        self.say = say
        self.key: KeyPair = folder.key()
        self.terms: PlaceTerms = load_terms(folder.path)
        self.diary = Diary(folder.path)
        self.missing = MissingBook(folder.path)
        self.desks = [HomeDesk(self, membership) for membership in folder.memberships()]
        self._tasks: set[asyncio.Task[None]] = set()
        self._terms_at = 0
        self._paused = folder.paused
        self.spent: dict[str, str] = {}
        """On which day a home had so much that the next parcel would be too much."""
        self._caps = Caps(self._capped, self._end)

    def _capped(self) -> list[Capped]:
        return [Capped(guest.channel.peer().pid, desk.home) for desk in self.desks for guest in desk.guests]

    def _allowed(self) -> tuple[float, int]:
        return self.terms.place.cpu, size("memory", self.terms.place.memory)

    def _end(self, pid: int, why: str) -> None:
        for guest in self.guests:
            if guest.channel.peer().pid == pid:
                self.say(f"{guest.call.migrant} is ended: {why}")
                guest.channel.cut()

    @property
    def guests(self) -> list[Guest]:
        return [guest for desk in self.desks for guest in desk.guests]

    def spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def run(self) -> None:
        running = [asyncio.create_task(desk.run()) for desk in self.desks]
        looking = asyncio.create_task(self._look())
        self.say(f"limits are kept by {self._caps.words}")
        self.spawn(self._caps.run(self._allowed))
        if self.terms.folder:
            mapped = [(folder.url, folder.path) for folder in self.terms.folder]
            self.spawn(Resident(mapped, self.folder.path, self._tell, self.missing).run())
        try:
            await asyncio.gather(*running)
        finally:
            for task in (*running, looking, *self._tasks):
                task.cancel()
            relays = [guest.relay for guest in self.guests]
            for guest in self.guests:
                guest.channel.cut()
            await asyncio.gather(*running, looking, *self._tasks, *relays, return_exceptions=True)

    def _tell(self, notice: Notice) -> None:
        """What changed is told to homes that were let in for its site."""
        for desk in self.desks:
            terms = self.terms.of(desk.home)
            if terms is not None and notice.host in terms.sites and not self.why_not(desk.home, terms):
                desk.tell(notice)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self._read_terms()
            for desk in self.desks:
                desk.look()

    def _read_terms(self) -> None:
        try:
            at = (self.folder.path / "place.toml").stat().st_mtime_ns
            if at != self._terms_at:
                self.terms, self._terms_at = load_terms(self.folder.path), at
        except (OSError, TermsError) as error:
            self.say(f"{error}; what was allowed before still holds")
        if self.folder.paused != self._paused:
            self._paused = self.folder.paused
            for desk in self.desks:
                desk.tell_here()

    def why_not(self, home: str, terms: HomeTerms | None) -> str:
        """Why no migrant of this home may work here now, by the owner's terms; empty where one may."""
        if terms is None:
            return "the owner's place.toml names this home no more"
        if self.folder.paused:
            return "the owner has paused it"
        now = time.time()
        local = time.localtime(now)
        if not open_at(self.terms.place.hours, 60 * local.tm_hour + local.tm_min):
            when = time.strftime("%H:%M", local)
            return f"the owner allows work at {self.terms.place.hours} o'clock; it is {when}"
        whole = self.diary.today(home, now) >= size("bytes_a_day", terms.bytes_a_day)
        if whole or self.spent.get(home) == today():
            return f"the {terms.bytes_a_day} that may leave a day have left"
        return ""

    def rules(self, home: str, terms: HomeTerms, ahead_seconds: float) -> HouseRules:
        """What a migrant of this home has to keep to."""
        place = self.terms.place
        return HouseRules(
            sites=tuple(terms.sites),
            delay_seconds=1.0 / terms.requests_per_second,
            held=str(self.folder.held(home)),
            held_bytes=size("disk", place.disk) // max(1, len(self.desks)),
            ahead_seconds=ahead_seconds,
            memory_bytes=size("memory", place.memory) // place.migrants,
            folders=tuple((folder.url, folder.path) for folder in self.terms.folder),
            shown=str(self.folder.path / SHOWN),
        )


def today() -> str:
    return time.strftime("%Y-%m-%d")


async def what_would_happen(folder: PlaceFolder) -> list[str]:
    """For each home whether it can be reached and what it might ask for; nothing is sent."""
    terms = load_terms(folder.path)
    lines = []
    for membership in folder.memberships():
        allowed = terms.of(membership.home)
        lines.append(f"home {membership.home[:16]}, as place `{membership.place}`:")
        if allowed is None:
            lines.append("  place.toml does not name it: nothing would be read or sent")
            continue
        try:
            if membership.invitation is not None:
                await pinned(membership.invitation)
            lines.append(f"  would dial {', '.join(membership.servers)}, known by its certificate")
        except (DialError, JoinRefused) as error:
            lines.append(f"  cannot be reached now: {error}")
        lines.append(f"  would read {', '.join(allowed.sites)}, {allowed.requests_per_second:g} requests a second each")
        lines += [f"  from the folder {one.path} for {one.url}" for one in terms.folder]
        lines.append(
            f"  would send the pages it is asked for, at most {allowed.bytes_a_day} a day, and how it is doing"
        )
    return lines


def _limits(terms: PlaceTerms, home: HomeTerms | None) -> dict[str, float | str]:
    place = terms.place
    limits: dict[str, float | str] = {
        "cpu": place.cpu, "memory": place.memory, "disk": place.disk, "hours": place.hours,
    }  # fmt: skip
    if home is not None:
        limits |= {"requests_per_second": home.requests_per_second, "bytes_a_day": home.bytes_a_day}
    return limits


def _free_memory() -> int:
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
