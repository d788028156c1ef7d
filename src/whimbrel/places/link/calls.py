"""What home and a place say to each other beside what goes over a migrant's line.

A place says `Here` now and then, and at once when it is connected. Home calls for a migrant; the call is signed, and
holds the word that the place made up for this run of its program, so that one call can be used once. Times in it are
for measuring how far clocks are apart, not for comparing them.
"""

from hashlib import sha256
from typing import TypeVar

import msgspec
from msgspec import Struct

from whimbrel.migrants.wire.messages import Sealed, WireError
from whimbrel.places.link.keys import verifies

Said = TypeVar("Said")


class Knock(Struct, frozen=True, array_like=True):
    """Whoever holds an invitation asks to be let in under a key of its own."""

    key: str
    version: str
    wire: list[int]


class LetIn(Struct, frozen=True, array_like=True):
    """The answer: credentials and for how long they hold, or why there are none."""

    jwt: str = ""
    seconds: float = 0.0
    why: str = ""


class Here(Struct, frozen=True, array_like=True):
    """How a place is. `word` is new with every run of its program; `why_not` says why no migrant may come now."""

    word: str
    version: str
    wire: list[int]
    sites: list[str]
    limits: dict[str, float | str]
    migrants: int
    load: float
    free_memory_bytes: int
    free_disk_bytes: int
    sent_bytes: int
    sent_today_bytes: int
    requests: int
    why_not: str = ""
    notices: list[str] = []
    cores: int = 0


class Call(Struct, frozen=True, array_like=True):
    """Home wants a migrant. `run` is home's: a call of another run ends the migrants of the one before."""

    place: str
    word: str
    channel: str
    run: str
    migrant: str
    home_time: float
    wire: int
    packings: list[str]


class Called(Struct, frozen=True, array_like=True):
    """The answer to a call."""

    channel: str
    packing: str = ""
    why_not: str = ""


class Notice(Struct, frozen=True, array_like=True):
    """What a resident noticed at the site: URLs that changed, and when by the clock there. Home says by its `mark` that
    it has taken it in; until then the place says it again whenever home comes back."""

    host: str
    urls: list[str]
    at: float


def encode(message: Struct) -> bytes:
    return msgspec.msgpack.encode(message)


def decode(data: bytes, kind: type[Said]) -> Said:
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WireError(f"a message that does not fit the contract: {error}") from error


def mark(data: bytes) -> bytes:
    """By which home names a notice that it has taken in."""
    return sha256(data).digest()[:16]


def opened_call(data: bytes, home: bytes) -> Call:
    """The call in what came, where home itself signed it."""
    sealed = decode(data, Sealed)
    if not verifies(home, sealed.proof, sealed.body):
        raise WireError("a call that home did not sign")
    return decode(sealed.body, Call)
