"""How messages are made small for the link: one packing for each channel and side, by names that a call and its answer
use."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, Protocol

from whimbrel.migrants.wire.packing.site import SitePacking

LARGEST_MESSAGE = 256 << 20
PACKINGS = ("site",)
"""What is spoken here, the best first."""


class Packing(Protocol):
    """Both ends see the same messages in the same order; what one packs the other unpacks. Empty is not sent."""

    def pack(self, message: bytes) -> bytes: ...

    def unpack(self, packed: bytes) -> bytes: ...

    def close(self) -> None: ...


def packing_for(name: str, side: Literal["home", "place"], folder: Path) -> Packing:
    """`folder` is where that side keeps what the site sent before."""
    assert name in PACKINGS, "agreed on before"
    folder.mkdir(parents=True, exist_ok=True)
    return SitePacking(side, folder)


def agreed(offered: Iterable[str]) -> str:
    """The first of those offered that is known here, "" where none is."""
    return next((name for name in offered if name in PACKINGS), "")
