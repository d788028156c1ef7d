"""What carries messages between home and a migrant, as both of them see it.

A channel hands messages on whole and in order until it ends; that one has arrived it does not say. What has to be true
over a cut cable is true by the numbers and acknowledgements in the messages. What a channel happens to know of the
other end it may tell: one to a process of this machine knows its number and which page it is reading.
"""

from typing import Protocol

from msgspec import Struct

from whimbrel.migrants.wire.messages import VERSION


class OtherEnd(Struct, frozen=True):
    """What a channel knows of the other end, 0 where it cannot say: the process, and the key of the page that it is
    reading, or was when it died; and how many bytes came from it over a line that is counted."""

    pid: int = 0
    reading: int = 0
    carried_bytes: int = 0


UNKNOWN = OtherEnd()


class Channel(Protocol):
    """One end."""

    def send(self, message: bytes) -> None:
        """Nothing happens once the channel is closed: nobody is left to be told."""

    async def receive(self) -> bytes | None:
        """The next message; None when the other end is gone."""

    @property
    def closed(self) -> bool: ...

    async def close(self) -> None:
        """After what was sent has gone out. Home's end waits for what it started, and does not wait for ever."""

    def cut(self) -> None:
        """At once: the other end is given up, and `receive` ends."""

    def peer(self) -> OtherEnd: ...

    def reads(self, key: int) -> None:
        """This end reads a page, or none (0), which may be the death of it."""


class HouseRules(Struct, frozen=True):
    """What whoever owns the machine asks of a migrant that works there for a home elsewhere; on home's own machine
    nothing is asked. `sites` are the hosts it may ask, `delay_seconds` the least time between two requests to one of
    them. `held` is a folder where parcels lie until home has them, with room for `held_bytes`; `ahead_seconds` is how
    much more home's clock shows than the one here. `folders` are beginnings of URLs with the folders that they are
    served from; `shown` is the file that remembers which of their pages the server shows to anybody."""

    sites: tuple[str, ...] = ()
    delay_seconds: float = 0.0
    held: str = ""
    held_bytes: int = 1 << 30
    ahead_seconds: float = 0.0
    memory_bytes: int = 0
    folders: tuple[tuple[str, str], ...] = ()
    shown: str = ""


NO_RULES = HouseRules()


class Passport(Struct, frozen=True):
    """Who a migrant is, and whose: its name for life and home's public key. `shelf` is a file at its place. One that
    travels `bare` sends home what it received, and leaves the work on it to home: bytes are dearer than work there.
    `wire` is the version that home speaks with it."""

    name: str
    home: bytes
    shelf: str = ""
    bare: bool = False
    house: HouseRules = NO_RULES
    wire: int = VERSION


class Journey(Struct, frozen=True):
    """Who goes where: the name of the place, and on this machine the folder to work in and the cores to run on."""

    passport: Passport
    place: str = ""
    folder: str = ""
    cores: tuple[int, ...] = ()


class Carrier(Protocol):
    """Brings migrants to their places."""

    async def open(self, journey: Journey) -> Channel:
        """Home's end of a channel at whose other end the migrant is, or will be."""
