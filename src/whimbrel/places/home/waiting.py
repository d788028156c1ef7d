"""What places said that home still means to look at, and what it may look at yet: the newest, within bounds."""

import threading
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from random import Random

from msgspec import Struct

from whimbrel.places.home.looking import ShownAnswer
from whimbrel.records.url import Url
from whimbrel.records.visit import Visit

MOST_WAITING = 512
"""Pages that home still means to ask for; where it does not keep up, any of them are left out: by sending many, nobody
chooses which."""
MOST_WAITING_BYTES = 64 << 20
MOST_ASIDE = 200
MOST_ASIDE_BYTES = 16 << 20


class ClaimedPage(Struct, frozen=True):
    """What a place says it was shown, and when by home's clock; no `answer` where it says: what home has."""

    place: str
    url: Url
    at: float
    answer: ShownAnswer | None

    @property
    def bytes(self) -> int:
        copy = self.answer.copy if self.answer is not None else None
        return len(copy.body) if copy is not None else 0


class WaitingClaims:
    """Filled by one thread, emptied by another. Of each place it counts those that were not looked at to the end."""

    def __init__(self, chance: Random) -> None:
        self._lock = threading.Lock()
        self._chance = chance
        self._claims: list[ClaimedPage] = []
        self._bytes = 0
        self._under_way: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._claims)

    def under_way(self, place: str) -> int:
        return self._under_way[place]

    def extend(self, claims: Iterable[ClaimedPage]) -> None:
        with self._lock:
            for claim in claims:
                self._claims.append(claim)
                self._bytes += claim.bytes
                self._under_way[claim.place] += 1
            while len(self._claims) > MOST_WAITING or (self._bytes > MOST_WAITING_BYTES and len(self._claims) > 1):
                self._under_way[self._taken(self._chance.randrange(len(self._claims))).place] -= 1

    def pop(self) -> ClaimedPage:
        with self._lock:
            return self._taken(0)

    def done(self, claim: ClaimedPage) -> None:
        """What was popped has been looked at."""
        with self._lock:
            self._under_way[claim.place] -= 1

    def _taken(self, at: int) -> ClaimedPage:
        claim = self._claims.pop(at)
        self._bytes -= claim.bytes
        return claim


class VisitsAside:
    """The last visits of each place that home did not mean to look at, as they came."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._visits: dict[str, deque[Visit]] = {}
        self._bytes: Counter[str] = Counter()

    def put(self, place: str, visits: Iterable[Visit]) -> None:
        with self._lock:
            aside = self._visits.setdefault(place, deque())
            for visit in visits:
                aside.append(visit)
                self._bytes[place] += bytes_of(visit)
            while len(aside) > MOST_ASIDE or (aside and self._bytes[place] > MOST_ASIDE_BYTES):
                self._bytes[place] -= bytes_of(aside.popleft())

    def take(self, place: str, most: int) -> Sequence[Visit]:
        """The newest."""
        with self._lock:
            aside = self._visits.get(place, deque())
            taken = [aside.pop() for _ in range(min(most, len(aside)))]
            self._bytes[place] -= sum(map(bytes_of, taken))
            return taken


def bytes_of(visit: Visit) -> int:
    """Of what came along; not what the place says it received."""
    if visit.exchange is not None:
        return len(visit.exchange.raw)
    return len(visit.archived.response) if visit.archived is not None else 0
