"""Home while it is there for its places: lets in who knocks, hears how each is, and carries migrants' lines."""

import asyncio
import contextlib
import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from whimbrel.migrants.clock import Clock
from whimbrel.migrants.home.places import PlaceMeasured
from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.itinerary import Seal, seal_of
from whimbrel.migrants.wire.messages import VERSION
from whimbrel.migrants.wire.speech import SPOKEN, common
from whimbrel.places.home.awaiting import Awaiting
from whimbrel.places.home.belief import Trust
from whimbrel.places.home.book import BookedPlace, PlaceBook, PlaceStanding
from whimbrel.places.home.identity import identity_of
from whimbrel.places.home.inviting import admit
from whimbrel.places.home.server import Server, reload
from whimbrel.places.home.ways import MeasuredWays, measured
from whimbrel.places.link import subjects
from whimbrel.places.link.calls import Call, Called, Here, Knock, LetIn, Notice, decode, encode, mark
from whimbrel.places.link.dial import Dial, ServerAddress
from whimbrel.places.link.line import Line
from whimbrel.places.link.packing import PACKINGS, packing_for

LOOK_SECONDS = 1.0
NOTE_SECONDS = 30.0
SILENT_SECONDS = 60.0
CALL_SECONDS = 5.0
CALLS = 6
UNFIT_SECONDS = 10.0
FAILURES = 3
"""So often migrants may be lost at a place before a run goes there no more."""


class Presence(Struct):
    """A place that was heard of in this run; `at` is home's own count of seconds."""

    here: Here
    at: float


class Ear(Struct):
    """A line, the place at its other end, and the call that opens it."""

    place: str
    line: Line
    call: Call
    answered: bool = False


class Keeper:
    """Everything a place says arrives here under a subject that only that place may use."""

    def __init__(self, beside: Path, clock: Clock = time) -> None:
        self.book = PlaceBook(beside)
        self._own = self.book.read().own
        self._identity = identity_of(self.book.folder, self._own)
        self._seal: Seal = seal_of(beside)
        self._clock = clock
        self._server = Server(self.book, self._identity)
        self._run = os.urandom(8).hex()
        self._ears: dict[str, Ear] = {}
        self._present: dict[str, Presence] = {}
        self._unfit_until: dict[str, float] = {}
        self._failures: dict[str, int] = {}
        self._trust: dict[str, Trust] = {}
        self._crossed: Counter[str] = Counter()
        self._ways = MeasuredWays()
        self._excused: set[str] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._booked = self.book.read()
        self._booked_at = self.book.changed_at()
        self.awaiting = Awaiting(clock)
        self._dial: Dial | None = None
        self.on_notice: Callable[[str, Notice], bool] = lambda place, notice: False
        """Whether it was taken in."""
        self.on_change: Callable[[], None] = lambda: None

    # Beginning and end.

    async def open(self) -> None:
        if self._own is None:
            await self._server.open()
        self._reread()
        listen = self._booked.listen if self._booked.listen not in ("0.0.0.0", "::") else "127.0.0.1"
        servers = self._own.servers if self._own is not None else (f"{listen}:{self._booked.port}",)
        address = ServerAddress(servers, self._identity.certificate)
        dial = Dial(address, self._identity.home, self._identity.home_jwt, "home")
        dial.subscribe(f"{subjects.ROOT}.*.up.>", self._hear)
        dial.subscribe(f"{subjects.ROOT}-door.*.knock", self._answer_door)
        dial.on_connected.append(self._back)
        dial.start()
        self._dial = dial
        self.awaiting.begin()
        self._tasks = [asyncio.create_task(self._look()), asyncio.create_task(self._note())]

    async def connected(self) -> None:
        assert self._dial is not None, "opened first"
        await self._dial.connected.wait()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self._write_down()
        if self._dial is not None:
            await self._dial.close()
        await self._server.close()

    def _back(self) -> None:
        """Whoever was connected before us has said so to nobody."""
        assert self._dial is not None, "it is what connected"
        for place in self.places:
            self._dial.publish(subjects.down(place.name, "roll"), b"")
        for ear in self._ears.values():
            ear.line.back()

    # Who is there.

    def reach(self, name: str) -> bool | None:
        """Whether migrants may go there now; None while that is not known yet."""
        now = self._clock.monotonic()
        booked = self._booked.places.get(name)
        if booked is None or booked.standing is not PlaceStanding.JOINED or self._clock.time() > booked.expires_at:
            return False
        if self.trust(name).doubt or self._failures.get(name, 0) >= FAILURES or self._unfit_until.get(name, 0.0) > now:
            return False
        presence = self._present.get(name)
        if presence is None:
            return None if self.awaiting.may_come(booked) else False
        return now - presence.at < SILENT_SECONDS and not presence.here.why_not and bool(common(presence.here.wire))

    def measured(self, name: str) -> PlaceMeasured:
        """The way there and the machine, as last heard of."""
        presence = self._present.get(name)
        gauge = self._ways.gauge(name, self._booked.places.get(name))
        return measured(gauge, presence.here if presence is not None else None)

    def trust(self, name: str) -> Trust:
        """What is believed of a place; whoever looks at its pages changes it, and it is written down now and then."""
        if name not in self._trust:
            booked = self._booked.places.get(name)
            self._trust[name] = booked.trust if booked is not None else Trust()
        return self._trust[name]

    def disbelieve(self, name: str, why: str) -> None:
        """The place is asked for nothing any more, and what it still sends is not heard."""
        self.trust(name).doubt = why
        self._write_down()
        self._reread()
        for ear in self._ears.values():
            if ear.place == name:
                ear.line.fail(f"place `{name}` is not believed any more")

    @property
    def places(self) -> list[BookedPlace]:
        return [one for one in self._booked.places.values() if one.standing is PlaceStanding.JOINED]

    def failed(self, name: str) -> None:
        """A migrant there was lost; others have the work for a while."""
        if name in self._excused:
            self._excused.discard(name)
            return
        self._failures[name] = self._failures.get(name, 0) + 1
        self._unfit_until[name] = self._clock.monotonic() + UNFIT_SECONDS

    def _reread(self) -> None:
        at = self.book.changed_at()
        if at != self._booked_at:
            self._booked, self._booked_at = self.book.read(), at

    async def _look(self) -> None:
        """Somebody may have changed the book: whoever was revoked is cut off."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self._reread()
            for place in self._present:
                self._measure(place)
            for ear in list(self._ears.values()):
                booked = self._booked.places.get(ear.place)
                if booked is None or booked.standing is not PlaceStanding.JOINED:
                    ear.line.fail(f"place `{ear.place}` was revoked")
            self._count_crossed()  # a line that has ended is not asked again
            self._ears = {name: ear for name, ear in self._ears.items() if not ear.line.closed}

    # What places say.

    def _hear(self, subject: str, data: bytes) -> None:
        _, place, _, kind, *rest = subject.split(".")
        try:
            match kind:
                case "line" if rest:
                    ear = self._ears.get(rest[0])
                    if ear is not None and ear.place == place:
                        ear.line.arrived(data)
                case "here":
                    self._hear_presence(place, decode(data, Here))
                case "echo":
                    self._ways.heard(place, data, self._clock.monotonic())
                case "called":
                    self._hear_answer(place, decode(data, Called))
                case "notice":
                    self._hear_notice(place, data)
        except wire.WireError:
            return  # whoever may speak under this subject spoke nonsense

    def _hear_presence(self, place: str, here: Here) -> None:
        """A program that was started anew knows nothing of migrants before it; that is no fault of the place."""
        before = self._present.get(place)
        self._present[place] = Presence(here, self._clock.monotonic())
        self.awaiting.heard(place)
        if not common(here.wire) and (before is None or before.here.word != here.word):
            self.call(place, "nobody")  # it says no, and so tells its owner why nothing comes
        if before is not None and before.here.word != here.word:
            for ear in self._ears.values():
                if ear.place == place and ear.answered and not ear.line.closed:
                    self._excused.add(place)
                    ear.line.fail(f"the program of place `{place}` was started anew")
        self._measure(place)
        self.on_change()

    def _measure(self, place: str) -> None:
        assert self._dial is not None, "it was heard"
        self._ways.gauge(place, self._booked.places.get(place))
        word = self._ways.echo(place, self._clock.monotonic())
        if word is not None:
            self._dial.publish(subjects.down(place, "echo"), word)

    def _hear_notice(self, place: str, data: bytes) -> None:
        notice, booked = decode(data, Notice), self._booked.places.get(place)
        theirs = booked is not None and notice.host in booked.sites
        if theirs and self.on_notice(place, notice) and self._dial is not None:
            self._dial.publish(subjects.down(place, "noticed"), mark(data))

    def _hear_answer(self, place: str, called: Called) -> None:
        ear = self._ears.get(called.channel)
        if ear is None or ear.place != place or ear.answered:
            return
        if called.why_not:
            self._unfit_until[place] = self._clock.monotonic() + UNFIT_SECONDS
            ear.line.fail(f"place `{place}` takes no migrant now: {called.why_not}")
        elif called.packing not in ear.call.packings:
            ear.line.fail(f"place `{place}` packs its messages in a way that home does not know")
        else:
            ear.answered = True
            ear.line.open()

    def _answer_door(self, subject: str, data: bytes) -> None:
        number = subject.split(".")[1]
        self._write_down()
        try:
            answer = admit(self.book, self._identity, number, decode(data, Knock), self._clock.time())
        except wire.WireError as error:
            answer = LetIn(why=str(error))
        self._reread()
        assert self._dial is not None, "it heard somebody knock"
        self._dial.publish(subjects.door(number, "answer"), encode(answer))
        if answer.jwt:
            self._trust.clear()  # whoever was revoked and let in again begins anew
        if answer.jwt:  # the door is shut behind it once the answer is out
            asyncio.get_running_loop().call_later(LOOK_SECONDS, reload, self.book, self._identity)
        self.on_change()

    # Migrants' lines.

    def call(self, place: str, migrant: str) -> Line:
        """A line to a migrant that is asked for now; it opens when the place has said yes, and fails where it does
        not."""
        assert self._dial is not None, "opened first"
        dial, channel = self._dial, os.urandom(8).hex()
        presence = self._present.get(place)
        offered = list(PACKINGS[:1])
        packing = packing_for(offered[0], "home", self.book.folder / place)
        gauge = self._ways.gauge(place, self._booked.places.get(place))
        line = Line(
            lambda frame: dial.publish(subjects.down(place, f"line.{channel}"), frame), dial.most, packing, gauge
        )
        word = presence.here.word if presence else ""
        call = Call(place, word, channel, self._run, migrant, 0.0, self._spoken_with(place), offered)
        self._ears[channel] = ear = Ear(place, line, call)
        self._tasks.append(asyncio.create_task(self._insist(ear)))
        return line

    def _spoken_with(self, place: str) -> int:
        presence = self._present.get(place)
        return common(presence.here.wire if presence is not None else SPOKEN) or VERSION

    async def _insist(self, ear: Ear) -> None:
        """The call, again until it is answered: the one before may have been lost."""
        assert self._dial is not None, "opened first"
        for _ in range(CALLS):
            if ear.answered or ear.line.closed:
                return
            presence = self._present.get(ear.place)
            word = presence.here.word if presence else ear.call.word
            ear.call = msgspec.structs.replace(
                ear.call, word=word, home_time=self._clock.time(), wire=self._spoken_with(ear.place)
            )
            self._dial.publish(subjects.down(ear.place, "call"), encode(self._seal.sealed(encode(ear.call))))
            await asyncio.sleep(CALL_SECONDS)
        if not ear.answered and not ear.line.closed:
            self._unfit_until[ear.place] = self._clock.monotonic() + UNFIT_SECONDS
            ear.line.fail(f"place `{ear.place}` did not answer")

    # What is remembered of it.

    def tally(self, place: str, visits: int, site_bytes: int) -> None:
        """What its migrants did in a run that has ended: bytes that they read at the site did not cross the link."""
        with self.book.change() as booked:
            if place in booked.places:
                booked.places[place].visits += visits
                booked.places[place].site_bytes += site_bytes

    async def _note(self) -> None:
        while True:
            await asyncio.sleep(NOTE_SECONDS)
            self._write_down()

    def _write_down(self) -> None:
        if not self._present and not self._trust and not self.awaiting.missed:
            return
        now, monotonic = self._clock.time(), self._clock.monotonic()
        with self.book.change() as booked:
            for name, presence in self._present.items():
                if name in booked.places:
                    _note_presence(booked.places[name], presence.here, now - (monotonic - presence.at))
                    self._ways.note(name, booked.places[name])
            for name in self.awaiting.missed & booked.places.keys():
                booked.places[name].missed = True
            for name, trust in list(self._trust.items()):  # the thread that commits may add to it meanwhile
                if name in booked.places and booked.places[name].standing is PlaceStanding.JOINED:
                    booked.places[name].trust = trust
            self._count_crossed()
            for name in list(self._crossed):
                if name in booked.places:
                    booked.places[name].link_bytes += self._crossed.pop(name)

    def _count_crossed(self) -> None:
        """What went over lines since this was asked, by place."""
        for ear in self._ears.values():
            self._crossed[ear.place] += ear.line.sent_bytes + ear.line.received_bytes
            ear.line.sent_bytes = ear.line.received_bytes = 0


def _note_presence(place: BookedPlace, here: Here, seen_at: float) -> None:
    place.seen_at, place.missed = seen_at, False
    place.version, place.wire, place.limits = here.version, here.wire, here.limits
    place.load, place.cores = here.load, here.cores
    place.migrants, place.why_not = here.migrants, here.why_not
    place.free_memory_bytes, place.free_disk_bytes = here.free_memory_bytes, here.free_disk_bytes
