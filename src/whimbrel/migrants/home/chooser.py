"""Puts the question `choice` answers: which of the live migrants gets this lane, by what is measured of each now."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from whimbrel.migrants.home.books import LaneBook
from whimbrel.migrants.home.choice import (
    DEFAULT_CRITERIA,
    Alternative,
    Choice,
    Criteria,
    Inputs,
    Measured,
    Strategy,
    TurnsTaken,
    choose,
    distrust,
)
from whimbrel.migrants.home.places import Measures, PlaceMeasured
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.repository.contract import ChosenMigrant

DAMPING = 0.85
"""What a random surfer keeps of a page's rank with each link that he follows from a seed."""

MEGABYTE = 1 << 20

BETTER = 1.5
"""So much better another has to be before a lane moves: measurements waver, and a move costs a pause."""
AT_HOME = PlaceMeasured(round_trip_seconds=0.0)
_BY_MEASURE = (Strategy.AHP, Strategy.WEIGHTED_ROUND_ROBIN, Strategy.LEAST_LOADED)


class Chooser:
    """Remembers whose turn it is, and what was chosen until the commit writes it down."""

    def __init__(
        self, strategy: Strategy, criteria: Criteria = DEFAULT_CRITERIA,
        measures: Measures = lambda _: PlaceMeasured(),
    ) -> None:  # fmt: skip
        self._strategy = strategy
        self._measures = measures
        self._criteria = criteria
        self._state = TurnsTaken()
        self._made: list[ChosenMigrant] = []

    def __call__(self, book: LaneBook, proxies: Sequence[Proxy], now: float) -> Proxy:
        if len(proxies) == 1 and not proxies[0].place.sites:
            return proxies[0]
        leased = {proxy.name: len(proxy.leases) for proxy in proxies}
        measured = distrust([self._measure(proxy, book) for proxy in proxies], leased)
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
        measured = [self._measure(proxy, book) for proxy in proxies]
        measured = [_held(one, lane) if one.name == holder.name else one for one in measured]
        choice = better(Inputs(book.host, now, self._strategy, distrust(measured, leased), self._criteria), holder.name)
        if choice is None:
            return None
        self._made.append(ChosenMigrant(book.number, now, msgspec.json.encode(choice)))
        return next(proxy for proxy in proxies if proxy.name == choice.chosen)

    def _measure(self, proxy: Proxy, book: LaneBook) -> Measured:
        """One at a place of a site says where, and how far that is."""
        if not proxy.place.sites:
            return measure(proxy)
        place = self._measures(proxy.place.name)
        where = f"{proxy.name} is at place `{proxy.place.name}`, which is at {book.host}{_way(place)}"
        return replace(measure(proxy, place), notes=(where,))

    def drain(self) -> list[ChosenMigrant]:
        """What was chosen since the last call."""
        made, self._made = self._made, []
        return made


def better(inputs: Inputs, holder: str) -> Choice | None:
    """The choice that takes a lane from its holder; None where nobody is better by far. Whoever is owed most turns need
    not be the best: nobody is owed any here."""
    choice = choose(inputs)
    worth = {one.name: worth_of(one, inputs.strategy) for one in choice.alternatives}
    return choice if choice.chosen != holder and worth[choice.chosen] >= BETTER * worth[holder] else None


def worth_of(one: Alternative, strategy: Strategy) -> float:
    """Whose turn it is says nothing of how good one is; the pace does."""
    return one.shares[0] if strategy is Strategy.WEIGHTED_ROUND_ROBIN else one.rank


def _way(place: PlaceMeasured) -> str:
    told = [] if place.round_trip_seconds is None else [f"{1000 * place.round_trip_seconds:.1f} ms there and back"]
    if place.bytes_per_second is not None:
        told.append(f"{place.bytes_per_second / 1000:,.0f} kB/s")
    if place.load is not None:
        told.append(f"load {place.load:.1f} a core")
    return f" ({', '.join(told)})" if told else ""


def _held(one: Measured, tasks: int) -> Measured:
    left = without(one, tasks)
    return replace(left, notes=(*left.notes, f"{one.name} held it until then"))


def without(one: Measured, tasks: int) -> Measured:
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


def measure(proxy: Proxy, place: PlaceMeasured = AT_HOME) -> Measured:
    """What home knows of a migrant, from its last pulse and from its own books."""
    pulse = proxy.pulse
    way = Measured(
        name=proxy.name, load=len(proxy.leases), home_seconds=place.round_trip_seconds,
        home_bytes_per_second=place.bytes_per_second, home_bytes=proxy.carried_bytes or None, machine_load=place.load,
    )  # fmt: skip
    if pulse is None:
        return way
    depths = (abs(lease.band) // 2 for lease in proxy.leases.values())
    return replace(
        way,
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
