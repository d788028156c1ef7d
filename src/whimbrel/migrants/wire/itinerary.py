"""What a migrant is sent out with, and the proof of who sent it.

Home signs every itinerary with its Ed25519 key; a migrant learns the public half when it is started, and reads and
verifies an itinerary before anything of it runs. An itinerary that was altered, meant for another, sent before, or
has expired is refused, and the refusal says which of these.
"""

import hashlib
import os
from collections.abc import Collection
from pathlib import Path

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct

from whimbrel.migrants.wire.messages import LaneWork, Sealed
from whimbrel.migrants.wire.private import write_private
from whimbrel.records.verdict import Verdict, refused
from whimbrel.repository.contract import RepositoryError
from whimbrel.urls.normal import host

KEY_FILE = "home.key"
VALID_SECONDS = 3600.0

ORDINARY = 0
URGENT = 1


class Itinerary(Struct, frozen=True, array_like=True):
    """Tasks in order, by lane, for one receiver. `number` rises with every itinerary of a sender; `brief` is the digest
    of the brief they are to be judged by; of two priorities the higher runs first and halts the lower."""

    sender: str
    receiver: str
    number: int
    brief: bytes
    priority: int
    expires_at: float
    lanes: list[LaneWork]


_decoder = msgspec.msgpack.Decoder(Itinerary)


def digest(said: bytes) -> bytes:
    """By which both sides know a brief: of the message that it came in, whatever a reader makes of it."""
    return hashlib.sha256(said).digest()


class Seal:
    """Home's signing key."""

    def __init__(self, seed: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = self._key.public_key().public_bytes_raw()
        self.sender = self.public.hex()[:16]
        self._number = 0

    def itinerary(self, receiver: str, brief: bytes, priority: int, now: float, lanes: list[LaneWork]) -> Sealed:
        self._number += 1
        expires_at = now + VALID_SECONDS
        return self.sealed(
            msgspec.msgpack.encode(Itinerary(self.sender, receiver, self._number, brief, priority, expires_at, lanes))
        )

    def sealed(self, body: bytes) -> Sealed:
        return Sealed(body, self._key.sign(body))


class Gate:
    """The receiving side: opens what is sealed, or says why not."""

    def __init__(self, public: bytes, receiver: str, brief: bytes) -> None:
        self._key = Ed25519PublicKey.from_public_bytes(public)
        self._sender = public.hex()[:16]
        self._receiver = receiver
        self._brief = brief
        self._last = 0

    def open(self, sealed: Sealed, now: float) -> Itinerary | Verdict:
        try:
            self._key.verify(sealed.proof, sealed.body)
        except InvalidSignature:
            return refused("proof", "the proof does not fit: it was altered, or another home wrote it")
        try:
            read = _decoder.decode(sealed.body)
        except msgspec.DecodeError as error:
            return refused("contract", f"an itinerary that cannot be read: {error}")
        return self._refusal(read, now) or read

    def _refusal(self, read: Itinerary, now: float) -> Verdict | None:
        if read.sender != self._sender:
            return refused("sender", f"it says it comes from {read.sender}, this migrant belongs to {self._sender}")
        if read.receiver != self._receiver:
            return refused("receiver", f"it is meant for {read.receiver}, this is {self._receiver}")
        if read.brief != self._brief:
            return refused("brief", "it was written for another brief than the one this migrant has")
        if read.number <= self._last:
            return refused("replay", f"number {read.number} came after number {self._last}")
        if read.expires_at < now:
            return refused("expired", f"it expired {now - read.expires_at:.0f} s ago; is a clock wrong?")
        self._last = read.number
        return None


def within(opened: Itinerary | Verdict, sites: Collection[str]) -> Itinerary | Verdict:
    """What was opened, where it keeps to the hosts that the owner of the place allows; none named means any."""
    if isinstance(opened, Verdict) or not sites:
        return opened
    asked = [lane.host for lane in opened.lanes] + [host(task.url) for lane in opened.lanes for task in lane.tasks]
    strange = next((name for name in asked if name not in sites), None)
    if strange is None:
        return opened
    return refused("site", f"it asks for {strange}; this place allows {', '.join(sorted(sites))}")


def seal_of(folder: Path) -> Seal:
    """The folder's own key, made when it is first needed; nobody but its owner may read it."""
    path = folder / KEY_FILE
    try:
        return Seal(_make(path) if not path.exists() else bytes.fromhex(path.read_text().strip()))
    except ValueError as error:
        raise RepositoryError(
            f"{path} does not hold a key. Delete it; the next crawl makes a new one, nothing else depends on it."
        ) from error


def _make(path: Path) -> bytes:
    seed = os.urandom(32)
    write_private(path, f"{seed.hex()}\n".encode())
    return seed
