"""How many pages a crawl for one kind of page fetches that are of another, beside breadth first and an oracle.

The link graph is that of real sites in files; kinds are what file names, places and headings say (`structure_site`).
A crawl begins at the site's first page and at three examples, and ends when four fifths of the kind's pages have been
fetched. It is told the examples and nothing else: its judge is fitted to the pages it fetched itself, and its order is
that of a crawl with one migrant: a queue at home by what links promised when they were found, and a window of it in the
migrant's hands by what they promise now.

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

from whimbrel.bench.goals import Goal, at_least
from whimbrel.bench.structure_pages import PageLook, SitePages
from whimbrel.bench.structure_site import EXAMPLES, LabelledSite, NotThatSite
from whimbrel.frontier.order import Order, promised
from whimbrel.judges.alike import FITTED_AT
from whimbrel.judges.prospects import Prospects
from whimbrel.migrants.home.ledger import WINDOWS
from whimbrel.structure.driver import Driver
from whimbrel.structure.leads import Traits
from whimbrel.structure.likeness import KindLikeness
from whimbrel.structure.shape import Shape
from whimbrel.structure.wanted import encode

SHARE = 0.8
WINDOW = WINDOWS[Order.STRUCTURE]
GOAL = 2.0
HANDED_OVER_EVERY = 32
"""Pages between two commits at home, as a fast site has them; from a slow one each page comes in by itself."""

Say = Callable[[str], None]


class HarvestCrawl(Struct, frozen=True):
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
    ours: HarvestCrawl
    breadth: HarvestCrawl
    oracle: HarvestCrawl
    recognised: float
    right: float

    @property
    def ratio(self) -> float:
        return self.ours.share / self.breadth.share if self.breadth.share else 0.0

    @property
    def most(self) -> float:
        """The ratio of a crawl that fetches nothing else."""
        return 1 / self.breadth.share if self.breadth.share else 0.0


class JudgingCost(Struct, frozen=True):
    """CPU milliseconds a page."""

    name: str
    median: float
    p95: float


class HarvestReport(Struct, frozen=True):
    """`ratio` is the mean share of ours over that of breadth first, over the kinds where twice breadth first's share is
    possible at all; `ratio_of_all` over all kinds. `request_bytes` is the largest request sent."""

    site: str
    reachable: int
    seed: int
    harvests: tuple[Harvest, ...]
    costs: tuple[JudgingCost, ...]
    request_bytes: int

    @property
    def ratio(self) -> float:
        return _ratio([one for one in self.harvests if one.most >= GOAL])

    @property
    def ratio_of_all(self) -> float:
        return _ratio(self.harvests)


class _Tally:
    """Counts until enough of the kind was fetched."""

    def __init__(self, kind: str, enough: int) -> None:
        self.kind, self.enough = kind, enough
        self.fetched = self.found = 0

    def count(self, page: PageLook) -> bool:
        """Whether there is more to find."""
        self.fetched += 1
        self.found += page.kind == self.kind
        return self.found < self.enough

    def crawl(self) -> HarvestCrawl:
        return HarvestCrawl(self.fetched, self.found)


def goals(report: HarvestReport) -> list[Goal]:
    if not any(one.most >= GOAL for one in report.harvests):
        return []
    return [at_least("share of fitting pages over breadth first's, where twice is possible", report.ratio, GOAL)]


def run(site: LabelledSite, seed: int, say: Say, kinds: Sequence[str] = ()) -> HarvestReport:
    pages = SitePages(site)
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
    return HarvestReport(site.name, len(order), seed, tuple(harvests), costs, largest)


class CrawlQueue:
    """What waits, as home and a migrant share it."""

    def __init__(self, promise: Callable[[int], float]) -> None:
        self._promise = promise
        self._home: list[tuple[int, int]] = []
        self._hand: deque[int] = deque()
        self._prospects: Prospects[int] = Prospects(lambda number: number, promise)
        self._found = 0
        self._taken = 0
        self._numbers: dict[int, int] = {}

    def put(self, number: int) -> None:
        self._found += 1
        self._numbers[self._found] = number
        heappush(self._home, (promised(self._promise(number)), self._found))

    def take(self) -> int | None:
        if not self._taken % HANDED_OVER_EVERY or not self._hand:
            self._hand_over()
        self._taken += 1
        if self._hand:
            self._prospects.freshen(self._hand, self._taken)
        return self._hand.popleft() if self._hand else None

    def _hand_over(self) -> None:
        if len(self._hand) < WINDOW and self._home:
            given = [heappop(self._home) for _ in range(min(len(self._home), WINDOW - len(self._hand)))]
            held = [*self._hand, *(self._numbers.pop(found) for _, found in given)]
            self._hand = deque(self._prospects.ordered(held, self._taken))


class _Ours:
    """A crawl with the product's own judge and link learner."""

    def __init__(self, pages: SitePages, examples: Sequence[int]) -> None:
        self._pages = pages
        self._driver = Driver()
        self._shapes = [pages.look(number).shape for number in examples]
        self._names = [pages.url(number) for number in examples]
        self._sample: list[Shape] = []
        self._judged: list[tuple[str, bool]] = []
        self._traits: dict[int, Traits] = {}
        self._queue = CrawlQueue(lambda number: self._driver.leads.score(self._traits[number]))
        self.took: list[float] = []
        self.request_bytes = 0
        self._fit()
        self._driver.show(self._names)

    def crawl(self, tally: _Tally, seeds: Sequence[int]) -> HarvestCrawl:
        done: set[int] = set()
        waiting = deque(dict.fromkeys(seeds))
        while (number := waiting.popleft() if waiting else self._queue.take()) is not None:
            if number in done:
                continue
            done.add(number)
            page = self._pages.look(number)
            if not tally.count(page):
                break
            if page.stub:
                followed = self._traits.get(number)
                for target, _ in page.links:
                    if followed is not None:
                        self._traits.setdefault(target, followed)
                waiting.extend(target for target, _ in page.links if target not in done)
            else:
                self._take_in(number, page)
        return tally.crawl()

    def recognised(self, kind: str) -> float:
        own = [alike for true, alike in self._judged if true == kind]
        return mean(own) if own else 0.0

    def right(self, kind: str) -> float:
        taken = [true == kind for true, alike in self._judged if alike]
        return mean(taken) if taken else 0.0

    def _take_in(self, number: int, page: PageLook) -> None:
        began = time.process_time()
        seen = self._driver.judge(page.shape)
        self.took.append(1000 * (time.process_time() - began))
        self._judged.append((page.kind, seen.judged.alike))
        new = {target: link for target, link in page.links if not self._driver.fetched(target)}
        found = [target for target in new if target not in self._traits]
        self._traits.update((target, new[target]) for target in found)
        lessons = [(target, link) for target, link in page.links if target not in new]
        followed = self._traits.get(number)
        self._driver.take_in(number, seen, followed, [self._traits[target] for target in new], lessons)
        for target in found:
            self._queue.put(target)
        if len(self._sample) < FITTED_AT[-1]:
            self._sample.append(page.shape)
            if len(self._sample) in FITTED_AT:
                self._fit()

    def _fit(self) -> None:
        wanted = KindLikeness(self._shapes, self._sample, self._names).wanted(1, 1.0)
        self.request_bytes = max(self.request_bytes, len(encode(wanted)))
        self._driver.want(wanted)


def _breadth_first(pages: SitePages, seeds: Sequence[int]) -> list[int]:
    found = dict.fromkeys(seeds)
    waiting = deque(found)
    while waiting:
        for target, _ in pages.look(waiting.popleft()).links:
            if target not in found:
                found[target] = None
                waiting.append(target)
    return list(found)


def _breadth(pages: SitePages, tally: _Tally, seeds: Sequence[int]) -> HarvestCrawl:
    for number in _breadth_first(pages, list(dict.fromkeys(seeds))):
        if not tally.count(pages.look(number)):
            break
    return tally.crawl()


def _oracle(looks: dict[int, PageLook], tally: _Tally, seeds: Sequence[int]) -> HarvestCrawl:
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


def _ratio(harvests: Sequence[Harvest]) -> float:
    if not harvests:
        return 0.0
    return mean(one.ours.share for one in harvests) / mean(one.breadth.share for one in harvests)


def _cost(name: str, took: list[float]) -> JudgingCost:
    p95 = quantiles(took, n=20)[-1] if len(took) > 1 else max(took, default=0.0)
    return JudgingCost(name, median(took) if took else 0.0, p95)
