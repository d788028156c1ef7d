"""Folders as a crawl leaves them, grown without processes or sockets: real visits of a world in a dictionary."""

import asyncio
import gzip
from collections.abc import Mapping
from random import Random

from msgspec import Struct

from whimbrel.flows.gather.deciding import Gathering, Terms
from whimbrel.flows.refresh.again import Again, JudgingRules
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
from whimbrel.repository.contract import ArchivePiece, KnownUrl, Lease, LeaseWanted, RobotsCopy
from whimbrel.repository.engines import open_writer
from whimbrel.repository.location import Where
from whimbrel.repository.warc import metadata, record_id
from whimbrel.testing.clock import JumpingClock
from whimbrel.urls.normal import host
from whimbrel.urls.normal import key as key_of
from whimbrel.urls.resolve import LinkResolver

HOSTS = ("a.example", "b.example")
SEED = Url("http://a.example/")


class Served(Struct, frozen=True):
    """What the world answers at one address."""

    body: bytes
    status: int = 200
    mime: str = "text/html; charset=utf-8"
    location: str = ""
    zipped: bool = False


class Fetcher:
    def __init__(self, world: Mapping[str, Served]) -> None:
        self._world = world

    async def fetch(
        self, url: Url, validators: Validators = NO_VALIDATORS, *, any_type: bool = False
    ) -> Response | Failure | Verdict:
        served = self._world.get(url, Served(b"nothing here", 404))
        if "/private/" in url:
            return refused("robots", "Disallow: /private/")
        if "/broken/" in url:
            return Failure(FailureKind.PROTOCOL, "no status line")
        raw = gzip.compress(served.body, mtime=0) if served.zipped else served.body
        headers = {"content-type": served.mime, "content-length": str(len(raw))}
        headers |= {"location": served.location} if served.location else {}
        headers |= {"content-encoding": "gzip"} if served.zipped else {}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"HTTP/1.1 {served.status} OK\r\n{lines}\r\n".encode()
        asked = f"GET {url} HTTP/1.1\r\n\r\n".encode()
        body = served.body if served.zipped else raw
        return Response(url, served.status, headers, head, raw, body, asked, "http/1.1", "192.0.2.1", 0.01)


def grow(where: Where, *worlds: Mapping[str, Served], seed: int = 1, rollover_bytes: int = 1 << 30) -> None:
    """Crawls the first world into the repository and returns to every page once for each further one, some days later;
    `seed` shuffles the order in which visits come home."""
    grown = _Growing(where, seed, rollover_bytes)
    try:
        grown.plant()
        for number, world in enumerate(worlds):
            grown.crawl(world, days=2.0 * number)
    finally:
        grown.store.close()


class _Growing:
    def __init__(self, where: Where, seed: int, rollover_bytes: int) -> None:
        self.store = open_writer(where, rollover_bytes=rollover_bytes)
        self._chance, self._clock = Random(seed), JumpingClock()
        self._watch, self._terms = Watch(TrapSettings()), Terms(None, None, Order("breadth"))
        self._again = Again(self.store.past, JudgingRules())

    def plant(self) -> None:
        planted = self._gathering().plant([Link(key_of(SEED), SEED, 0, 0, False, "", "")])
        self.store.commit(planted.plan, self._clock())

    def crawl(self, world: Mapping[str, Served], days: float) -> None:
        tools = Tools(
            fetcher=Fetcher(world), resolver=LinkResolver(), cache=UrlCache(10_000), judge=_judge, rewrite=None,
            now=self._clock, agent="whimbrel", assets=True, retries=0, retry_seconds=lambda url, attempt: 1.0,
            busy=lambda url, wait: 1.0, at_work_on=lambda key: None,
        )  # fmt: skip
        self._clock.jump(days * 86_400.0)
        if days:
            self._return(tools)
        while lanes := [lane for lane in self.store.lanes_due() if lane[3] <= self._clock()]:
            lane = self._chance.choice(lanes)[0]
            newest_first = self._chance.random() < 0.5
            places = self.store.lease(LeaseWanted(lane, 12, self._clock(), newest_first=newest_first))
            self._chance.shuffle(places)
            self._visit(places[: self._chance.randint(1, 12)], tools)

    def _return(self, tools: Tools) -> None:
        """Every page that was visited before, in some order."""
        self.store.past.prepare()
        known = list(self.store.known([visited.key for visited in self.store.past.candidates()]).values())
        self._chance.shuffle(known)
        for start in range(0, len(known), 7):
            self._visit([(Lease(-1, 0, 0, row.key, 0), row) for row in known[start : start + 7]], tools)

    def _visit(self, places: list[tuple[Lease, KnownUrl]], tools: Tools) -> None:
        done = []
        for lease, known in places:
            self._clock.jump(0.125)
            task = Task(known.key, known.url, known.depth, known.hops, lease.attempt, bool(known.asset))
            done.append((asyncio.run(visit(task, tools)), lease))
        gathered = self._gathering().take(done)
        gathered.plan.robots = [_robots(known.url, gathered.plan.pieces, self._clock()) for _, known in places[:1]]
        gathered.plan.occurrences = dict(tools.cache.drain())
        self.store.commit(gathered.plan, self._clock())
        self.store.pages = gathered.pages

    def _gathering(self) -> Gathering:
        return Gathering(self.store, self._terms, self._watch, self._clock(), again=self._again)


def _judge(url: Url) -> Verdict:
    return ACCEPTED if host(url) in HOSTS else refused("scope", f"{host(url)} is not the host of a seed")


def _robots(url: Url, pieces: list[ArchivePiece], now: float) -> RobotsCopy:
    """A robots.txt is archived under its own address, without a row of its own."""
    origin = f"http://{host(url)}"
    pieces.append(ArchivePiece(metadata(f"{origin}/robots.txt", now, [("outlinks", "0")], record_id()), 0))
    return RobotsCopy(origin, now, 200, b"User-agent: *\nDisallow: /private/\n")


def page(words: str, links: list[str] = [], *, title: str = "") -> bytes:  # noqa: B006
    """A page with enough text to be told apart by it."""
    text = " ".join([words] * (1 + 220 // max(1, len(words))))
    items = "".join(f'<li><a href="{link}">to {number}</a></li>' for number, link in enumerate(links))
    return f"<!doctype html><html lang=en><title>{title or words}</title><p>{text}</p><ul>{items}</ul>".encode()


def small_world() -> dict[str, Served]:
    """Two hosts; copies of bytes near and far, a copy in other clothes, zipped copies, redirects, failures."""
    twin, other = page("the very same bytes everywhere"), page("another page with copies")
    links = ["/near", "/deep/1", "/moved", "/gone", "/private/x", "/broken/y", "http://b.example/", "http://c.example/",
             "/zipped", "/plain.txt", "/style.css"]  # fmt: skip
    a, b = "http://a.example", "http://b.example"
    return {
        f"{a}/": Served(page("the start page", links) + b"<img src=/look.svg><img src=/again.svg>"),
        f"{a}/look.svg": Served(b"<svg>a picture of a whimbrel</svg>", mime="image/svg+xml"),
        f"{a}/again.svg": Served(b"<svg>a picture of a whimbrel</svg>", mime="image/svg+xml"),
        f"{a}/near": Served(twin),
        f"{a}/deep/1": Served(page("one step down", ["/deep/2", "/copy/1", "/other/1"])),
        f"{a}/deep/2": Served(page("two steps down", ["/copy/2", "/other/2", "/clothes"])),
        f"{a}/copy/1": Served(twin),
        f"{a}/copy/2": Served(twin),
        f"{a}/clothes": Served(twin.replace(b"<p>", b"<p class=fine>")),
        f"{a}/zipped": Served(twin, zipped=True),
        f"{a}/zipped/2": Served(twin, zipped=True),
        f"{a}/other/1": Served(other),
        f"{a}/other/2": Served(other),
        f"{a}/moved": Served(b"", 301, location="/deep/1"),
        f"{a}/plain.txt": Served(b"a plain text of its own, \x1b[31mnot red\n" * 9, mime="text/plain"),
        f"{b}/": Served(page("the other host's start", ["/copy", "/zipped", "http://a.example/zipped/2"])),
        f"{b}/copy": Served(twin),
        f"{b}/zipped": Served(other, zipped=True),
    }


def pages_of(world: Mapping[str, Served]) -> set[str]:
    """Where a page is kept or has a kept twin."""
    return {url for url, served in world.items() if served.status == 200 and not served.mime.startswith("image/")}
