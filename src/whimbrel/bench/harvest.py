"""How many pages a crawl for one kind of page fetches that are of another, beside breadth first and an oracle.

The link graph is that of real sites in files; kinds are what file names, places and headings say (`structure_site`).
A crawl begins at the site's first page and at three examples, and ends when four fifths of the kind's pages have been
fetched. It is told the examples and nothing else: its judge is fitted to the pages it fetched itself.

The oracle knows every page's kind and links, and goes from what it fetched to the nearest page of the kind: close to
the least that any crawl could do.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from random import Random
from statistics import mean, median, quantiles

from msgspec import Struct

from whimbrel.bench.structure_pages import Look, Pages
from whimbrel.bench.structure_site import EXAMPLES, LabelledSite, NotThatSite
from whimbrel.structure.driver import Driver
from whimbrel.structure.leads import Link, Traits
from whimbrel.structure.likeness import Likeness
from whimbrel.structure.shape import Shape
from whimbrel.structure.wanted import encode

SHARE = 0.8
GOAL = 2.0
FITTED_AT = (20, 50, 100, 200, 400, 800)
"""Pages fetched when the judge is fitted anew; after that the sample is large enough."""

Say = Callable[[str], None]


class Crawl(Struct, frozen=True):
    """Pages fetched until four fifths of the kind were among them."""

    fetched: int
    found: int

    @property
    def share(self) -> float:
        return self.found / self.fetched if self.fetched else 0.0


class Harvest(Struct, frozen=True):
    """One kind. `recognised` is the share of its fetched pages that the judge took for it, `right` of those it took
    the share that is."""

    kind: str
    pages: int
    ours: Crawl
    breadth: Crawl
    oracle: Crawl
    recognised: float
    right: float

    @property
    def ratio(self) -> float:
        return self.ours.share / self.breadth.share if self.breadth.share else 0.0


class Cost(Struct, frozen=True):
    """CPU milliseconds a page."""

    name: str
    median: float
    p95: float


class Report(Struct, frozen=True):
    """`ratio` is the mean share of ours over that of breadth first; `request_bytes` the largest request sent."""

    site: str
    reachable: int
    seed: int
    harvests: tuple[Harvest, ...]
    costs: tuple[Cost, ...]
    request_bytes: int

    @property
    def ratio(self) -> float:
        ours = mean(one.ours.share for one in self.harvests)
        return ours / mean(one.breadth.share for one in self.harvests)

    @property
    def reached(self) -> bool:
        return self.ratio >= GOAL


class _Tally:
    """Counts until enough of the kind was fetched."""

    def __init__(self, kind: str, enough: int) -> None:
        self.kind, self.enough = kind, enough
        self.fetched = self.found = 0

    def count(self, page: Look) -> bool:
        """Whether there is more to find."""
        self.fetched += 1
        self.found += page.kind == self.kind
        return self.found < self.enough

    def crawl(self) -> Crawl:
        return Crawl(self.fetched, self.found)


def run(site: LabelledSite, seed: int, say: Say, kinds: Sequence[str] = ()) -> Report:
    pages = Pages(site)
    if site.start not in pages.numbers:
        raise NotThatSite(f"{site.folder} has no {site.start}.")
    say(f"reading {site.name} …")
    order = _breadth_first(pages, [pages.numbers[site.start]])
    looks = {number: pages.look(number) for number in order}
    harvests, judging, largest = [], [], 0
    for kind in kinds or site.kinds:
        say(f"harvesting {kind} …")
        of_it = [number for number, look in looks.items() if look.kind == kind]
        if len(of_it) <= EXAMPLES:
            raise NotThatSite(f"{site.folder} has {len(of_it)} pages of the kind {kind} that links lead to.")
        examples = Random(seed).sample(sorted(of_it), EXAMPLES)
        seeds = [pages.numbers[site.start], *examples]
        enough = round(SHARE * len(of_it))
        ours = _Ours(pages, examples)
        harvests.append(
            Harvest(
                kind, len(of_it), ours.crawl(_Tally(kind, enough), seeds), _breadth(pages, _Tally(kind, enough), seeds),
                _oracle(looks, _Tally(kind, enough), seeds), ours.recognised(kind), ours.right(kind),
            )
        )  # fmt: skip
        judging += ours.took
        largest = max(largest, ours.request_bytes)
    costs = (
        _cost("the elements of a parsed page in order", pages.costs.outlines),
        _cost("its shape", pages.costs.shapes),
        _cost("judging its shape", judging),
        _cost("places and traits of its links", pages.costs.traits),
    )
    return Report(site.name, len(order), seed, tuple(harvests), costs, largest)


class _Ours:
    """A crawl with the product's own judge and link learner."""

    def __init__(self, pages: Pages, examples: Sequence[int]) -> None:
        self._pages = pages
        self._driver: Driver[None] = Driver()
        self._shapes = [pages.look(number).shape for number in examples]
        self._names = [pages.url(number) for number in examples]
        self._sample: list[Shape] = []
        self._judged: list[tuple[str, bool]] = []
        self.took: list[float] = []
        self.request_bytes = 0
        self._fit()
        # Where the examples are is all that is known of such pages before the first link.
        for traits in self._driver.notice(Link(name, "", "", 0) for name in self._names):
            self._driver.leads.learn(traits, 1.0, 0.0)

    def crawl(self, tally: _Tally, seeds: Sequence[int]) -> Crawl:
        done: set[int] = set()
        waiting: deque[tuple[int, Traits | None]] = deque((number, None) for number in dict.fromkeys(seeds))
        while following := waiting.popleft() if waiting else self._driver.prospects.take():
            number, followed = following
            if number in done:
                continue
            done.add(number)
            page = self._pages.look(number)
            if not tally.count(page):
                break
            if page.stub:
                waiting.extend((target, followed) for target, _ in page.links if target not in done)
            else:
                self._take_in(number, page, followed)
        return tally.crawl()

    def recognised(self, kind: str) -> float:
        own = [alike for true, alike in self._judged if true == kind]
        return mean(own) if own else 0.0

    def right(self, kind: str) -> float:
        taken = [true == kind for true, alike in self._judged if alike]
        return mean(taken) if taken else 0.0

    def _take_in(self, number: int, page: Look, followed: Traits | None) -> None:
        began = time.process_time()
        seen = self._driver.judge(page.shape)
        self.took.append(1000 * (time.process_time() - began))
        self._judged.append((page.kind, seen.judged.alike))
        self._driver.take_in(number, seen, followed, page.links)
        if len(self._sample) < FITTED_AT[-1]:
            self._sample.append(page.shape)
            if len(self._sample) in FITTED_AT:
                self._fit()

    def _fit(self) -> None:
        wanted = Likeness(self._shapes, self._sample, self._names).wanted(1, 1.0)
        self.request_bytes = max(self.request_bytes, len(encode(wanted)))
        self._driver.want(wanted)


def _breadth_first(pages: Pages, seeds: Sequence[int]) -> list[int]:
    found = dict.fromkeys(seeds)
    waiting = deque(found)
    while waiting:
        for target, _ in pages.look(waiting.popleft()).links:
            if target not in found:
                found[target] = None
                waiting.append(target)
    return list(found)


def _breadth(pages: Pages, tally: _Tally, seeds: Sequence[int]) -> Crawl:
    for number in _breadth_first(pages, list(dict.fromkeys(seeds))):
        if not tally.count(pages.look(number)):
            break
    return tally.crawl()


def _oracle(looks: dict[int, Look], tally: _Tally, seeds: Sequence[int]) -> Crawl:
    """The page of the kind next to what was fetched, and what lies between, again and again (Takahashi, Matsuyama)."""
    fetched: set[int] = set()
    far: dict[int, int] = {}
    before: dict[int, int | None] = {}
    heap: list[tuple[int, int]] = []

    def nearer(number: int, distance: int, through: int | None) -> None:
        if number in looks and number not in fetched and distance < far.get(number, len(looks)):
            far[number], before[number] = distance, through
            heappush(heap, (distance, number))

    for number in seeds:
        nearer(number, 0, None)
    while heap:
        distance, number = heappop(heap)
        if number in fetched or distance > far[number]:
            continue
        if looks[number].kind != tally.kind and distance:
            for target, _ in looks[number].links:
                nearer(target, distance + 1, number)
            continue
        between: int | None = number
        while between is not None and between not in fetched:
            fetched.add(between)
            if not tally.count(looks[between]):
                return tally.crawl()
            for target, _ in looks[between].links:
                nearer(target, 1, between)
            between = before[between]
    return tally.crawl()


def _cost(name: str, took: list[float]) -> Cost:
    p95 = quantiles(took, n=20)[-1] if len(took) > 1 else max(took, default=0.0)
    return Cost(name, median(took) if took else 0.0, p95)
