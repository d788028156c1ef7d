"""Where home hears its migrants: greets who comes, tells which host is whose, takes luggage in until it is unpacked."""

from collections.abc import Callable, Sequence

from whimbrel.migrants.clock import Clock
from whimbrel.migrants.home.balance import Move
from whimbrel.migrants.home.briefs import Briefs
from whimbrel.migrants.home.ledger import Ledger
from whimbrel.migrants.home.proxy import Proxy
from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.speech import speech
from whimbrel.records.url import Url


class Reception:
    """`alive` are the migrants of the run as they are now; what is not for the reception goes on to `hear`."""

    def __init__(
        self, briefs: Briefs, ledger: Ledger, alive: Sequence[Proxy],
        *, wake: Callable[[], None], hear: Callable[[Proxy, wire.FromMigrant], None], clock: Clock,
    ) -> None:  # fmt: skip
        self._briefs = briefs
        self._ledger = ledger
        self._alive = alive
        self._wake = wake
        self._hear_more = hear
        self._clock = clock
        self._addresses: dict[tuple[str, str], Proxy] = {}
        self._located: dict[int, tuple[str, str]] = {}
        self._arrivals: list[tuple[Proxy, wire.Luggage]] = []
        self._greeted: list[Proxy] = []
        self._wider: list[Url] = []

    def hear(self, proxy: Proxy, message: wire.FromMigrant) -> None:
        match message:
            case wire.Hello():
                self._greet(proxy, message)
            case wire.LaneNews():
                self._locate(proxy, message)
            case wire.HostHeld(lane=lane, seconds=seconds):
                book = self._ledger.book(lane)
                if book is not None:
                    book.wait_until = max(book.wait_until, self._clock.time() + seconds)
                for other in {holder for holder in book.holders if holder} if book else ():
                    if other is not proxy:
                        other.tell(wire.Hold(lane, seconds))
            case wire.Luggage(lanes=lanes):
                if any(self._ledger.book(lane.number) is None for lane in lanes):
                    raise wire.WireError(f"{proxy.name} gave back a lane that does not exist")
                self._arrivals.append((proxy, message))
                self._wake()
            case wire.Refusal(rule=rule, reason=reason):
                raise wire.WireError(f"{proxy.name} refused its itinerary ({rule}): {reason}")
            case wire.Bye():
                proxy.left = True
                self._wake()
            case _:
                self._hear_more(proxy, message)

    def _greet(self, proxy: Proxy, hello: wire.Hello) -> None:
        proxy.speech = speech(hello.version)
        if unsaid := proxy.speech.cannot_say(self._briefs.told(proxy)):
            raise wire.WireError(f"{proxy.name} speaks version {hello.version} of the wire, which cannot say {unsaid}")
        if hello.name != proxy.name:
            raise wire.WireError(f"{hello.name!r} answered where {proxy.name} was expected")
        proxy.tell(self._briefs.told(proxy))
        if self._wider:
            proxy.tell(wire.WiderScope(self._wider))
        self._greeted.append(proxy)
        self._wake()

    def _locate(self, proxy: Proxy, news: wire.LaneNews) -> None:
        """Hosts that share an address sit with one migrant; on loopback they need not."""
        book = self._ledger.book(news.lane)
        if book is None:
            return
        book.divisible = news.connections > 1
        if news.loopback:
            return
        # What one machine calls 10.0.0.1 is not what another does.
        machine = proxy.place.name if proxy.place.sites else ""
        where = self._located[news.lane] = machine, news.address
        owner = self._addresses.get(where)
        # Whoever gave its last lane there away has nothing more to ask of that address.
        if owner is None or owner is proxy or owner not in self._alive or not self._lanes_at(where, owner):
            self._addresses[where] = proxy
            proxy.tell(wire.Grant(news.lane))
        elif not book.moving:
            self.ask_back([(proxy, news.lane, [], owner)])

    def shares_address(self, proxy: Proxy, lane: int) -> bool:
        """Whether it has other hosts on the address of this one: then they stay together."""
        where = self._located.get(lane)
        return where is not None and bool(self._lanes_at(where, proxy) - {lane})

    def _lanes_at(self, where: tuple[str, str], proxy: Proxy) -> set[int]:
        return {lane for lane in proxy.lanes if self._located.get(lane) == where}

    def lost(self, proxy: Proxy) -> None:
        proxy.lost = True
        self._wake()

    # What they are told.

    def widen(self, seeds: list[Url]) -> None:
        self._wider += seeds
        for proxy in self._alive:
            if proxy.ready:
                proxy.tell(wire.WiderScope(seeds))

    def ask_back(self, moves: Sequence[Move]) -> None:
        """Asks for lanes, or slices of them, back for an heir."""
        for proxy, lane, slices, heir in moves:
            book = self._ledger.book(lane)
            assert book is not None, "only lanes in the books are moved"
            book.moving = proxy
            book.heirs = {**book.heirs, **dict.fromkeys(slices or range(wire.SLICES), heir)}
            proxy.tell(wire.Release(lane, slices))

    # What came in, once.

    def arrivals(self) -> list[tuple[Proxy, wire.Luggage]]:
        arrived, self._arrivals = self._arrivals, []
        return arrived

    def greeted(self) -> list[Proxy]:
        greeted, self._greeted = self._greeted, []
        return greeted
