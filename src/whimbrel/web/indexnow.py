"""Sites tell that pages of theirs changed (IndexNow): a witness for the next refresh, no order.

Anybody can send anything here. So every ping that is well formed is answered alike, whatever the folder holds, and
looked at afterwards: only hosts of the folder count, and only where the key that came along stands in a file on that
very host. That file is the one thing that is asked for: a text file without a query, so that nobody makes us ask for
what does something; from no other host or port than the folder's, never in private networks that its owner did not
name, once a minute for a host at most. What the folder holds is looked up once a minute too, however many pings come.
"""

import asyncio
import re
import time
from collections import OrderedDict, deque
from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from whimbrel import __version__
from whimbrel.api.naming import NAMED, STRANGERS, addresses_named
from whimbrel.config import default_user_agent
from whimbrel.fetch.dns import NameResolver
from whimbrel.fetch.guard import AddressGuard
from whimbrel.fetch.http import Fetcher
from whimbrel.fetch.interfaces import own_addresses
from whimbrel.fetch.settings import FetchSettings
from whimbrel.flows.refresh.pings import PingBook
from whimbrel.records.response import Response as Answer
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.engines import open_reader
from whimbrel.repository.location import Location
from whimbrel.urls.normal import host, normalise, origin

PATH = "/indexnow"
MOST_URLS = 10_000
"""In one ping, by the protocol."""
MOST_A_MINUTE = 60
"""Pings from one address."""
MOST_WAITING = 100
ASK_AGAIN_SECONDS = 60.0
HOLDS_SECONDS = 86_400.0
"""So long a key that was found is believed."""
MOST_REMEMBERED = 1_000
_KEY = re.compile(r"[A-Za-z0-9-]{8,128}")


class PostedPing(Struct, frozen=True):
    """What is posted as JSON."""

    host: str
    key: str
    urlList: list[str]  # the protocol's spelling
    keyLocation: str = ""


class HeardPing(Struct, frozen=True):
    urls: list[Url]
    key: str
    key_url: Url


class KnownHosts(NamedTuple):
    """The origins of the folder's seeds, its hosts, and who guards which addresses are asked."""

    origins: set[str]
    hosts: set[str]
    guard: AddressGuard


class PingDesk:
    """What a server heard, and what it makes of it."""

    def __init__(self, location: Location, networks: tuple[str, ...] = ()) -> None:
        self._location = location
        self._networks = networks
        self._book = PingBook(location)
        self._senders: OrderedDict[str, deque[float]] = OrderedDict()
        self._asked: OrderedDict[str, float] = OrderedDict()
        self._holds: OrderedDict[Url, tuple[str, float]] = OrderedDict()
        self._waiting = 0
        self._reading = asyncio.Lock()
        self._read: tuple[float, KnownHosts] | None = None

    def has_room(self, sender: str, now: float) -> bool:
        """Whether this sender may say more just now."""
        heard = self._senders.setdefault(sender, deque())
        self._senders.move_to_end(sender)
        _bound(self._senders)
        while heard and heard[0] < now - 60.0:
            heard.popleft()
        if len(heard) >= MOST_A_MINUTE or self._waiting >= MOST_WAITING:
            return False
        heard.append(now)
        return True

    async def look(self, heard: HeardPing) -> None:
        self._waiting += 1
        try:
            known = await self._known()
            if known is None:
                return
            if origin(heard.key_url) not in known.origins and not _is_plain(heard.key_url, known.hosts):
                return
            now = time.time()
            if await self._is_theirs(heard, now, known.guard):
                await run_in_threadpool(self._book.add, heard.urls, now)
        finally:
            self._waiting -= 1

    async def _is_theirs(self, heard: HeardPing, now: float, guard: AddressGuard) -> bool:
        """Whether the key stands where its site says it does."""
        key, until = self._holds.get(heard.key_url, ("", 0.0))
        if key == heard.key and now < until:
            return True
        name = host(heard.key_url)
        if now - self._asked.get(name, 0.0) < ASK_AGAIN_SECONDS:
            return False
        self._asked[name] = now
        _bound(self._asked)
        settings = FetchSettings(default_user_agent(__version__, None), max_body_bytes=4096, total_seconds=20)
        fetcher = Fetcher(settings, guard, NameResolver())
        try:
            answer = await fetcher.fetch(heard.key_url)
        finally:
            await fetcher.close()
        if not isinstance(answer, Answer) or answer.status != 200:
            return False
        if answer.body.decode("utf-8", "replace").strip("\ufeff \t\r\n") != heard.key:
            return False
        self._holds[heard.key_url] = (heard.key, now + HOLDS_SECONDS)
        _bound(self._holds)
        return True

    async def _known(self) -> KnownHosts | None:
        """As it was a minute ago at most: in a large folder it takes long to look up, and anybody can send pings."""
        async with self._reading:
            now = time.monotonic()
            if self._read is None or now - self._read[0] >= ASK_AGAIN_SECONDS:
                known = await run_in_threadpool(self.look_up)
                self._read = (now, known) if known is not None else None
            return self._read[1] if self._read is not None else None

    def look_up(self) -> KnownHosts | None:
        """What the folder holds now; None where there is none."""
        try:
            with open_reader(self._location) as reader:
                seeds = reader.seeds()
                hosts = {lane.host for lane in reader.lanes()}
                strange = reader.recall(STRANGERS)
                named = reader.recall(NAMED)
        except RepositoryError:
            return None
        strangers = set(strange if isinstance(strange, list) else [])
        owned = [seed for seed in seeds if host(seed) not in strangers]
        kinds = named.items() if isinstance(named, dict) else ()
        private = {(name, kind) for name, all_kinds in kinds if name not in strangers for kind in all_kinds}
        guard = AddressGuard(
            frozenset(addresses_named(owned)), self._networks, frozenset(private), frozenset(own_addresses())
        )
        return KnownHosts({origin(seed) for seed in seeds}, hosts, guard)


def _is_plain(url: Url, hosts: set[str]) -> bool:
    """A host of the folder, at a port where web sites are."""
    return host(url) in hosts and urlsplit(url).port is None


def _bound(remembered: "OrderedDict[Any, Any]") -> None:
    while len(remembered) > MOST_REMEMBERED:
        remembered.popitem(last=False)


async def pinged(request: Request) -> Response:
    """GET with one URL, or POST with a list, as the protocol has it."""
    desk: PingDesk = request.app.state.pings
    sender = request.client.host if request.client is not None else ""
    if not desk.has_room(sender, time.time()):
        return PlainTextResponse("Too many pings. Wait a minute.\n", 429, {"Retry-After": "60"})
    heard = _posted(await request.body()) if request.method == "POST" else _asked(request)
    if isinstance(heard, Response):
        return heard
    return PlainTextResponse("Heard. The key is looked at next.\n", 202, background=BackgroundTask(desk.look, heard))


def _asked(request: Request) -> HeardPing | Response:
    given = request.query_params
    return heard_ping([given.get("url", "")], "", given.get("key", ""), given.get("keyLocation", ""))


def _posted(body: bytes) -> HeardPing | Response:
    try:
        said = msgspec.json.decode(body, type=PostedPing)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _wrong(400, f"This is no IndexNow message: {error}")
    return heard_ping(said.urlList, said.host, said.key, said.keyLocation)


def heard_ping(texts: Iterable[str], named: str, key: str, location: str) -> HeardPing | Response:
    """What was said, or what is wrong with it."""
    texts = list(texts)
    if not texts or len(texts) > MOST_URLS:
        return _wrong(400, f"Name one to {MOST_URLS:,} URLs.")
    if not _KEY.fullmatch(key):
        return _wrong(400, "A key has 8 to 128 letters, digits and dashes.")
    read = [normalise(text) for text in texts]
    urls = [url for url in read if not isinstance(url, Verdict)]
    if len(urls) < len(read):
        return _wrong(400, "Some of these are no http(s) URLs.")
    place = origin(urls[0])
    names = ("", host(urls[0]), place.split("/")[2])
    if any(origin(url) != place for url in urls) or named.lower() not in names:
        return _wrong(422, "All URLs are of the one host that is named.")
    key_url = normalise(location) if location else normalise(f"{place}/{key}.txt")
    if isinstance(key_url, Verdict) or origin(key_url) != place:
        return _wrong(422, "The key's file is on the host of the URLs.")
    if not key_url.endswith(".txt") or "?" in key_url:
        return _wrong(422, "The key's file is a text file: its name ends in .txt, and no query stands behind it.")
    folder = key_url.rpartition("/")[0] + "/"
    if any(not f"{url}/".startswith(folder) for url in urls):
        return _wrong(422, "A key's file speaks for the URLs of its own folder.")
    return HeardPing(urls, key, key_url)


def _wrong(status: int, words: str) -> Response:
    return PlainTextResponse(f"{words}\n", status)
