"""Puts the question `choice` answers: which of the live migrants gets this lane, by what is measured of each now."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from whimbrel.migrants.home.books import LaneBook
from whimbrel.migrants.home.choice import (
    DEFAULT_CRITERIA,
    Alternative,
    Criteria,
    Inputs,
    Measured,
    Strategy,
    TurnsTaken,
    choose,
    distrust,
)
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.repository.contract import ChosenMigrant

DAMPING = 0.85
"""What a random surfer keeps of a page's rank with each link that he follows from a seed."""

MEGABYTE = 1 << 20

BETTER = 1.5
"""So much better another has to be before a lane moves: measurements waver, and a move costs a pause."""
_BY_MEASURE = (Strategy.AHP, Strategy.WEIGHTED_ROUND_ROBIN, Strategy.LEAST_LOADED)


class Chooser:
    """Remembers whose turn it is, and what was chosen until the commit writes it down."""

    def __init__(self, strategy: Strategy, criteria: Criteria = DEFAULT_CRITERIA) -> None:
        self._strategy = strategy
        self._criteria = criteria
        self._state = TurnsTaken()
        self._made: list[ChosenMigrant] = []

    def __call__(self, book: LaneBook, proxies: Sequence[Proxy], now: float) -> Proxy:
        near = proxies[0].place.sites
        if len(proxies) == 1 and not near:
            return proxies[0]
        leased = {proxy.name: len(proxy.leases) for proxy in proxies}
        measured = distrust([measure(proxy) for proxy in proxies], leased)
        if near:
            notes = [f"{one.name} is at place `{p.place.name}`, which is at {book.host}" for one, p in
                     zip(measured, proxies, strict=True)]  # fmt: skip
            measured = tuple(replace(one, notes=(*one.notes, note)) for one, note in zip(measured, notes, strict=True))
        choice = choose(Inputs(book.host, now, self._strategy, measured, self._criteria, self._state))
        self._state = choice.state
        self._made.append(ChosenMigrant(book.number, now, msgspec.json.encode(choice)))
        return next(proxy for proxy in proxies if proxy.name == choice.chosen)

    def again(self, book: LaneBook, holder: Proxy, proxies: Sequence[Proxy], now: float) -> Proxy | None:
        """Who is to have a lane instead of its holder, by what is measured now; None where nobody is better by far.
        What the lane itself brings to do does not count against its holder: it would come along."""
        if self._strategy not in _BY_MEASURE or any(proxy.pulse is None for proxy in proxies):
            return None
        lane = book.shares.get(holder.name, 0)
        leased = {proxy.name: len(proxy.leases) - (lane if proxy is holder else 0) for proxy in proxies}
        measured = [_without(measure(proxy), lane) if proxy is holder else measure(proxy) for proxy in proxies]
        told = [replace(one, notes=(*one.notes, f"{holder.name} held it until then")) for one in measured[:1]]
        choice = choose(
            Inputs(
                book.host, now, self._strategy, distrust([*told, *measured[1:]], leased), self._criteria, self._state
            )
        )
        worth = {one.name: self._worth(one) for one in choice.alternatives}
        if choice.chosen == holder.name or worth[choice.chosen] < BETTER * worth[holder.name]:
            return None
        self._state = choice.state
        self._made.append(ChosenMigrant(book.number, now, msgspec.json.encode(choice)))
        return next(proxy for proxy in proxies if proxy.name == choice.chosen)

    def _worth(self, one: Alternative) -> float:
        """Whose turn it is says nothing of how good one is; the pace does."""
        return one.shares[0] if self._strategy is Strategy.WEIGHTED_ROUND_ROBIN else one.rank

    def drain(self) -> list[ChosenMigrant]:
        """What was chosen since the last call."""
        made, self._made = self._made, []
        return made


def _without(one: Measured, tasks: int) -> Measured:
    """A migrant as it would be without so many of its tasks."""
    if not one.load or not tasks:
        return one
    left = max(0.0, 1.0 - tasks / one.load)
    return replace(
        one,
        load=one.load * left,
        url_capacity=None if one.url_capacity is None else one.url_capacity * left,
        parent_rank=None if one.parent_rank is None else one.parent_rank * left,
    )


def measure(proxy: Proxy) -> Measured:
    """What home knows of a migrant, from its last pulse and from its own books."""
    pulse = proxy.pulse
    if pulse is None:
        return Measured(name=proxy.name, load=len(proxy.leases))
    depths = (abs(lease.band) // 2 for lease in proxy.leases.values())
    return Measured(
        name=proxy.name,
        load=pulse.queued + pulse.in_flight,
        free_disk_bytes=pulse.free_disk_bytes,
        latency_seconds=pulse.latency_seconds or None,
        bandwidth_bytes_per_second=pulse.bandwidth or None,
        memory_megabytes=pulse.memory_bytes / MEGABYTE,
        url_capacity=len(proxy.leases) * (proxy.links / proxy.visits if proxy.visits else 1.0),
        parent_rank=sum(DAMPING ** min(depth, 100) for depth in depths),
        # How many pages a second of its CPU is worth: what the clock says of a shared core is not what it gives.
        cpu_speed=proxy.visits / proxy.cpu_seconds if proxy.visits and proxy.cpu_seconds else None,
        finished=proxy.visits or None,
        finished_seconds=pulse.task_seconds or None,
    )
