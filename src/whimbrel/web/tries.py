"""Wrong keys, counted by the address they came from, so that nobody can close the door to others."""

import ipaddress
from collections import OrderedDict, deque

MOST_WRONG = 10
WINDOW_SECONDS = 60.0
MOST_ADDRESSES = 4_096
"""That are remembered. Whoever has more of them than that is slowed down by none of this; the key is 192 bits long."""
_NETWORK_BITS = 64
"""RFC 6177 §2: a household is given at least so much of IPv6, and all its addresses are one guesser's."""


class WrongKeys:
    """Right keys are not counted. One who was refused is not counted either: waiting helps."""

    def __init__(self) -> None:
        self._moments: OrderedDict[str, deque[float]] = OrderedDict()

    def wait_seconds(self, address: str, now: float) -> float:
        """How long the address has to wait before its next try; 0 for not at all."""
        moments = self._moments.get(origin_of(address), ())
        recent = [moment for moment in moments if moment > now - WINDOW_SECONDS]
        return recent[0] + WINDOW_SECONDS - now if len(recent) >= MOST_WRONG else 0.0

    def note(self, address: str, now: float) -> None:
        origin = origin_of(address)
        self._moments.setdefault(origin, deque(maxlen=MOST_WRONG)).append(now)
        self._moments.move_to_end(origin)
        if len(self._moments) > MOST_ADDRESSES:
            self._moments.popitem(last=False)


def origin_of(address: str) -> str:
    """What tries are counted by: of an IPv6 address its network, else the address."""
    read = _address(address)
    if isinstance(read, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((read, _NETWORK_BITS), strict=False))
    return str(read)


def sender(peer: str, forwarded: str, behind: tuple[str, ...]) -> str:
    """On whose behalf a request comes: the last address in `X-Forwarded-For` that is no proxy of ours.

    Anybody can write that header, so it is read only where the connection itself comes from a proxy that was named, and
    only as far from its end as such proxies wrote it.
    """
    proxies = {_address(each) for each in behind}
    if _address(peer) not in proxies:
        return peer
    told = [part for part in map(str.strip, forwarded.split(",")) if part]
    return next((each for each in reversed(told) if _address(each) not in proxies), told[0] if told else peer)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | str:
    """An IPv4 address in the disguise of IPv6 is that (RFC 4291 §2.5.5.2); what is none stays as it is."""
    try:
        read = ipaddress.ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return text[:100]
    return (read.ipv4_mapped or read) if isinstance(read, ipaddress.IPv6Address) else read
