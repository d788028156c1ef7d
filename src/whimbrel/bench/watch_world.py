"""A month of a watch over many sites, by a clock that is given: real visits, judgements and notices, and a world that
knows what it changed and when.

Each site has pages that are rewritten in a place from time to time. One site stops answering, one moves to another
host, one begins to refuse us, and one is away for a week. What has to be told is known from the answers that were
given: a page whose words are other than at the last visit is told in the round of the visit that saw it, once; a site
that answers no more is told once, and once when it is back.
"""

import asyncio
import re
from collections import Counter
from math import inf
from pathlib import Path
from random import Random

from msgspec import Struct

from whimbrel.flows.gather.deciding import Gathered, Gathering, Terms
from whimbrel.flows.refresh.again import Again, JudgingRules
from whimbrel.flows.refresh.course import Course, RefreshWish
from whimbrel.flows.telling.digest import MOST_SHOWN, NoticeText
from whimbrel.flows.telling.news import NewsFilter
from whimbrel.flows.telling.notices import Notices, NoticeWanted
from whimbrel.flows.telling.webhook import Taken
from whimbrel.flows.visit.crawl import visit
from whimbrel.flows.visit.tools import Tools
from whimbrel.frontier.cache import UrlCache
from whimbrel.frontier.order import Order
from whimbrel.frontier.traps import TrapSettings
from whimbrel.frontier.watch import Watch
from whimbrel.records.response import Failure, FailureKind, Response
from whimbrel.records.task import NO_VALIDATORS, Task, Validators
from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED, Verdict, refused
from whimbrel.records.visit import Link
from whimbrel.repository.contract import KnownUrl, Lease, LeaseWanted
from whimbrel.repository.engines import open_writer
from whimbrel.urls.normal import host
from whimbrel.urls.normal import key as key_of
from whimbrel.urls.resolve import LinkResolver

DAY = 86_400.0
KNOWN_AFTER = 8.0
"""Days by which a site's fate has to be known: its pages are visited once a week or more often."""
BEGAN = 1_000_000_000.0
PAGES = 6
PARAGRAPHS = 12
RESTS, DIES, MOVES, BLOCKS = 3, 7, 11, 13
"""The sites whose fate is another, by number; what befalls them begins on these days."""
RESTS_ON, DIES_ON, MOVES_ON, BLOCKS_ON = 6.0, 9.0, 12.0, 15.0
RESTED_ON = 13.0
_SYLLABLES = ["ba", "del", "fin", "gor", "hul", "kam", "lo", "mer", "nis", "pol", "ras", "tun", "vel", "wix", "yor"]
_ADDRESS = re.compile(r"^(\w+)[^:\n]*: .*\n(https://\S+)$", re.MULTILINE)
_OF_SITES = {"Away": "away", "Answers": "answers"}


class WatchMonth(Struct, frozen=True):
    """How large the world is, and how often it is looked at."""

    sites: int = 50
    days: float = 30.0
    round_hours: float = 1.0
    changes_a_day: float = 0.12
    seed: int = 1


class RoundSaid(Struct, frozen=True):
    """`seen` are pages of ordinary sites whose words were other than at the visit before, `told` those that a notice
    named, `sites` what it said of whole sites; `counted` is how many changes it says there are."""

    seen: frozenset[str]
    told: frozenset[str]
    sites: tuple[str, ...]
    counted: int


class WatchedWorld:
    """Answers as its sites do at the moment `now`."""

    def __init__(self, month: WatchMonth) -> None:
        self._month = month
        self.now = BEGAN
        self.requests = 0
        self._last: dict[str, bytes] = {}
        self.seen: set[str] = set()
        self._moments = {url: self._rewritten(url) for number in range(month.sites) for url in self.urls(number)}

    def urls(self, site: int) -> list[str]:
        return [f"https://site-{site:02}.example/{f'page-{page}' if page else ''}" for page in range(PAGES)]

    def fate(self, url: str) -> str:
        """What befalls its site today."""
        day, number = (self.now - BEGAN) / DAY, int(url[len("https://site-") :][:2])
        fates = {
            RESTS: ("rests", RESTS_ON, RESTED_ON), DIES: ("dies", DIES_ON, inf), MOVES: ("moves", MOVES_ON, inf),
            BLOCKS: ("blocks", BLOCKS_ON, inf),
        }  # fmt: skip
        name, begins, ends = fates.get(number, ("", inf, inf))
        return name if begins <= day < ends else ""

    @property
    def changes(self) -> int:
        """Rewritings so far."""
        return sum(sum(moment <= self.now for moment in moments) for moments in self._moments.values())

    def _rewritten(self, url: str) -> list[float]:
        dice = Random(f"{self._month.seed} {url}")
        rate = self._month.changes_a_day * dice.lognormvariate(0.0, 0.8) / DAY
        moments, at = [], BEGAN + dice.expovariate(rate)
        while at < BEGAN + self._month.days * DAY:
            moments.append(at)
            at += dice.expovariate(rate)
        return moments

    def _page(self, url: str) -> bytes:
        """Every rewriting puts other words into one paragraph, which is the next one each time."""
        dice = Random(url)
        written = [_paragraph(dice) for _ in range(PARAGRAPHS)]
        for number, moment in enumerate(self._moments[url]):
            if moment <= self.now:
                written[number % PARAGRAPHS] = _paragraph(Random(f"{url} {number}"))
        site = url[: url.index("/", 8)]
        links = "".join(f"<li><a href='{site}/page-{page}'>Page {page}</a>" for page in range(1, PAGES))
        text = "".join(f"<p>{one}</p>" for one in written)
        return f"<title>{url[8:]}</title><nav><ul>{links}</ul></nav><main><h1>{url[8:]}</h1>{text}</main>".encode()

    async def fetch(
        self, url: Url, validators: Validators = NO_VALIDATORS, *, any_type: bool = False
    ) -> Response | Failure | Verdict:
        self.requests += 1
        if url not in self._moments:
            return _answer(url, 404, b"<p>nothing here")
        match self.fate(url):
            case "dies" | "rests":
                return Failure(FailureKind.CONNECT, "nobody answers")
            case "moves":
                return _answer(url, 301, b"", location=url.replace("site-", "new-"))
            case "blocks":
                return _answer(url, 403, b"<p>not you")
        body = self._page(url)
        if self._last.setdefault(url, body) != body:
            self.seen.add(url)
            self._last[url] = body
        return _answer(url, 200, body)


def _paragraph(dice: Random) -> str:
    words = ("".join(dice.choice(_SYLLABLES) for _ in range(dice.randint(1, 3))) for _ in range(25))
    return " ".join(words).capitalize() + "."


def _answer(url: Url, status: int, body: bytes, location: str = "") -> Response:
    headers = {"content-type": "text/html; charset=utf-8"} | ({"location": location} if location else {})
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    head = f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode()
    return Response(url, status, headers, head, body, body, b"", "", "", 0.0)


class SimulatedWatch:
    """A folder that is watched: what home and a migrant do in a round, one after the other."""

    def __init__(self, folder: Path, world: WatchedWorld) -> None:
        self._world = world
        self._store = open_writer(folder)
        self._watch = Watch(TrapSettings())
        self._admitted: Counter[str] = Counter()
        self._tools = Tools(
            fetcher=world, resolver=LinkResolver(), cache=UrlCache(100_000), judge=_within, rewrite=None,
            now=lambda: world.now, agent="whimbrel", assets=False, retries=2, retry_seconds=lambda url, attempt: 60.0,
            busy=lambda url, wait: 600.0, at_work_on=lambda key: None,
        )  # fmt: skip
        self._again: Again | None = None
        self._notices = Notices(folder, NoticeWanted("bench://", NewsFilter(), most_an_hour=1_000))
        self._taken: list[NoticeText] = []

    def crawl(self, sites: int) -> None:
        seeds = [Url(self._world.urls(number)[0]) for number in range(sites)]
        links = [Link(key_of(url), url, 0, 0, False, "", "") for url in seeds]
        self._settle(self._gathering().plant(links))
        self._visit_due()
        self._notices.begin(self._world.now)

    def round(self) -> RoundSaid:
        """Visits what is due, and tells."""
        world = self._world
        world.seen.clear()
        self._again = Again(self._store.past, JudgingRules(twice=True))
        course = Course(self._store, RefreshWish(sitemaps=False), Order.BREADTH, world.now)
        self._visit_due()
        while course.more(world.now):
            self._visit_due()
        self._settle(self._gathering().look_back())
        course.finish()
        self._taken.clear()
        delivered = self._notices.deliver(self._take, world.now, 0)
        said = [pair for notice in self._taken for pair in _ADDRESS.findall(notice.body)]
        told = frozenset(url for verb, url in said if verb not in _OF_SITES)
        sites = tuple(f"{host(url)} {_OF_SITES[verb]}" for verb, url in said if verb in _OF_SITES)
        return RoundSaid(frozenset(world.seen), told, sites, delivered.changes)

    def close(self) -> None:
        self._store.close()

    def _take(self, notice: NoticeText) -> Taken:
        self._taken.append(notice)
        return Taken()

    def _gathering(self) -> Gathering:
        terms = Terms(None, None, Order.BREADTH, refreshing=self._again is not None)
        return Gathering(self._store, terms, self._watch, self._world.now, self._admitted, self._again)

    def _settle(self, gathered: Gathered) -> None:
        self._store.commit(gathered.plan, self._world.now)
        self._store.pages = gathered.pages

    def _visit_due(self) -> None:
        while due := self._due():
            visits = [
                (
                    asyncio.run(visit(Task(row.key, row.url, row.depth, row.hops, lease.attempt, False), self._tools)),
                    lease,
                )
                for lease, row in due
            ]
            self._settle(self._gathering().take(visits))

    def _due(self) -> list[tuple[Lease, KnownUrl]]:
        lanes = [lane[0] for lane in self._store.lanes_due()]
        return [place for lane in lanes for place in self._store.lease(LeaseWanted(lane, 100, self._world.now))]


def _within(url: Url) -> Verdict:
    return ACCEPTED if host(url).startswith("site-") else refused("scope", "another host")


class MonthReport(Struct, frozen=True):
    """`late` were seen and not told in that round, `unasked` told without having been seen to change, `again` a fate of
    a site that was told of one page twice; `fates` is how many pages of each site with a fate were told of. `heard`
    is what was told of whole sites, `amiss` how much of that was told too often, too seldom or without need."""

    sites: int
    rounds: int
    requests: int
    rewritten: int
    seen: int
    told: int
    late: int
    unasked: int
    again: int
    fates: dict[str, int]
    heard: list[str]
    amiss: int


def month(wanted: WatchMonth, folder: Path) -> MonthReport:
    world = WatchedWorld(wanted)
    watch = SimulatedWatch(folder, world)
    watch.crawl(wanted.sites)
    rounds = round(wanted.days * 24 / wanted.round_hours)
    seen = told = late = unasked = 0
    fates: dict[str, Counter[str]] = {name: Counter() for name in ("rests", "dies", "moves", "blocks")}
    sites: list[str] = []
    for _ in range(rounds):
        world.now += wanted.round_hours * 3600
        said = watch.round()
        fated = {url for url in said.told if world.fate(url)}
        for url in fated:
            fates[world.fate(url)][url] += 1
        ordinary = said.told - fated
        sites += said.sites
        seen, told = seen + len(said.seen), told + len(ordinary)
        # Of many changes a notice names the greatest: the others are counted.
        uncounted = 0 if said.counted <= MOST_SHOWN else said.counted - len(said.told) - len(said.sites)
        late += max(0, len(said.seen - ordinary) - uncounted)
        unasked += len(ordinary - said.seen)
    watch.close()
    again = sum(count - 1 for counts in fates.values() for count in counts.values())
    return MonthReport(
        wanted.sites, rounds, world.requests, world.changes, seen, told, late, unasked, again,
        {name: len(counts) for name, counts in fates.items()}, sites, _amiss(sites, wanted.days),
    )  # fmt: skip


def _amiss(sites: list[str], days: float) -> int:
    """What befell before the last days of the month has to be told by its end."""
    befell = [
        (RESTS, "away", RESTS_ON), (RESTS, "answers", RESTED_ON), (DIES, "away", DIES_ON), (BLOCKS, "away", BLOCKS_ON),
    ]  # fmt: skip
    due = Counter(f"site-{site:02}.example {what}" for site, what, at in befell if at < days - KNOWN_AFTER)
    may = Counter(f"site-{site:02}.example {what}" for site, what, at in befell if at < days)
    told = Counter(sites)
    return (due - told).total() + (told - may).total()
