"""Sites that grow at random: every page that came after the first crawl is told as new, once, and no other is."""

import asyncio
import tempfile
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from grown_folder import SEED, Fetcher, Served, page
from whimbrel.flows.gather.deciding import Gathering, Terms
from whimbrel.flows.refresh.again import Again, JudgingRules
from whimbrel.flows.refresh.course import Course, RefreshWish
from whimbrel.flows.visit.crawl import visit
from whimbrel.flows.visit.tools import Tools
from whimbrel.frontier.cache import UrlCache
from whimbrel.frontier.order import Order
from whimbrel.frontier.traps import TrapSettings
from whimbrel.frontier.watch import Watch
from whimbrel.records.task import Task
from whimbrel.records.verdict import ACCEPTED
from whimbrel.records.visit import Link
from whimbrel.repository.contract import LeaseWanted
from whimbrel.repository.embedded.changes import Tellings
from whimbrel.repository.embedded.store import Store
from whimbrel.testing.clock import JumpingClock
from whimbrel.urls.normal import key as key_of
from whimbrel.urls.resolve import LinkResolver

MENU = 3
"""Links that stand above every page; the rest of a page's links are its own."""


class Site:
    """Page N hangs on a page that was there before it. Some links stand in a menu on every page."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._links: list[list[int]] = [[]]
        self._menu: list[int] = []

    def grow(self, pages: int) -> None:
        for _ in range(pages):
            number = len(self._links)
            if len(self._menu) < MENU and self._chance.random() < 0.2:
                self._menu.append(number)
            else:
                self._chance.choice(self._links).append(number)
            self._links.append([])

    def __len__(self) -> int:
        return len(self._links)

    def serve(self) -> dict[str, Served]:
        menu = "".join(f'<li><a href="{address(number)}">{number}</a></li>' for number in self._menu)
        nav = f"<nav><ul>{menu}</ul></nav>".encode()
        return {
            address(number): Served(page(f"page number {number} of many", [*map(address, links)]) + nav)
            for number, links in enumerate(self._links)
        }


def address(number: int) -> str:
    return SEED if number == 0 else f"{SEED}p{number}"


class Follower:
    """Crawls and refreshes a folder without processes. A run that is killed loses what it had not committed, and all
    that it knew; `killed` is the chance of that after each commit."""

    def __init__(self, folder: Path, chance: Random, killed: float) -> None:
        self._folder = folder
        self._chance = chance
        self._killed = killed
        self._clock = JumpingClock()

    def crawl(self, world: dict[str, Served], limit: int | None = None) -> None:
        while not self._run(world, limit, None):
            pass

    def refresh(self, world: dict[str, Served]) -> None:
        while not self._run(world, None, RefreshWish(everything=True, sitemaps=False)):
            pass

    def _run(self, world: dict[str, Served], limit: int | None, wish: RefreshWish | None) -> bool:
        """Whether it came to its end."""
        clock = self._clock
        clock.jump(60.0)
        store = Store(self._folder)
        try:
            store.survey(clock(), refreshing=wish is not None)
            terms = Terms(limit, None, Order("breadth"), refreshing=wish is not None)
            watch, again = Watch(TrapSettings()), Again(store.past, JudgingRules())
            seeds = [] if wish else [Link(key_of(SEED), SEED, 0, 0, False, "", "")]
            store.commit(Gathering(store, terms, watch, clock()).plant(seeds).plan, clock())
            course = Course(store, wish, terms.order, clock()) if wish else None
            tools = self._tools(world)
            while True:
                lanes = store.lanes_due()
                if not lanes and course is not None and course.more(clock()):
                    continue
                if not lanes or (limit is not None and store.pages >= limit):
                    break
                places = store.lease(LeaseWanted(lanes[0][0], self._chance.randint(1, 9), clock()))
                done = []
                for lease, known in places:
                    clock.jump(0.5)
                    task = Task(known.key, known.url, known.depth, known.hops, lease.attempt, False)
                    done.append((asyncio.run(visit(task, tools)), lease))
                self._chance.shuffle(done)
                gathered = Gathering(store, terms, watch, clock(), again=again).take(done)
                store.commit(gathered.plan, clock())
                store.pages = gathered.pages
                if self._chance.random() < self._killed:
                    return False
            if course is not None:
                course.finish()
            return True
        finally:
            store.close()

    def _tools(self, world: dict[str, Served]) -> Tools:
        return Tools(
            fetcher=Fetcher(world), resolver=LinkResolver(), cache=UrlCache(10_000), judge=lambda url: ACCEPTED,
            rewrite=None, now=self._clock, agent="whimbrel", assets=False, retries=0,
            retry_seconds=lambda url, attempt: 1.0, busy=lambda url, wait: 1.0, at_work_on=lambda key: None,
        )  # fmt: skip

    def told(self) -> list[tuple[str, str, float]]:
        with Tellings(self._folder) as reader:
            return [(one.what, one.url, one.at) for one in reader.since(0.0) if one.what in ("first", "new")]

    @property
    def now(self) -> float:
        return self._clock()


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 1 << 32),
    first=st.integers(2, 25),
    growth=st.lists(st.integers(0, 8), min_size=1, max_size=3),
    limit=st.none() | st.integers(1, 20),
    killed=st.sampled_from((0.0, 0.3)),
)
def test_every_page_is_told_once_by_the_refresh_that_finds_it(
    seed: int, first: int, growth: list[int], limit: int | None, killed: float
) -> None:
    chance = Random(seed)
    site = Site(chance)
    site.grow(first)
    with tempfile.TemporaryDirectory() as folder:
        follower = Follower(Path(folder), chance, killed)
        if limit is not None:
            follower.crawl(site.serve(), limit)
        follower.crawl(site.serve())
        expected = {("first", address(number)) for number in range(len(site))}
        assert sorted((what, url) for what, url, _ in follower.told()) == sorted(expected)
        for pages in growth:
            began, before = follower.now, len(site)
            site.grow(pages)
            follower.refresh(site.serve())
            news = {("new", address(number)) for number in range(before, len(site))}
            expected |= news
            told = follower.told()
            assert sorted((what, url) for what, url, _ in told) == sorted(expected)
            assert {(what, url) for what, url, at in told if at > began} == news
