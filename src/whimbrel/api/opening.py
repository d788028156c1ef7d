"""A folder opened for a crawl or a refresh: locked, its seeds taken in, with the manager that will run it."""

import json
import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from whimbrel import __version__
from whimbrel.api.briefing import brief_for, staff_for
from whimbrel.config import Settings, remember
from whimbrel.flows.again import Patience
from whimbrel.flows.dusting import Dusting
from whimbrel.flows.gather import Terms
from whimbrel.flows.near_file import all_rules
from whimbrel.flows.refresh import Course, Wish
from whimbrel.frontier.order import Order, band
from whimbrel.migrants.judge import Judge
from whimbrel.migrants.manager import Ended, Manager
from whimbrel.records.request import Request
from whimbrel.records.url import Url
from whimbrel.repository.contract import Enquiry
from whimbrel.repository.embedded.opening import open_database
from whimbrel.repository.embedded.requests import WITHDRAWN
from whimbrel.repository.embedded.store import Store

PRODUCT = "whimbrel"
JUDGED_BY = "judged by"
"""By this name the folder keeps which requests all its refused pages were held against."""


class Opened(Struct):
    """A crawl ready to run. `new` counts the seeds that the folder did not know."""

    store: Store
    manager: Manager
    settings: Settings
    seeds: list[Url]
    new: int


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
    # Imported here: looking at examples takes a fetcher and a parser, which home needs for nothing else.
    from whimbrel.api.asking import asked

    return asked(store, settings, seeds)


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


def _limit(pages: int, asked: list[tuple[Enquiry, Request]]) -> int | None:
    """A request's limit counts its own pages, whatever else the folder holds."""
    wanted = [kept.most - kept.found for kept, _ in asked if kept.most is not None]
    return pages + sum(max(0, more) for more in wanted) if len(wanted) == len(asked) else None


def _dusting(folder: Path, within: Judge) -> Dusting | None:
    rules = all_rules(folder)
    return Dusting(rules, within, time.time()) if any(one.learned for one in rules.values()) else None
