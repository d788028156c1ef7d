"""Lanes that change hands: given back and inherited, taken along on a journey, kept for one that sleeps, lost with one
that died."""

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec.structs import replace

from whimbrel.migrants.home.books import EVERY_SLICE, LaneBook
from whimbrel.migrants.home.lifecycle import ALIVE
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.wire import messages as wire
from whimbrel.repository.contract import Lease


class Hands:
    """Works on the ledger's own books. `open_book` begins one for a lane that has none; `drop` makes leased tasks due
    for anybody again."""

    def __init__(
        self,
        lanes: Mapping[int, LaneBook],
        open_book: Callable[[int, str, bool], LaneBook],
        drop: Callable[[Proxy, Collection[int]], None],
    ) -> None:
        self._lanes = lanes
        self._open = open_book
        self._drop = drop

    def inherit(self, proxy: Proxy, lane: wire.LaneWork, slices: list[int], now: float) -> None:
        """A migrant gave a lane, or slices of it, back: they go to the heir, with the wait that the host is owed."""
        book = self._lanes[lane.number]
        self._drop(proxy, [task.key for task in lane.tasks])
        for place in slices or EVERY_SLICE:
            heir = book.heirs.get(place)
            if book.holders[place] is proxy:
                book.holders[place] = heir if heir is not None and heir.state in ALIVE else None
        released = set(slices or EVERY_SLICE)
        book.heirs = {place: heir for place, heir in book.heirs.items() if place not in released}
        if not slices:
            proxy.lanes.discard(lane.number)
        book.settled(proxy)
        self._remember(book, lane, now)

    def _remember(self, book: LaneBook, lane: wire.LaneWork, now: float) -> None:
        book.wait_until = max(book.wait_until, now + lane.wait_seconds)
        book.strikes = max(book.strikes, lane.strikes)
        book.shy |= lane.shy
        book.stock()

    def pack(self, proxy: Proxy, lanes: list[wire.LaneWork], now: float) -> list[wire.LaneWork]:
        """What a migrant takes along: its queue in order. Tasks that it does not own up to are due for anybody."""
        packed = []
        for lane in lanes:
            tasks = [task for task in lane.tasks if task.key in proxy.leases]
            if (book := self._lanes.get(lane.number)) is not None:
                book.settled(proxy)
                self._remember(book, lane, now)
                packed.append(replace(lane, tasks=tasks))
        kept = {task.key for lane in packed for task in lane.tasks}
        self._drop(proxy, [key for key in proxy.leases if key not in kept])
        return packed

    def take_back(self, proxy: Proxy, heir: Proxy | None = None) -> None:
        """A migrant is gone without a word: its lanes are free again, after one full delay."""
        self._drop(proxy, proxy.leases)
        for book in self._lanes.values():
            places = [place for place, holder in enumerate(book.holders) if holder is proxy]
            if book.lose(proxy):
                book.shy = True
                book.give(places, heir)
                book.stock()

    def leave(self, proxy: Proxy) -> None:
        """A migrant goes for good and in order: its lanes are free, with the waits it told."""
        self._drop(proxy, proxy.leases)
        for book in self._lanes.values():
            if book.lose(proxy):
                book.stock()

    def reserve(self, proxy: Proxy, leases: Sequence[Lease], lanes: Sequence[wire.LaneWork]) -> None:
        """What a sleeping migrant held when home ended is still its own."""
        books = {lane.number: self._open(lane.number, lane.host, True) for lane in lanes}
        for lease in leases:
            if lease.lane in books:
                proxy.leases[lease.key] = lease
                books[lease.lane].lease(lease.key, proxy)
        for lane in lanes:
            if lane.slices == len(EVERY_SLICE) and lane.tasks:
                books[lane.number].give(EVERY_SLICE, proxy)
