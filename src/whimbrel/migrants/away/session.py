"""A migrant's end of the channel: what home says is obeyed until all that it asked for was sent, or home is gone."""

import asyncio
import os
from typing import TYPE_CHECKING

from whimbrel.flows.visit.papers import ReadsPapers
from whimbrel.migrants.away.migrant import Migrant, Sifting
from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.channel import Channel, Passport
from whimbrel.migrants.wire.itinerary import digest

if TYPE_CHECKING:
    from whimbrel.flows.visit.gazing import SeesShapes


class BrokenVisit(Exception):
    """A visit raised: a fault of our own, which is the exception's cause."""


class Session:
    """What home says, until it is gone or everything it asked for was sent."""

    def __init__(
        self, channel: Channel, passport: Passport, sifting: Sifting | None = None, reads: ReadsPapers | None = None,
        sees: "SeesShapes | None" = None,
    ) -> None:  # fmt: skip
        self._sifting = sifting
        self._reads = reads
        self._sees = sees
        self._passport = passport
        self._channel = channel
        self._migrant: Migrant | None = None
        self._running: list[asyncio.Task[None]] = []

    async def run(self) -> None:
        """Listening never stops before the end: home may go at any moment, also while the last visits come in."""
        self._channel.send(wire.encode(wire.Hello(self._passport.wire, os.getpid(), self._passport.name)))
        self._all_sent: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        listening = asyncio.create_task(self._listen())
        await asyncio.wait((listening, self._all_sent), return_when=asyncio.FIRST_COMPLETED)
        for ended in (self._all_sent, listening):
            if ended.done():
                ended.result()

    def _broke(self, error: BaseException) -> None:
        if not self._all_sent.done():
            broken = BrokenVisit("a visit broke")
            broken.__cause__ = error
            self._all_sent.set_exception(broken)

    async def _listen(self) -> None:
        while (body := await self._channel.receive()) is not None:
            self._obey(wire.read_from_home(body), body)

    def _obey(self, message: wire.FromHome, body: bytes) -> None:
        match message:
            case wire.Halt() | wire.Pack():
                self._running.append(asyncio.create_task(self._part(isinstance(message, wire.Pack))))
            case wire.Brief() as brief:
                self._begin(brief, digest(body))
            case _ if self._migrant is None:
                raise wire.WireError(f"{type(message).__name__} came before the brief")
            case wire.Work() as work:
                self._migrant.on_work(work)
            case wire.WiderScope() as scope:
                self._migrant.on_scope(scope)
            case wire.Grant() as grant:
                self._migrant.on_grant(grant)
            case wire.Hold() as hold:
                self._migrant.on_hold(hold)
            case wire.Release() as release:
                self._migrant.on_release(release)
            case wire.Served() as served:
                self._migrant.on_served(served)

    def _begin(self, brief: wire.Brief, known_by: bytes) -> None:
        if brief.version != self._passport.wire:
            raise wire.WireError(f"home speaks version {brief.version}, this migrant {self._passport.wire}")
        if self._migrant is not None:
            raise wire.WireError("a second brief")
        self._migrant = Migrant(
            brief, known_by, self._channel, self._passport, self._broke, self._sifting, self._reads, self._sees
        )  # fmt: skip
        self._running.append(asyncio.create_task(self._migrant.pulse()))

    async def _part(self, packing: bool) -> None:
        if self._migrant is not None:
            if packing:
                self._migrant.on_pack()
            else:
                self._migrant.on_halt()
            await self._migrant.wait_until_ended()
        await self._channel.close()
        if not self._all_sent.done():
            self._all_sent.set_result(None)
