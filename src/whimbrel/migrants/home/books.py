"""What home remembers of a lane while it runs: who holds which slices of it, and what is leased to whom."""

from collections.abc import Iterable, Mapping

from whimbrel.migrants.home.lifecycle import MigrantState
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.wire.messages import SLICES
from whimbrel.repository.contract import Lease

EVERY_SLICE = tuple(range(SLICES))
# A book is small, because there may be one for each of a million hosts: what is mostly empty is shared.
NOBODY: frozenset[str] = frozenset()
NO_HEIRS: Mapping[int, Proxy] = {}
NONE_AWAY: Mapping[str, float] = {}


class LaneBook:
    """One lane. It is whole until its host is known to allow several requests at once; then its slices may sit with
    different migrants, and each gets its share of what the host allows. `held_until` is for the whole host, `away` for
    origins of it that cannot be asked: nobody may listen on one port while another answers."""

    __slots__ = (
        "away", "divisible", "dry", "heirs", "held_until", "holders", "host", "leased", "moving", "next_at", "number",
        "reason", "shares", "shy", "stocked", "strikes", "wait_until",
    )  # fmt: skip

    def __init__(self, number: int, host: str, shy: bool) -> None:
        self.number = number
        self.host = host
        self.leased: dict[int, Proxy] = {}
        self.shares: dict[str, int] = {}
        self.holders: list[Proxy | None] = [None] * SLICES
        self.heirs: Mapping[int, Proxy] = NO_HEIRS
        self.divisible = False
        self.moving: Proxy | None = None
        self.dry: frozenset[str] = NOBODY
        self.stocked = True
        self.next_at = 0.0
        self.held_until = 0.0
        self.away = NONE_AWAY
        self.wait_until = 0.0
        self.shy = shy
        self.strikes = 0
        self.reason = ""

    def lease(self, key: int, proxy: Proxy) -> None:
        self.leased[key] = proxy
        self.shares[proxy.name] = self.shares.get(proxy.name, 0) + 1

    def free(self, lease: Lease) -> None:
        proxy = self.leased.pop(lease.key, None)
        if proxy is not None:
            self.shares[proxy.name] -= 1

    def leave(self, origin: str, until: float) -> None:
        self.away = {**self.away, origin: max(until, self.away.get(origin, 0.0))}

    def come_back(self, now: float, origins: Iterable[str] = ()) -> None:
        """These may be asked again, and those whose time has come."""
        if self.away:
            named = set(origins)
            self.away = {origin: at for origin, at in self.away.items() if at > now and origin not in named}

    def stock(self) -> None:
        """There is, or may be, something to hand out."""
        self.stocked = True
        self.dry = NOBODY

    def exhausted(self, proxy: Proxy) -> None:
        """Nothing is left for this holder; the lane is dry when it is so for all."""
        self.dry |= {proxy.name}
        self.stocked = any(holder is None or holder.name not in self.dry for holder in self.holders)

    @property
    def asleep(self) -> bool:
        """Whether all of it is with migrants that sleep."""
        return all(holder is not None and holder.state is MigrantState.ASLEEP for holder in self.holders)

    def settled(self, proxy: Proxy) -> None:
        """What this migrant was asked to give back has come, or never will."""
        if self.moving is proxy:
            self.moving = None

    @property
    def open(self) -> bool:
        """Whether somebody who is awake may find something."""
        return self.stocked and any(
            holder is None or (holder.state is not MigrantState.ASLEEP and holder.name not in self.dry)
            for holder in self.holders
        )

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
        self.settled(proxy)
        self.heirs = {place: heir for place, heir in self.heirs.items() if heir is not proxy}
        return bool(places)
