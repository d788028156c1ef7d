"""What home remembers of a lane while it runs: who holds which slices of it, and what is leased to whom."""

from collections import Counter

from whimbrel.migrants.lifecycle import State
from whimbrel.migrants.proxy import Proxy
from whimbrel.migrants.wire import SLICES
from whimbrel.repository.contract import Lease

EVERY_SLICE = tuple(range(SLICES))


class LaneBook:
    """One lane. It is whole until its host is known to allow several requests at once; then its slices may sit with
    different migrants, and each gets its share of what the host allows."""

    __slots__ = (
        "divisible", "dry", "heirs", "held_until", "holders", "host", "leased", "moving", "next_at", "number", "reason",
        "shares", "shy", "stocked", "strikes", "wait_until",
    )  # fmt: skip

    def __init__(self, number: int, host: str, shy: bool) -> None:
        self.number = number
        self.host = host
        self.leased: dict[int, Proxy] = {}
        self.shares: Counter[str] = Counter()
        self.holders: list[Proxy | None] = [None] * SLICES
        self.heirs: dict[int, Proxy] = {}
        self.divisible = False
        self.moving = False
        self.dry: set[str] = set()
        self.stocked = True
        self.next_at = 0.0
        self.held_until = 0.0
        self.wait_until = 0.0
        self.shy = shy
        self.strikes = 0
        self.reason = ""

    def lease(self, key: int, proxy: Proxy) -> None:
        self.leased[key] = proxy
        self.shares[proxy.name] += 1

    def free(self, lease: Lease) -> None:
        proxy = self.leased.pop(lease.key, None)
        if proxy is not None:
            self.shares[proxy.name] -= 1

    def stock(self) -> None:
        """There is, or may be, something to hand out."""
        self.stocked = True
        self.dry.clear()

    def exhausted(self, proxy: Proxy) -> None:
        """Nothing is left for this holder; the lane is dry when it is so for all."""
        self.dry.add(proxy.name)
        self.stocked = any(holder is None or holder.name not in self.dry for holder in self.holders)

    @property
    def asleep(self) -> bool:
        """Whether all of it is with migrants that sleep."""
        return all(holder is not None and holder.state is State.ASLEEP for holder in self.holders)

    def parts(self) -> dict[Proxy | None, list[int]]:
        """The slices by holder; None where nobody holds them."""
        parts: dict[Proxy | None, list[int]] = {}
        for place, holder in enumerate(self.holders):
            parts.setdefault(holder, []).append(place)
        return parts

    def give(self, slices: list[int] | tuple[int, ...], proxy: Proxy | None) -> None:
        for place in slices:
            self.holders[place] = proxy

    def lose(self, proxy: Proxy) -> bool:
        """The migrant holds nothing of this lane any more; returns whether it did."""
        places = [place for place, holder in enumerate(self.holders) if holder is proxy]
        self.give(places, None)
        self.heirs = {place: heir for place, heir in self.heirs.items() if heir is not proxy}
        return bool(places)
