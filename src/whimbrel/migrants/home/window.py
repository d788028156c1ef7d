"""The next tasks of a lane in the order that the user asked for, decided over a bounded window of the durable queue."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Protocol

from whimbrel.flows.packing import unpack
from whimbrel.frontier.coverage import Sections, by_coverage
from whimbrel.frontier.order import URGENT_BAND, Order, newest_first
from whimbrel.frontier.priority import by_priority, forward_links, value
from whimbrel.records.role import Role
from whimbrel.records.visit import Outcome
from whimbrel.repository.contract import KnownUrl, Lease, LeaseWanted
from whimbrel.repository.port.writer import Writer
from whimbrel.urls.normal import key as key_of

POOL = 4
"""How many times more places are looked at than are handed out."""

LIKENED = 1_024
"""Places that are looked at where the order is by similarity, however few are handed out."""

MOST_REMEMBERED = 1_024
MOST_LISTED = 50_000
LOOKED_UP_EVERY = 16
"""Windows of a host after which its sitemaps are looked at again."""

Place = tuple[Lease, KnownUrl]


class Likens(Protocol):
    """Whoever knows how like the pages that are kept each of these is."""

    def note(self, keys: Iterable[int]) -> None: ...
    def scores(self, keys: Sequence[int]) -> list[float]: ...
    def told(self) -> str: ...


class Window:
    """Takes the first places of the queue and, where the order asks for it, picks the best of them."""

    def __init__(self, store: Writer, order: Order) -> None:
        self._store = store
        self._order = order
        self._newest_first = newest_first(order)
        self._links: OrderedDict[int, frozenset[int] | None] = OrderedDict()
        self._sections: dict[int, tuple[int, Sections]] = {}
        self.likens: Likens | None = None

    def next(self, wanted: LeaseWanted) -> list[Place]:
        """In this order, whatever else is wanted."""
        if self._order not in (Order.COVERAGE, Order.PRIORITY) and self.likens is None:
            return self._store.lease(wanted._replace(newest_first=self._newest_first))
        most = max(POOL * wanted.most, LIKENED if self.likens is not None else 0)
        pool = self._store.lease(wanted._replace(most=most, newest_first=False))
        urgent = [place for place in pool if _comes_first(place)]
        rest = [place for place in pool if not _comes_first(place)]
        return (urgent + self._ordered(wanted.lane, rest))[: wanted.most]

    def _ordered(self, lane: int, pool: list[Place]) -> list[Place]:
        if self.likens is not None:
            scores = self.likens.scores([known.key for _, known in pool])
            best = sorted(range(len(pool)), key=lambda at: (bool(pool[at][1].asset), -scores[at]))
            return [pool[at] for at in best]
        return self._by_coverage(lane, pool) if self._order is Order.COVERAGE else self._by_priority(pool)

    def _by_coverage(self, lane: int, pool: list[Place]) -> list[Place]:
        """A page never fetched is taken to link to what the sitemap lists below it, else to its parent's links."""
        kin = self._store.kin([known.key for _, known in pool])
        sections = self._sections_of(lane)
        expected = {known.key: self._expected(known, kin[known.key][0], sections) or frozenset() for _, known in pool}
        met = set().union(*expected.values()) if expected else set()
        covered = {key for key, row in self._store.known(met).items() if row.outcome != Outcome.DISCOVERED}
        places = {known.key: (lease, known) for lease, known in pool}
        return [places[key] for key, _ in by_coverage(expected, covered)]

    def _by_priority(self, pool: list[Place]) -> list[Place]:
        kin = self._store.kin([known.key for _, known in pool])
        counted = [links for links in self._links.values() if links is not None]
        mean = sum(map(len, counted)) / len(counted) if counted else 0.0
        valued = []
        for lease, known in pool:
            via, back = kin[known.key]
            own = self._links_of(known.key) if known.version is not None else None
            parent = self._links_of(via) if via is not None else None
            forward = forward_links(_count(own), _count(parent), mean)
            valued.append(((lease, known), value(forward, back)))
        return list(by_priority(valued))

    def _expected(self, known: KnownUrl, via: int | None, sections: Sections) -> frozenset[int] | None:
        if known.version is not None:
            return self._links_of(known.key)
        return sections.below(known.url) or (self._links_of(via) if via is not None else None)

    def _sections_of(self, lane: int) -> Sections:
        asked, sections = self._sections.get(lane, (0, None))
        if sections is None or asked >= LOOKED_UP_EVERY:
            asked, sections = 0, Sections(self._store.listed_on(lane, MOST_LISTED))
        self._sections[lane] = (asked + 1, sections)
        return sections

    def _links_of(self, key: int) -> frozenset[int] | None:
        """The links of a kept page; None where none is kept. The last thousand are remembered."""
        if key in self._links:
            self._links.move_to_end(key)
            return self._links[key]
        version = self._store.version_of(key)
        links = frozenset(map(key_of, unpack(version[2]).urls)) if version and version[2] else None
        self._links[key] = links
        if len(self._links) > MOST_REMEMBERED:
            self._links.popitem(last=False)
        return links


def _comes_first(place: Place) -> bool:
    """What is urgent, and sitemaps, by which the others are put in order."""
    lease, known = place
    return lease.band == URGENT_BAND or known.asset == Role.SITEMAP


def _count(links: frozenset[int] | None) -> int | None:
    return None if links is None else len(links)
