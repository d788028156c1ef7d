"""The crawl as a library, and as the command line runs it: settings in, a running manager out."""

import asyncio
import json
import os
import re
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from whimbrel import __version__
from whimbrel.config import ConfigError, Settings, default_user_agent, load, remember
from whimbrel.fetch.dns import Resolver as Names
from whimbrel.fetch.guard import Guard
from whimbrel.fetch.http import Fetcher
from whimbrel.fetch.politeness import PolitenessSettings
from whimbrel.fetch.settings import FetchSettings
from whimbrel.flows.again import Patience
from whimbrel.flows.dusting import Dusting
from whimbrel.flows.examples import as_sent, as_stored, fetch_examples
from whimbrel.flows.gather import Terms
from whimbrel.flows.near_views import all_rules
from whimbrel.flows.packing import unpack
from whimbrel.flows.refresh import Course, Wish
from whimbrel.flows.seeking import Request
from whimbrel.frontier.order import Order, band
from whimbrel.migrants import wire
from whimbrel.migrants.choice import DEFAULT_JUDGEMENTS, Strategy, criteria_of
from whimbrel.migrants.judge import Judge
from whimbrel.migrants.load import Limits
from whimbrel.migrants.manager import Ended, Manager, Staff
from whimbrel.migrants.places import Place
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.records.visit import Visit
from whimbrel.repository.contract import Enquiry
from whimbrel.repository.embedded.requests import WITHDRAWN
from whimbrel.repository.embedded.store import Store, open_database
from whimbrel.urls.filters import from_table
from whimbrel.urls.filters import load as load_filter
from whimbrel.urls.normal import Rewrites, host, normalise
from whimbrel.urls.scope import ScopeKind

PRODUCT = "whimbrel"
PATIENCE_SECONDS = 300.0
RETRIES = 2
MOST_CONNECTIONS = 256
JUDGED_BY = "judged by"
"""By this name the folder keeps which requests all its refused pages were held against."""

CONTENT_TYPES = {
    "html": ("text/html", "application/xhtml+xml"),
    "text": ("text/plain", "text/markdown"),
    "pdf": ("application/pdf",),
    "office": (
        "application/msword", "application/rtf", "application/vnd.ms-", "application/vnd.oasis.opendocument.",
        "application/vnd.openxmlformats-officedocument.",
    ),
    "feed": ("application/rss+xml", "application/atom+xml", "application/xml", "text/xml"),
}  # fmt: skip


_USER_INFO = re.compile(r"//[^/?#]*@")


class SeedError(Exception):
    """A seed that is no URL; the message says which and why."""


class Opened(Struct):
    """A crawl ready to run. `new` counts the seeds that the folder did not know."""

    store: Store
    manager: Manager
    settings: Settings
    seeds: list[Url]
    new: int


def read_seeds(texts: Iterable[str]) -> list[Url]:
    """Seeds as people write them: one may leave the scheme out."""
    seeds: dict[Url, None] = {}
    for text in texts:
        url = normalise(_with_scheme(text.strip()))
        if isinstance(url, Verdict):
            advice = "" if "write it" in url.reason else " Write it like https://example.org/docs/."
            shown = _USER_INFO.sub("//", text.strip())
            raise SeedError(f"{shown!r} cannot be a seed: {url.reason}.{advice}")
        seeds[url] = None
    return list(seeds)


def _with_scheme(text: str) -> str:
    if "://" in text or not text or ":" in text.split("/")[0].rpartition(":")[0]:
        return text
    name = text.split("/")[0].partition(":")[0]
    if not text[0].isalnum() or not ("." in name or name == "localhost"):
        return text
    local = name == "localhost" or name.replace(".", "").isdigit()
    return f"{'http' if local else 'https'}://{text}"


class Refreshing(Struct):
    """A refresh ready to run; `course` fills the queue stage by stage."""

    opened: Opened
    course: Course


def stored_settings(folder: Path) -> dict[str, Any] | None:
    """What the folder remembers of its last crawl."""
    database = open_database(folder)
    row = database.execute("SELECT value FROM meta WHERE name = 'settings'").fetchone()
    database.close()
    return json.loads(row[0]) if row else None


def open_refresh(settings: Settings, folder: Path, wish: Wish) -> Refreshing:
    """Locks and opens a folder that was crawled, and gives the manager that will visit its pages again."""
    open_database(folder).close()  # says what is wrong before the lock makes a folder
    opened = open_crawl(settings, [], folder, wish)
    try:
        course = Course(opened.store, wish, Order(settings.crawl.order), time.time())
    except BaseException:
        opened.store.close()
        raise
    opened.manager.on_idle = course.more
    return Refreshing(opened, course)


async def run_refresh(refreshing: Refreshing) -> Ended:
    """Runs it to the end of its plan, its budget or its time."""
    manager, course = refreshing.opened.manager, refreshing.course
    ended = await manager.run(refreshing.opened.settings.crawl.time_limit_seconds)
    if ended.why in ("finished", "waiting", "budget"):
        course.finish()
    return ended


def open_crawl(
    settings: Settings, seeds: Iterable[Url], folder: Path | None = None, wish: Wish | None = None
) -> Opened:
    """Locks and opens the folder, takes the seeds in, and gives the manager that will crawl it."""
    given = list(seeds)
    store = Store(
        folder or Path(settings.repository.path),
        rollover_bytes=settings.repository.warc_file_bytes,
        software=f"{PRODUCT}/{__version__}",
    )
    try:
        asked = _asked(store, settings, given) if settings.crawl.like else []
        order = Order.STRUCTURE if asked else Order(settings.crawl.order)
        store.reband(order, partial(band, order))
        known = store.seeds()
        named = list(dict.fromkeys([*(url for url, by_user in known if by_user), *given]))
        led_to = [url for url, by_user in known if not by_user]
        brief = brief_for(settings, named, led_to, [request for _, request in asked])
        within = Judge(brief)
        terms = Terms(
            _limit(store.pages, asked) if asked else settings.crawl.limit,
            settings.crawl.depth,
            order,
            {site.host: site.depth for site in settings.site if site.host and site.depth is not None},
            {site.host: site.limit for site in settings.site if site.host and site.limit is not None},
            sitemaps=settings.crawl.sitemaps and settings.crawl.scope != "list",
            refreshing=wish is not None,
            dusting=_dusting(store.folder, within),
            patience=Patience(
                settings.refresh.gone_after_seconds,
                settings.refresh.keep_noise,
                wish is not None and wish.everything,
            ),
        )
        requests = [kept for kept, _ in asked]
        manager = Manager(store, brief, terms, staff_for(settings), resumed=bool(known), requests=requests)
        manager.reconsider(wish is None and _judged_anew(store, requests))
        shown = [url for kept in requests for url in kept.examples if within(url).accepted]
        new = manager.plant([*given, *shown])
        if wish is None:
            store.remember(JUDGED_BY, [kept.number for kept in requests])
            store.remember("settings", remember(settings))
        store.remember("order", order)
    except BaseException:
        store.close()
        raise
    return Opened(store, manager, settings, named, new)


def _asked(store: Store, settings: Settings, seeds: list[Url]) -> list[tuple[Enquiry, Request]]:
    """The open requests, that of `like` among them: kept in the folder from the moment its examples were looked at."""
    urls = read_seeds(settings.crawl.like)
    kept = store.requests.asked(urls)
    if kept is not None and as_sent(kept, 0) is not None:
        store.requests.go_on(kept.number, settings.crawl.limit)
    else:
        structure = as_stored(_shown(settings, seeds, urls))
        if kept is None:
            store.requests.add(urls, structure, settings.crawl.limit, time.time())
        else:
            store.requests.reword(kept.number, structure)
            store.requests.go_on(kept.number, settings.crawl.limit)
    sent = [(one, as_sent(one, store.pages)) for one in store.requests.open()]
    return [(one, request) for one, request in sent if request is not None]


def withdraw(folder: Path, request: int) -> bool:
    """Nobody wants pages of this kind any more; whether it was open. What was found stays."""
    store = Store(folder)
    try:
        return store.requests.end(request, WITHDRAWN, time.time())
    finally:
        store.close()


def _judged_anew(store: Store, requests: Sequence[Enquiry]) -> bool:
    """Whether pages refused for their kind are due again: a request has not seen them, or all pages are wanted now."""
    before = store.recall(JUDGED_BY)
    judged_by = set(before) if isinstance(before, list) else set()
    now = {kept.number for kept in requests}
    return not now <= judged_by if now else bool(judged_by)


def _shown(settings: Settings, seeds: list[Url], urls: list[Url]) -> Request:
    brief = brief_for(settings, [*seeds, *urls], [])
    with ThreadPoolExecutor(1) as apart:  # the caller may be in a running loop of its own
        request = apart.submit(asyncio.run, _examples(urls, brief)).result()
    if isinstance(request, Verdict):
        raise SeedError(f"--like: {request.reason}")
    return request


def _limit(pages: int, asked: list[tuple[Enquiry, Request]]) -> int | None:
    """A request's limit counts its own pages, whatever else the folder holds."""
    wanted = [kept.most - kept.found for kept, _ in asked if kept.most is not None]
    return pages + sum(max(0, more) for more in wanted) if len(wanted) == len(asked) else None


def _dusting(folder: Path, within: Judge) -> Dusting | None:
    rules = all_rules(folder)
    return Dusting(rules, within, time.time()) if any(one.learned for one in rules.values()) else None


async def _examples(urls: list[Url], brief: wire.Brief) -> Request | Verdict:
    fetcher = Fetcher(brief.fetch, Guard(frozenset(brief.seed_hosts), tuple(brief.networks)), Names())
    try:
        return await fetch_examples(urls, fetcher, brief.agent, time.time())
    finally:
        await fetcher.close()


def brief_for(settings: Settings, named: list[Url], led_to: list[Url], requests: Sequence[Request] = ()) -> wire.Brief:
    fetch = settings.fetch
    hosts = sorted({host(url) for url in named})
    agent = fetch.user_agent or default_user_agent(__version__, fetch.contact)
    return wire.Brief(
        version=wire.VERSION,
        fetch=FetchSettings(
            user_agent=agent,
            headers=tuple(fetch.headers.items()),
            auth=fetch.auth or "",
            auth_hosts=tuple(hosts) if fetch.auth or fetch.headers else (),
            proxy=fetch.proxy or "",
            max_body_bytes=fetch.max_size_bytes,
            connect_seconds=fetch.connect_seconds,
            total_seconds=fetch.total_seconds,
            stall_seconds=max(1, round(fetch.stall_seconds)),
            ca_file=fetch.ca_file or "",
            accept_types=accepted_types(settings.crawl.types),
        ),
        politeness=PolitenessSettings(
            delay_seconds=1.0 if fetch.delay_seconds is None else fetch.delay_seconds,
            delay_given=fetch.delay_seconds is not None,
        ),
        scope=ScopeKind(settings.crawl.scope),
        seeds=[*named, *led_to],
        seed_hosts=hosts,
        networks=list(fetch.allow_networks),
        filters=filters_for(settings),
        order=settings.crawl.order,
        assets=settings.crawl.assets,
        agent=agent,
        robots_off_hosts=list(fetch.robots_off_hosts),
        most_connections=MOST_CONNECTIONS,
        retries=RETRIES,
        patience_seconds=PATIENCE_SECONDS,
        requests=list(requests),
        site_delays=[(s.host, s.delay_seconds) for s in settings.site if s.host and s.delay_seconds is not None],
        rewrites=[
            (
                site.host or site.prefix or "",
                Rewrites(site.lower_path, site.drop_trailing_slash, site.drop_default_document),
            )
            for site in settings.site
            if site.lower_path or site.drop_trailing_slash or site.drop_default_document
        ],
    )


def staff_for(settings: Settings) -> Staff:
    """How many migrants, where, and how work is given to them; refuses judgements that contradict each other."""
    criteria = criteria_of([row.split() for row in settings.migrants.judgements] or DEFAULT_JUDGEMENTS)
    if isinstance(criteria, Verdict):
        raise ConfigError(f"[migrants] judgements: {criteria.reason}")
    places = tuple(Place(place.name, place.folder, place.cores) for place in settings.place)
    for fault in filter(None, (place.fault() for place in places)):
        raise ConfigError(f"[[place]]: {fault}")
    return Staff(limits_of(settings.crawl.migrants), places, Strategy(settings.migrants.choose), criteria)


def limits_of(migrants: int | str) -> Limits:
    """`3`, `"1-4"` or `"auto"`: one to as many as there are cores to run on."""
    if migrants == "auto":
        return Limits(1, len(os.sched_getaffinity(0)))
    fewest, _, most = str(migrants).partition("-")
    if most and int(most) < int(fewest):
        raise ConfigError(f"--migrants {migrants}: the first number of a range is the smaller one.")
    return Limits(int(fewest), int(most or fewest))


def accepted_types(kinds: Iterable[str]) -> tuple[str, ...]:
    wanted = list(kinds)
    return () if "any" in wanted else tuple(prefix for kind in wanted for prefix in CONTENT_TYPES[kind])


def filters_for(settings: Settings) -> list[dict[str, object] | str]:
    """The user's filters as they travel; each was understood here before it leaves."""
    crawl = settings.crawl
    filters: list[dict[str, object] | str] = []
    of_a_host = ("depth", "limit", "delay_seconds")
    if any(site.prefix and getattr(site, name) is not None for site in settings.site for name in of_a_host):
        raise ConfigError("`depth`, `limit` and `delay_seconds` of a [[site]] go with `host`, not with `prefix`.")
    if crawl.include:
        filters.append({"pattern": list(crawl.include)})
    if crawl.exclude:
        filters.append({"not": {"pattern": list(crawl.exclude)}})
    if crawl.filter:
        filters.append(crawl.filter)
    for site in settings.site:
        place: dict[str, object] = {"domain": [site.host]} if site.host else {"prefix": [site.prefix]}
        if site.include:
            filters.append({"any": [{"not": place}, {"pattern": list(site.include)}]})
        if site.exclude:
            filters.append({"not": {"all": [place, {"pattern": list(site.exclude)}]}})
    try:
        for declared in filters:
            if isinstance(declared, str):
                load_filter(declared)
            else:
                from_table(declared)
    except ValueError as error:
        raise ConfigError(f"a filter cannot be used: {error}") from error
    return filters


async def crawl(
    seeds: Iterable[str] = (),
    *,
    repo: str | Path = "whimbrel-data",
    config: str | Path | None = None,
    **options: object,
) -> AsyncIterator[Visit]:
    """Crawls into `repo` and gives every visit once it is durable there.

    Options are the settings by their names (`limit=100, delay_seconds=2`). Leaving the loop early ends the crawl;
    the folder can be crawled on at any time.
    """
    settings = load(Path(config) if config else None, os.environ, flags_of(options))
    opened = open_crawl(settings, read_seeds(seeds or settings.crawl.seeds), Path(repo))
    visits: asyncio.Queue[list[Visit] | None] = asyncio.Queue(maxsize=4)
    opened.manager.on_visits = visits.put
    running = asyncio.create_task(_run(opened, visits))
    try:
        while (done := await visits.get()) is not None:
            for visit in done:
                yield visit
        await running
    finally:
        if not running.done():
            running.cancel()
            # The run waits to hand its last visits over; nobody takes them any more.
            while not visits.empty():
                visits.get_nowait()
            await asyncio.gather(running, return_exceptions=True)
        opened.store.close()


async def _run(opened: Opened, visits: "asyncio.Queue[list[Visit] | None]") -> Ended:
    try:
        return await opened.manager.run(opened.settings.crawl.time_limit_seconds)
    finally:
        await visits.put(None)


def flags_of(options: dict[str, object]) -> dict[str, object]:
    """`limit=100` as the settings know it: `crawl.limit`."""
    sections = ("crawl", "fetch", "refresh", "repository", "migrants", "log")
    known = {key: section for section in sections for key in _keys(section)}
    return {f"{known.get(name, 'crawl')}.{name}": value for name, value in options.items()}


def _keys(section: str) -> tuple[str, ...]:
    record: Struct = getattr(Settings(), section)
    return record.__struct_fields__


def text_of(visit: Visit) -> str:
    """The visible text of a visited page, "" where there is none."""
    return unpack(visit.document.reading).text if visit.document is not None and visit.document.reading else ""
