"""How the browser's door is opened."""

import ipaddress
from functools import lru_cache

from msgspec import Struct

from whimbrel.readers.contract import READER_DEFAULTS, ReaderSettings

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class ClientPatience(Struct, frozen=True):
    """What clients are given: seconds for the head of a request, for its body, and in which they may take nothing of an
    answer; connections at the same time, and how many of them one address may have."""

    head_seconds: float = 20.0
    body_seconds: float = 30.0
    stuck_seconds: float = 60.0
    connections: int = 256
    per_address: int = 128


class Door(Struct, frozen=True):
    """`allow_hosts` are further names under which the server may be addressed."""

    host: str = "127.0.0.1"
    port: int = 8765
    allow_hosts: tuple[str, ...] = ()
    results: int = 10
    """Hits a page."""
    behind: tuple[str, ...] = ()
    """Addresses of proxies before us, which say on whose behalf they ask."""
    patience: ClientPatience = ClientPatience()
    read_only: bool = False
    """Nothing can be changed from here, not even with the key."""
    networks: tuple[str, ...] = ()
    """Networks of this machine that may be crawled from here."""
    readers: ReaderSettings = READER_DEFAULTS

    @property
    def locked(self) -> bool:
        """Whether readers have to show the key: everywhere but on this machine alone."""
        return not is_loopback(self.host)


@lru_cache(64)
def is_loopback(host: str) -> bool:
    name = host.strip("[]").lower()
    if name == "localhost":
        return True
    address = address_of(name)
    return address is not None and address.is_loopback


def address_of(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def is_ours(name: str, door: Door) -> bool:
    """Whether a server behind this door answers to the name.

    A page elsewhere can make its own name point at us (DNS rebinding), but not an address: where the door is open
    to other machines, any address will do, and names have to be given.
    """
    if name in LOOPBACK_NAMES or name == door.host.strip("[]").lower() or name in door.allow_hosts:
        return True
    address = address_of(name)
    return address is not None and (door.locked or address.is_loopback)
