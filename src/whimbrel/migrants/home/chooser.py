"""Puts the question `choice` answers: which of the live migrants gets this lane, by what is measured of each now."""

from collections.abc import Sequence

import msgspec

from whimbrel.migrants.home.books import LaneBook
from whimbrel.migrants.home.choice import (
    DEFAULT_CRITERIA,
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


class Chooser:
    """Remembers whose turn it is, and what was chosen until the commit writes it down."""

    def __init__(self, strategy: Strategy, criteria: Criteria = DEFAULT_CRITERIA) -> None:
        self._strategy = strategy
        self._criteria = criteria
        self._state = TurnsTaken()
        self._made: list[ChosenMigrant] = []

    def __call__(self, book: LaneBook, proxies: Sequence[Proxy], now: float) -> Proxy:
        if len(proxies) == 1:
            return proxies[0]
        leased = {proxy.name: len(proxy.leases) for proxy in proxies}
        measured = distrust([measure(proxy) for proxy in proxies], leased)
        choice = choose(Inputs(book.host, now, self._strategy, measured, self._criteria, self._state))
        self._state = choice.state
        self._made.append(ChosenMigrant(book.number, now, msgspec.json.encode(choice)))
        return next(proxy for proxy in proxies if proxy.name == choice.chosen)

    def drain(self) -> list[ChosenMigrant]:
        """What was chosen since the last call."""
        made, self._made = self._made, []
        return made


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
