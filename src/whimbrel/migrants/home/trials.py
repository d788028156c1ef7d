"""Tasks of kinds that may not be worth asking for: a few are under way at a time, the others wait for what those bring.

Without this a migrant would have a thousand of a kind in hand before the first of them has taught anything. A kind of
which some were in vain waits until nothing else of its site is under way: by then it is known which pages are kept, and
those that are asked for are taken from all of the site. The kind of which least is known goes first: what it is like
says something of the others too, of which more would be asked for than need be. What need not be asked for comes when
all that has to is done, and sitemaps and feeds were read as well: only then is it known what may still be spent.
"""

from collections.abc import Iterator, Set
from enum import IntEnum
from math import inf

from whimbrel.frontier.kinds import Trial, UrlKinds
from whimbrel.migrants.home.books import LaneBook
from whimbrel.migrants.home.window import Place
from whimbrel.migrants.wire.messages import SLICES
from whimbrel.records.url import Url
from whimbrel.repository.contract import KnownUrl, Lease

MOST_DEFERRED = 5_000
"""Of a lane; beyond it the queue is read on only when some of these are decided."""


_CERTAIN = (None, 0)


class Turn(IntEnum):
    """Whose turn it is: anything's, that of kinds in doubt, or of those that a site may be asked for beyond need."""

    ANY = 0
    DOUBTFUL = 1
    SPARED = 2


class Trials:
    """Holds places of the queue back. They are in memory only: after a restart they are simply due."""

    def __init__(self, kinds: UrlKinds) -> None:
        self._kinds = kinds
        self._deferred: dict[int, dict[int, Place]] = {}
        self._under_way: dict[str, dict[int, Url]] = {}
        self._divided: dict[str, tuple[tuple[bool, ...], dict[str, set[int]]]] = {}
        self._rooms: dict[tuple[str, str], tuple[int | None, int]] = {}
        self._in_doubt = False
        """Whether any of these rooms is limited."""
        self._least_in_vain = inf
        self._all_done = False

    def learned(self) -> list[int]:
        """Visits came home, so rooms are others now; returns the lanes in which something waits."""
        self._rooms, self._in_doubt = {}, False
        return self._waiting_lanes()

    def all_done(self, done: bool) -> list[int]:
        """Whether nothing is left that has to be asked for; returns the lanes in which something waits that need not
        be, and had to wait until now."""
        begins = done and not self._all_done
        self._all_done = done
        return self._waiting_lanes() if begins else []

    def _waiting_lanes(self) -> list[int]:
        return [lane for lane, places in self._deferred.items() if places]

    def has_room(self, lease: Lease, known: KnownUrl, book: LaneBook, turn: Turn = Turn.ANY) -> bool:
        """Whether the task may go out now; otherwise it waits."""
        if self._kinds.is_due(known.url):
            return True
        trial = self._kinds.trial(known.url)
        room, in_vain = self._room(known.url, trial)
        if room is not None and turn is Turn.SPARED:
            room = self._kinds.room_beyond(trial)
        goes = room is None or (turn >= bool(in_vain) and len(self._alike(trial, book)) < room)
        if goes and turn is Turn.DOUBTFUL:
            goes = in_vain <= self._least_in_vain and not self._kinds.is_spared(known.url)
        if goes:
            return True
        self._deferred.setdefault(lease.lane, {})[lease.key] = (lease, known)
        return False

    def _room(self, url: Url, trial: Trial) -> tuple[int | None, int]:
        """How many of a kind may be under way, and how many were in vain."""
        name = (trial.form, trial.kind)
        if name not in self._rooms:
            room = self._kinds.room(url, trial)
            self._rooms[name] = room, self._kinds.in_vain(trial)
            self._in_doubt |= room is not None
        return self._rooms[name]

    def _in_vain(self, url: Url) -> int:
        return self._room(url, self._kinds.trial(url))[1]

    def is_turn(self, book: LaneBook, turn: Turn) -> bool:
        """Whether it is: nothing else is under way on the site, or no more can wait."""
        if turn is Turn.SPARED:
            return not book.leased and (self._all_done or self.full(book))
        tried = {key for form in self._under_way.values() for key in form}
        return self.full(book) or book.leased.keys() <= tried

    def begin(self, known: KnownUrl, book: LaneBook) -> None:
        """The task goes out."""
        if not self._in_doubt:
            return
        trial = self._kinds.trial(known.url)
        room, in_vain = self._rooms.get((trial.form, trial.kind), _CERTAIN)
        if room is not None:
            self._least_in_vain = min(self._least_in_vain, in_vain)
            self._alike(trial, book).add(known.key)
            self._under_way.setdefault(trial.form, {})[known.key] = known.url

    def _alike(self, trial: Trial, book: LaneBook) -> set[int]:
        """What is under way of a kind. When its form comes to be divided otherwise, all of the form is told apart
        anew."""
        free, kinds = self._divided.get(trial.form, ((), {}))
        if free != trial.free or trial.form not in self._divided:
            under_way = self._under_way.get(trial.form, {})
            self._under_way[trial.form] = {key: url for key, url in under_way.items() if key in book.leased}
            kinds = {}
            for key, url in self._under_way[trial.form].items():
                kinds.setdefault(self._kinds.trial(url).kind, set()).add(key)
            self._divided[trial.form] = (trial.free, kinds)
        alike = kinds.setdefault(trial.kind, set())
        for key in [key for key in alike if key not in book.leased]:
            alike.discard(key)
            self._under_way.get(trial.form, {}).pop(key, None)
        return alike

    def forget(self, keys: Set[int]) -> None:
        """These have other places in the queue from now on."""
        for places in self._deferred.values():
            for key in keys & places.keys():
                del places[key]

    def deferred(self, book: LaneBook) -> set[int]:
        return set(self._deferred.get(book.number, ()))

    def full(self, book: LaneBook) -> bool:
        return len(self._deferred.get(book.number, ())) >= MOST_DEFERRED

    def waiting(self, book: LaneBook, slices: tuple[int, ...], turn: Turn = Turn.ANY) -> Iterator[Place]:
        """Those of a lane that wait, each taken out as it is given; `has_room` puts back what still has to wait. Those
        in doubt come by how little is known of their kind, and among these in the order of their keys, which is
        none."""
        places = self._deferred.get(book.number, {})
        queued = {key: at for at, key in enumerate(places)}
        waiting = sorted(places) if turn else list(places)
        if turn is Turn.DOUBTFUL:
            waiting.sort(key=lambda key: self._in_vain(places[key][1].url))
            under_way = (url for form in self._under_way.values() for key, url in form.items() if key in book.leased)
            self._least_in_vain = min(map(self._in_vain, under_way), default=inf)
        for key in waiting:
            away = any(places[key][1].url.startswith(f"{origin}/") for origin in book.away)
            if not away and (not slices or key & (SLICES - 1) in slices):
                yield places.pop(key)
        if turn and places:
            # What was put back keeps the place in the queue that the order of the crawl gave it.
            self._deferred[book.number] = dict(sorted(places.items(), key=lambda each: queued[each[0]]))
