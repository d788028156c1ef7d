"""A folder opened for a crawl or a refresh: locked, its seeds taken in, with the manager that will run it."""

import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from whimbrel import __version__
from whimbrel.api import credentials
from whimbrel.api.briefing import brief_for, staff_for
from whimbrel.api.log import check_log
from whimbrel.api.naming import private_names, strangers
from whimbrel.api.resting import JUDGED_UNDER, LETS_IN, concerned, terms_of, to_judge_anew
from whimbrel.api.revisiting import patience_for
from whimbrel.config import Settings, remember
from whimbrel.flows.gather.deciding import Terms
from whimbrel.flows.listing import read_at_last, waits
from whimbrel.flows.refresh.course import Course, RefreshWish
from whimbrel.flows.twins.dusting import Dusting
from whimbrel.flows.twins.file import all_rules
from whimbrel.frontier.order import Order, band
from whimbrel.migrants.away.judge import UrlJudge
from whimbrel.migrants.home.clock import Clock
from whimbrel.migrants.home.intake import Anew
from whimbrel.migrants.home.manager import Manager
from whimbrel.migrants.wire.channel import Carrier
from whimbrel.records.request import Request
from whimbrel.records.url import Url
from whimbrel.repository.contract import WITHDRAWN, Enquiry
from whimbrel.repository.engines import exists, open_reader, open_writer
from whimbrel.repository.location import Where
from whimbrel.repository.port.writer import Writer
from whimbrel.search.ranked import link_ranks
from whimbrel.urls.normal import host, origin

PRODUCT = "whimbrel"
ASSUMED = "https assumed"
WITNESSES = 3
"""Kept pages by which is seen whether a session still holds."""
JUDGED_BY = "judged by"
"""By this name the folder keeps which requests all its refused pages were held against."""


class OpenedCrawl(Struct):
    """A crawl ready to run. `new` counts the seeds that the folder did not know."""

    store: Writer
    manager: Manager
    settings: Settings
    seeds: list[Url]
    new: int
    warnings: tuple[str, ...] = ()
    dusting: Dusting | None = None


class Refreshing(Struct):
    """A refresh ready to run; `course` fills the queue stage by stage."""

    opened: OpenedCrawl
    course: Course


def stored_settings(folder: Where) -> dict[str, Any] | None:
    """What the folder remembers of its last crawl."""
    with open_reader(folder) as reader:
        stored = reader.recall("settings")
    return stored if isinstance(stored, dict) else None


def stored_seeds(folder: Where) -> list[Url]:
    """What was named for the folder's crawls."""
    if not exists(folder):
        return []
    with open_reader(folder) as reader:
        return reader.seeds()


def open_refresh(settings: Settings, folder: Where, wish: RefreshWish) -> Refreshing:
    """Locks and opens a folder that was crawled, and gives the manager that will visit its pages again."""
    open_reader(folder).close()  # says what is wrong before the lock makes a folder
    opened = open_crawl(settings, [], folder, wish, budget=None if wish.everything else wish.budget)
    try:
        wait = settings.refresh.confirm_after_seconds
        left = opened.manager.allowance
        course = Course(
            opened.store, wish, Order(settings.crawl.order), time.time(), wait, lambda: left.left, opened.dusting,
            link_ranks(opened.store.location.beside) if wish.budget is not None else {},
        )  # fmt: skip
    except BaseException:
        opened.store.close()
        raise
    opened.manager.on_idle = course.more
    return Refreshing(opened, course)


def open_crawl(
    settings: Settings, seeds: Iterable[Url], folder: Where | None = None, wish: RefreshWish | None = None,
    *, from_browser: bool = False, assumed: Sequence[str] = (), carrier: Carrier | None = None,
    budget: int | None = None, clock: Clock = time,
) -> OpenedCrawl:  # fmt: skip
    """Locks and opens the folder, takes the seeds in, and gives the manager that will crawl it. `assumed` are origins
    of the seeds whose https nobody wrote; `carrier` brings migrants to their places, without one as processes here;
    `budget` is how many visits the run may make."""
    check_log(settings.log.file)
    given = list(seeds)
    store = open_writer(
        folder or Path(settings.repository.path),
        rollover_bytes=settings.repository.warc_file_bytes,
        software=f"{PRODUCT}/{__version__}",
    )
    try:
        store.survey(time.time(), refreshing=wish is not None)
        remembered = credentials.from_stored(store.recall(credentials.REMEMBERED))
        known = store.seeds()
        named = list(dict.fromkeys([*(url for url, by_user in known if by_user), *given]))
        keys = credentials.read_keys(settings, named, remembered)
        asked = _asked(store, settings, given, keys) if settings.crawl.like else []
        order = Order.STRUCTURE if asked else Order(settings.crawl.order)
        store.reband(order, partial(band, order))
        led_to = [url for url, by_user in known if not by_user]
        strange = strangers(store, [url for url, by_user in known if by_user], given, from_browser)
        owned = [url for url in named if host(url) not in strange]
        private = private_names(store, owned, [url for url in given if host(url) not in strange])
        witnesses = [one for site in keys.sites for one in store.private_pages(site.origins, WITNESSES)]
        brief = brief_for(settings, named, led_to, [request for _, request in asked], private, keys, strange, witnesses)
        brief = replace(brief, assumed=_assumed(store, given, assumed))
        within = UrlJudge(brief)
        terms = Terms(
            _limit(store.pages, asked) if asked else settings.crawl.limit,
            settings.crawl.depth,
            order,
            {site.host: site.depth for site in settings.site if site.host and site.depth is not None},
            {site.host: site.limit for site in settings.site if site.host and site.limit is not None},
            sitemaps=settings.crawl.sitemaps and settings.crawl.scope != "list",
            refreshing=wish is not None,
            exhaustive=settings.crawl.exhaustive,
            dusting=_dusting(store.location.beside, within),
            patience=patience_for(settings, wish),
        )
        requests = [kept for kept, _ in asked]
        manager = Manager(
            store, brief, terms, staff_for(settings, carrier), resumed=bool(known), requests=requests, budget=budget,
            clock=clock,
        )  # fmt: skip
        manager.reconsider(wish is None and _judged_anew(store, requests))
        if wish is None:
            new_seeds = not set(given) <= {url for url, _ in known}
            if rules := to_judge_anew(store, settings, new_seeds):
                manager.rejudge(Anew(rules, within, concerned(settings), not set(LETS_IN).isdisjoint(rules)))
        shown = [url for kept in requests for url in kept.examples if within(url).accepted]
        new = manager.plant([*given, *shown])
        if terms.sitemaps:
            manager.on_idle = partial(read_at_last, store, order)
            if not waits(order):
                read_at_last(store, order, time.time())
        if wish is None:
            store.remember(JUDGED_BY, [kept.number for kept in requests])
            store.remember("settings", remember(settings))
            store.remember(JUDGED_UNDER, terms_of(settings))
        store.remember("order", order)
        purses = credentials.together([*remembered, *credentials.from_settings(settings)])
        store.remember(credentials.REMEMBERED, credentials.as_stored(purses))
    except BaseException:
        store.close()
        raise
    return OpenedCrawl(store, manager, settings, named, new, keys.warnings, terms.dusting)


def _assumed(store: Writer, given: Iterable[Url], assumed: Iterable[str]) -> list[str]:
    """All origins whose https was assumed, in this command or before; once somebody writes it, it is meant."""
    before = store.recall(ASSUMED)
    written = {origin(url) for url in given}.difference(assumed)
    kept = sorted({*(before if isinstance(before, list) else []), *assumed} - written)
    store.remember(ASSUMED, kept)
    return kept


def _asked(
    store: Writer, settings: Settings, seeds: list[Url], keys: credentials.Keys
) -> list[tuple[Enquiry, Request]]:
    # Imported here: looking at examples takes a fetcher and a parser, which home needs for nothing else.
    from whimbrel.api.asking import asked

    return asked(store, settings, seeds, keys)


def withdraw(folder: Where, request: int) -> bool:
    """Nobody wants pages of this kind any more; whether it was open. What was found stays."""
    store = open_writer(folder)
    try:
        return store.requests.end(request, WITHDRAWN, time.time())
    finally:
        store.close()


def _judged_anew(store: Writer, requests: Sequence[Enquiry]) -> bool:
    """Whether pages refused for their kind are due again: a request has not seen them, or all pages are wanted now."""
    before = store.recall(JUDGED_BY)
    judged_by = set(before) if isinstance(before, list) else set()
    now = {kept.number for kept in requests}
    return not now <= judged_by if now else bool(judged_by)


def _limit(pages: int, asked: list[tuple[Enquiry, Request]]) -> int | None:
    """A request's limit counts its own pages, whatever else the folder holds."""
    wanted = [kept.most - kept.found for kept, _ in asked if kept.most is not None]
    return pages + sum(max(0, more) for more in wanted) if len(wanted) == len(asked) else None


def _dusting(folder: Path, within: UrlJudge) -> Dusting | None:
    rules = all_rules(folder)
    return Dusting(rules, within, time.time()) if any(one.learned for one in rules.values()) else None
