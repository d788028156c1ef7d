"""How much of each site is here and how old it is: coverage, classes of change, freshness and age.

Coverage is counted. Whether a copy is up to date is known at the moment of a visit only: what the last visits found is
measured, what is so now is estimated from how often each page changes, over a sample where there are many.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from msgspec import Struct

from whimbrel.flows.listing import STEPS
from whimbrel.flows.refresh.again import HERE
from whimbrel.flows.refresh.expecting import Expecting, signals
from whimbrel.flows.refresh.trusting import LASTMOD
from whimbrel.flows.refresh.weighing import Weighing
from whimbrel.repository.contract import Visited
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import ListedUrl, Reached
from whimbrel.revisit.classes import INTERVALS
from whimbrel.revisit.history import expected_age, silent_chance

BATCH = 256
SAMPLE = 5_000
"""Pages that estimates are made from, of all sites together: half a per cent of doubt in a share."""


PAGES, UNIQUE, INDEXED, RANK = "pages", "unique", "indexed", "rank"
ASKED_FOR_A_PRIOR = 60


class Reach(Struct, frozen=True):
    """Of `whole` (pages, or their weight by links) what sitemaps list and what links lead to."""

    whole: float
    in_sitemaps: float
    linked: float

    @property
    def by_sitemap(self) -> float:
        return self.in_sitemaps / self.whole

    @property
    def by_links(self) -> float:
        return self.linked / self.whole


NOTHING = Reach(0.0, 0.0, 0.0)


class Upkeep(Struct, frozen=True):
    """`fresh` and `age_seconds` are estimated for now, from `sample` pages. Measured: of `seen_again` pages that were
    visited more than once, `found_as_kept` were still so at their last visit; of `announced` pages a sitemap has told
    of a change that is not fetched yet, the first of them at `announced_at`."""

    sample: int
    fresh: float
    age_seconds: float
    seen_again: int
    found_as_kept: int
    announced: int
    announced_at: float | None


class SiteFigures(Struct, frozen=True):
    """`coverage` is over "pages" (copies of others among them), "unique" and "indexed" ones, and "rank", their weight
    by links, which is `weighed_by` PageRank or links counted. `classes` counts the pages of the sample."""

    host: str
    weighed_by: str
    coverage: dict[str, Reach]
    upkeep: Upkeep
    classes: dict[str, int]


def site_figures(reader: Reader, ranks: Mapping[int, float], now: float) -> list[SiteFigures]:
    """The sites with most pages first."""
    weigher = Weighing(ranks)
    coverage = _coverage(reader.reached(), weigher, ranks)
    sampled: defaultdict[str, list[Visited]] = defaultdict(list)
    pages = _pages(reader)
    for one in pages:
        sampled[one.host].append(one)
    expecting = Expecting(pages, reader.witnesses(LASTMOD), ASKED_FOR_A_PRIOR)
    biggest = sorted(coverage.items(), key=lambda item: (-item[1][PAGES].whole, item[0]))
    return [
        SiteFigures(host, weigher.by, covered, *_looked_at(sampled[host], expecting, now)) for host, covered in biggest
    ]


def paces(reader: Reader, listed: Iterable[ListedUrl]) -> Iterator[tuple[ListedUrl, str]]:
    """Each with the class of how often it changes; none where it was never visited, or is part of a page."""
    expecting: Expecting | None = None
    rows = iter(listed)
    while some := list(islice(rows, BATCH)):
        if expecting is None:
            expecting = Expecting(_pages(reader), reader.witnesses(LASTMOD), ASKED_FOR_A_PRIOR)
        visited = (one for one in reader.candidates_among([row.key for row in some]) if one.outcome in HERE)
        found = {one.key: expecting.pace(one, expecting.history(one)) for one in visited if not one.asset}
        yield from ((row, found.get(row.key, "")) for row in some)


def _pages(reader: Reader) -> list[Visited]:
    """A sample, from which is learned what to expect of pages."""
    return [one for one in reader.candidates(SAMPLE) if one.outcome in HERE and not one.asset]


def _coverage(pages: Iterable[Reached], weigher: Weighing, ranks: Mapping[int, float]) -> dict[str, dict[str, Reach]]:
    # Alike pages are added up first: a folder has many pages and few ways to come upon one.
    alike: defaultdict[tuple[str, int, int, bool, bool], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for key, host, kept, listed, depth, met in pages:
        sums = alike[host, kept, listed, depth < STEPS, key in ranks]
        sums[0] += 1.0
        sums[1] += weigher.times_mean(key, met)
    found: defaultdict[str, dict[str, Reach]] = defaultdict(dict)
    for (host, kept, listed, linked, indexed), (count, weight) in alike.items():
        for over, amount in ((PAGES, count), (UNIQUE, count * kept), (INDEXED, count * indexed), (RANK, weight)):
            if amount:
                before = found[host].get(over, NOTHING)
                found[host][over] = Reach(
                    before.whole + amount, before.in_sitemaps + amount * listed, before.linked + amount * linked
                )
    return found


def _looked_at(pages: Iterable[Visited], expecting: Expecting, now: float) -> tuple[Upkeep, dict[str, int]]:
    count = seen = as_kept = announced = 0
    fresh = age = 0.0
    first: float | None = None
    classes: Counter[str] = Counter()
    for one in pages:
        history = expecting.history(one)
        classes[expecting.pace(one, history)] += 1
        elapsed = max(0.0, now - history.visited_at)
        stays, aged = 1.0 - silent_chance(history, elapsed), expected_age(history, elapsed)
        if signals(one, history) and one.announced_at is not None:
            told = expecting.witness(one.lane).precision
            stays, aged = stays * (1.0 - told), aged + told * (max(0.0, now - one.announced_at) - aged)
            announced += 1
            first = min(one.announced_at, first or one.announced_at)
        count, fresh, age = count + 1, fresh + stays, age + aged
        seen += history.visits > 1
        as_kept += history.visits > 1 and not history.recent & 1
    many = max(1, count)
    upkeep = Upkeep(count, fresh / many, age / many, seen, as_kept, announced, first)
    return upkeep, {name: classes[name] for name in INTERVALS if classes[name]}
