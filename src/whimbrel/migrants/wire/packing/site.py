"""Both directions of a channel, packed: one side of it, for a site that was crawled from the same place before.

Home packs work and unpacks parcels, the place packs parcels and unpacks work; all else goes through the streams as it
is. A place says in the first packet which pages it believes both hold, and home in its own whether that is so.
"""

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.packing.holdings import Holdings
from whimbrel.migrants.wire.packing.parcels import TightParcel, loose_parcel, tight_parcel
from whimbrel.migrants.wire.packing.squeezing import LARGEST_MESSAGE, Squeezer, StreamLost, Unsqueezer
from whimbrel.migrants.wire.packing.tasks import NotHeld, TaskBook, TightWork, loose_work, tight_work

PULSE_SECONDS = 20.0
"""Home takes a migrant for lost after a minute of silence."""
DOWN_LEVEL, DOWN_WINDOW_LOG = 9, 21


class Plainly(Struct, frozen=True, array_like=True, tag="plain"):
    """A message as it is."""

    message: bytes


class HoldingsClaim(Struct, frozen=True, array_like=True, tag="holds"):
    """From the place: what it numbers, and the last page that it believes both hold. Then a message as it is."""

    epoch: str
    highest: int
    message: bytes


class HoldingsAgreed(Struct, frozen=True, array_like=True, tag="agreed"):
    """From home: whether it holds what the place believes. Then a message as it is."""

    agreed: bool
    message: bytes


Tight = Plainly | HoldingsClaim | HoldingsAgreed | TightParcel | TightWork
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Tight)


class SitePacking:
    """One side of one channel. Without a folder nothing is held over from channel to channel."""

    def __init__(
        self, side: Literal["home", "place"], folder: Path | None = None, *, most_bytes: int = LARGEST_MESSAGE,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._at_home = side == "home"
        self._holdings = Holdings(folder) if folder is not None else None
        self._squeezer = Squeezer(DOWN_LEVEL, DOWN_WINDOW_LOG) if self._at_home else Squeezer()
        self._unsqueezer = Unsqueezer(most_bytes)
        self._monotonic = monotonic
        self._pulsed_at = -PULSE_SECONDS
        self._book = TaskBook()
        self.fresh()

    def fresh(self) -> None:
        """The next packet begins a stream. Whoever lost the one before may have lost more: nothing is named by a
        number that was agreed on in it."""
        self._squeezer.fresh()
        if not self._at_home:
            self._book = TaskBook()
        self._opened = False
        self._shared: Holdings | None = None
        self._unacknowledged: deque[tuple[int, list[int]]] = deque()

    def close(self) -> None:
        if self._holdings is not None:
            self._holdings.close()

    def pack(self, message: bytes) -> bytes:
        """Empty where it is not worth sending."""
        tight = self._tight(message)
        return self._squeezer.squeeze(_encoder.encode(tight)) if tight is not None else b""

    def unpack(self, packed: bytes) -> bytes:
        squeezed = self._unsqueezer.unsqueeze(packed)
        try:
            tight = _decoder.decode(squeezed)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise wire.WireError(f"a packet that does not fit the contract: {error}") from error
        try:
            return self._loose(tight)
        except NotHeld as error:
            if self._holdings is not None:
                self._holdings.clear()
            raise StreamLost(str(error)) from error

    # Going out.

    def _tight(self, message: bytes) -> Tight | None:
        if not self._opened:
            self._opened = True
            return self._opening(message)
        if self._at_home:
            return self._tight_from_home(message)
        return self._tight_from_place(message)

    def _opening(self, message: bytes) -> Tight:
        if self._at_home:
            return HoldingsAgreed(self._shared is not None, message)
        if self._holdings is None:
            return HoldingsClaim("", 0, message)
        return HoldingsClaim(self._holdings.begin(), self._holdings.highest(), message)

    def _tight_from_home(self, message: bytes) -> Tight:
        said = wire.read_from_home(message)
        if not isinstance(said, wire.Work):
            return Plainly(message)
        return tight_work(said, self._book, self._shared) or Plainly(message)

    def _tight_from_place(self, message: bytes) -> Tight | None:
        said = wire.read_from_migrant(message)
        if isinstance(said, wire.Parcel):
            tight, new = tight_parcel(said, self._book, self._shared)
            self._unacknowledged.append((said.number, new))
            return tight
        if isinstance(said, wire.Pulse) and not said.notes:
            now = self._monotonic()
            if now - self._pulsed_at < PULSE_SECONDS:
                return None
            self._pulsed_at = now
        return Plainly(message)

    # Coming in.

    def _loose(self, tight: Tight) -> bytes:
        match tight:
            case TightParcel() if self._at_home:
                return wire.encode(loose_parcel(tight, self._book, self._shared))
            case TightWork() if not self._at_home:
                return wire.encode(self._heard(loose_work(tight, self._book, self._shared)))
            case HoldingsClaim() if self._at_home:
                self._agree(tight)
                return tight.message
            case HoldingsAgreed() if not self._at_home:
                self._hear_agreed(tight.agreed)
                return tight.message
            case Plainly(message=message):
                if not self._at_home and isinstance(said := wire.read_from_home(message), wire.Work):
                    self._heard(said)
                return message
        raise wire.WireError(f"{type(tight).__name__} came from the wrong side")

    def _agree(self, claim: HoldingsClaim) -> None:
        held = self._holdings
        if held is None or not claim.epoch:
            return
        if held.epoch == claim.epoch and held.highest() >= claim.highest:
            self._shared = held
            return
        held.clear()
        held.adopt(claim.epoch)
        self._shared = held if claim.highest == 0 else None

    def _hear_agreed(self, agreed: bool) -> None:
        if self._holdings is None:
            return
        if not agreed:
            self._holdings.clear()
        self._shared = self._holdings if agreed else None

    def _heard(self, work: wire.Work) -> wire.Work:
        """What home has acknowledged both sides hold."""
        while self._unacknowledged and self._unacknowledged[0][0] <= work.acknowledged:
            _, numbers = self._unacknowledged.popleft()
            if self._holdings is not None:
                self._holdings.hold(numbers)
        return work
