"""Which page comes next: what each strategy makes of the links that it has met.

    breadth   the nearest to a seed first; depth the farthest, the latest found first.
    pagerank  the page that most of what was met leads to (`rank.pagerank`), hits the one that good lists lead to
              (`rank.hits`), both over the links between all pages met, from time to time.
    fish      links of relevant pages first; behind others only some steps further, then last (De Bra and others, 1994).
    shark     `0.5·inherited + 0.5·neighbourhood`: a link inherits its page's relevance, or half of what that page had
              inherited itself; its neighbourhood is `0.8·anchor + 0.2·context`, the context counting in full where the
              anchor says a keyword itself (Hersovici and others, 1998).
    best      the relevance of the page that it stands on.
    learned   `learning`: what lay behind links that look alike.

All say what a link promises from 0 to 1. Of a link that was met several times, its best place counts.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from whimbrel.records.url import Url
from whimbrel.topic.counting import WordCounter, address_text

DECAY = 0.5
ANCHOR, CONTEXT = 0.8, 0.2
FISH_STEPS = 3
REMEMBERED = 100_000
UNKNOWN = 0.1
"""What a link promises of which nothing is known: it stands before those that were found wanting."""
LATER = 1e-7
"""Between two links that promise the same, by the order in which they were met."""


class StrategyName(StrEnum):
    BREADTH = "breadth"
    DEPTH = "depth"
    PAGERANK = "pagerank"
    HITS = "hits"
    FISH = "fish"
    SHARK = "shark"
    BEST = "best"
    LEARNED = "learned"


class SeenLink(Protocol):
    """A link as it shows on a page: its own words, those around it, and the elements it stands in. Most links of a page
    are known from others, and nobody asks what shows at them."""

    @property
    def key(self) -> int: ...

    @property
    def url(self) -> Url: ...

    @property
    def words(self) -> str: ...

    @property
    def around(self) -> str: ...

    @property
    def place(self) -> str: ...


class MetLink(Struct, frozen=True):
    """A link of which all was read before."""

    key: int
    url: Url
    words: str
    around: str
    place: str


class JudgedPage(Struct, frozen=True):
    """A page that was judged: `strength` is how surely it is relevant, from 0 to 1, a half at the threshold."""

    key: int
    url: Url
    strength: float
    relevant: bool


class LinkStrategy(Protocol):
    """Hears of every page that was judged, with its links, and says what a link promises."""

    def take_in(self, page: JudgedPage, links: Sequence[SeenLink]) -> None: ...

    def promise(self, key: int, url: Url) -> float: ...

    def learnt(self) -> bytes: ...


class Sounding:
    """How much of a short text is about the topic: the weight of the heaviest two keywords in it."""

    def __init__(self, counter: WordCounter, weights: Mapping[str, float]) -> None:
        self._counter = counter
        self._weights = weights

    def of(self, text: str) -> float:
        return self.of_forms(self._counter.forms(text))

    def of_forms(self, said: Sequence[str]) -> float:
        forms = self._weights.keys() & said
        heaviest = sorted((self._weights[form] for form in forms), reverse=True)[:2]
        return min(1.0, sum(heaviest))

    def of_url(self, url: Url) -> float:
        return self.of(address_text(url))


class _Remembering:
    """What was worked out for each link, the best of several."""

    def __init__(self) -> None:
        self._promised: dict[int, float] = {}

    def promise(self, key: int, url: Url) -> float:
        return self._promised.get(key, UNKNOWN)

    def learnt(self) -> bytes:
        return b""

    def _remember(self, key: int, promise: float) -> None:
        before = self._promised.get(key)
        if before is None and len(self._promised) >= REMEMBERED:
            self._promised.clear()
        if before is None or promise > before:
            self._promised[key] = promise


class ByDistance(_Remembering):
    """Breadth or depth first."""

    def __init__(self, deepest: bool) -> None:
        super().__init__()
        self._deepest = deepest
        self._depths: dict[int, int] = {}

    def take_in(self, page: JudgedPage, links: Sequence[SeenLink]) -> None:
        if len(self._depths) >= REMEMBERED:
            self._depths.clear()
        depth = self._depths.setdefault(page.key, 0) + 1
        for link in links:
            if link.key not in self._depths:
                self._depths[link.key] = depth
                order = LATER * len(self._depths)
                self._remember(link.key, depth / (1 + depth) + order if self._deepest else 1 / (1 + depth) - order)


class Fish(_Remembering):
    def __init__(self) -> None:
        super().__init__()
        self._steps: dict[int, int] = {}

    def take_in(self, page: JudgedPage, links: Sequence[SeenLink]) -> None:
        if len(self._steps) >= REMEMBERED:
            self._steps.clear()
        left = FISH_STEPS if page.relevant else self._steps.get(page.key, FISH_STEPS) - 1
        for link in links:
            self._steps[link.key] = max(left, self._steps.get(link.key, 0))
            self._remember(link.key, 1.0 if page.relevant else 0.5 * max(0, left) / FISH_STEPS)


class Shark(_Remembering):
    def __init__(self, nearness: Sounding) -> None:
        super().__init__()
        self._near = nearness
        self._inherited: dict[int, float] = {}

    def take_in(self, page: JudgedPage, links: Sequence[SeenLink]) -> None:
        if len(self._inherited) >= REMEMBERED:
            self._inherited.clear()
        source = page.strength if page.relevant else self._inherited.get(page.key, 0.0)
        for link in links:
            inherited = max(DECAY * source, self._inherited.get(link.key, 0.0))
            self._inherited[link.key] = inherited
            self._remember(link.key, 0.5 * inherited + 0.5 * self._neighbourhood(link))

    def _neighbourhood(self, link: SeenLink) -> float:
        anchor = self._near.of(link.words)
        return ANCHOR * anchor + CONTEXT * (1.0 if anchor else self._near.of(link.around))


class Best(_Remembering):
    def take_in(self, page: JudgedPage, links: Sequence[SeenLink]) -> None:
        for link in links:
            self._remember(link.key, page.strength)


Ranks = Callable[[list[int], list[int], list[float]], Sequence[float]]
"""Of the links from and to pages by their places, and how surely each page is relevant: what each page weighs."""


class ByLinks:
    """What links between pages say of a page, worked out anew as more are known."""

    FIRST, GROWTH, MOST_LINKS = 20, 1.2, 400_000

    def __init__(self, ranks: Ranks) -> None:
        self._ranks = ranks
        self._places: dict[int, int] = {}
        self._sources: list[int] = []
        self._targets: list[int] = []
        self._strengths: list[float] = []
        self._pages = 0
        self._next = self.FIRST
        self._weights: Sequence[float] = ()

    def take_in(self, page: JudgedPage, links: Sequence[SeenLink]) -> None:
        source = self._place(page.key)
        self._strengths[source] = page.strength
        if len(self._sources) < self.MOST_LINKS:
            targets = [self._place(link.key) for link in links]
            self._targets += targets
            self._sources += [source] * len(targets)
        self._pages += 1
        if self._pages >= self._next:
            self._next = int(self._pages * self.GROWTH) + 1
            weights = self._ranks(self._sources, self._targets, self._strengths)
            highest = max(weights, default=0.0) or 1.0
            self._weights = [weight / highest for weight in weights]

    def promise(self, key: int, url: Url) -> float:
        place = self._places.get(key, len(self._weights))
        return self._weights[place] if place < len(self._weights) else 0.0

    def learnt(self) -> bytes:
        return b""

    def _place(self, key: int) -> int:
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self._strengths)
            self._strengths.append(0.0)
        return place
