"""Requests for pages of a kind or about a topic: examples are looked at before a crawl begins, and kept."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from whimbrel.api.briefing import brief_for
from whimbrel.api.credentials import Keys
from whimbrel.api.edited_terms import saved_terms, uses
from whimbrel.api.naming import private_names
from whimbrel.api.seeds import SeedError, read_seeds
from whimbrel.api.topics import from_index, wish_of
from whimbrel.config import Settings
from whimbrel.fetch.dns import NameResolver as Names
from whimbrel.fetch.http import Fetcher
from whimbrel.flows.picture_classes import read_classes
from whimbrel.flows.requests import as_sent, as_stored, kept_like
from whimbrel.flows.visit.examples import fetch_examples, fetch_shown
from whimbrel.migrants.judge import guard_of
from whimbrel.migrants.wire import messages as wire
from whimbrel.records.request import Alike, Request, Shown, Topical
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.repository.contract import WITHDRAWN, Enquiry
from whimbrel.repository.port.writer import Writer
from whimbrel.shapes.classes import class_name
from whimbrel.topic.asking import ask
from whimbrel.topic.counting import PageTexts
from whimbrel.topic.searching import unscored
from whimbrel.urls.normal import host

Result = TypeVar("Result")


class Asking(Struct, frozen=True):
    """With what examples are fetched. `strange` are hosts that only a form named: they are judged by where they are."""

    store: Writer
    settings: Settings
    seeds: list[Url]
    keys: Keys
    strange: Collection[str]


def asked(
    store: Writer, settings: Settings, seeds: list[Url], keys: Keys, strange: Collection[str] = ()
) -> list[tuple[Enquiry, Request]]:
    """The open requests, those of this command among them: kept in the folder from the moment its examples were looked
    at."""
    asking = Asking(store, settings, seeds, keys, strange)
    if settings.crawl.like:
        _ask_for_kind(asking)
    if settings.topic.subject or settings.topic.terms:
        _ask_for_topic(asking)
    if settings.crawl.shows:
        _ask_for_pictures(asking)
    sent = [(one, as_sent(one, store.pages)) for one in store.requests.open()]
    return [(one, request) for one, request in sent if request is not None]


def _ask_for_kind(asking: Asking) -> None:
    store, settings = asking.store, asking.settings
    urls = read_seeds(settings.crawl.like)
    kept = kept_like(store.requests.every(), Alike(0, list(urls), []))
    if kept is not None:
        store.requests.go_on(kept.number, settings.crawl.limit)
        return
    with_keys = partial(fetch_examples, urls)
    request = _fetched(with_keys, asking, urls)
    if isinstance(request, Verdict):
        raise SeedError(f"--like: {request.reason}")
    store.requests.add(urls, as_stored(request), settings.crawl.limit, time.time())


def _ask_for_topic(asking: Asking) -> None:
    """What is asked for again goes on with what was learned; with other words or pages it is another request, which
    begins with what the former has learned of links. Terms that were edited in the browser are other words, until a run
    has taken them."""
    store, settings = asking.store, asking.settings
    wish = wish_of(settings)
    former = kept_like(reversed(store.requests.every()), Topical(0, wish.subject, "", []))
    urls = read_seeds(settings.topic.examples)
    before = as_sent(former, 0) if former is not None else None
    if not wish.edited and (terms := saved_terms(store.location.beside, wish.subject)) is not None:
        threshold = wish.threshold or terms.threshold
        taken = isinstance(before, Topical) and uses(before, terms)
        wish = replace(wish, language=wish.language or terms.language, threshold=threshold)
        wish = wish if taken else replace(wish, edited=terms.keywords)
    if former is not None and isinstance(before, Topical) and not wish.edited and (not urls or before.names == urls):
        request = replace(before, scorer=wish.scorer, strategy=wish.strategy, threshold=wish.threshold)
        store.requests.reword(former.number, as_stored(request))
        store.requests.go_on(former.number, settings.crawl.limit)
        return
    shown = _shown(asking, urls) if urls else from_index(store.location, wish, settings)
    made = ask(wish, shown)
    if isinstance(made, Verdict):
        raise SeedError(f"--topic: {made.reason}")
    request = made.request
    if former is not None and isinstance(before, Topical):
        store.requests.end(former.number, WITHDRAWN, time.time())
        learnt = unscored(before.wanted) if wish.edited else before.wanted
        request = replace(request, wanted=learnt, fitted_on=before.fitted_on)
    store.requests.add(list(urls), as_stored(request), settings.crawl.limit, time.time())


def _ask_for_pictures(asking: Asking) -> None:
    store, settings = asking.store, asking.settings
    names = [class_name(text) or text for text in settings.crawl.shows]
    known = [one.name for one in read_classes(store.location.beside)]
    if unknown := [name for name in names if name not in known]:
        there = f" (there are: {', '.join(known)})" if known else ""
        raise SeedError(
            f"--shows: there is no class {unknown[0]!r} of pictures in this folder{there}. "
            f"Show what it looks like: whimbrel shapes {unknown[0]} FILE"
        )
    request = Shown(0, sorted(set(names)))
    kept = kept_like(store.requests.every(), request)
    if kept is not None:
        store.requests.go_on(kept.number, settings.crawl.limit)
    else:
        store.requests.add([], as_stored(request), settings.crawl.limit, time.time())


def _shown(asking: Asking, urls: list[Url]) -> list[PageTexts]:
    pages = _fetched(partial(fetch_shown, urls), asking, urls)
    if isinstance(pages, Verdict):
        raise SeedError(f"--examples: {pages.reason}")
    return [PageTexts(page.url, page.title, page.text, page.meta) for page in pages]


Fetching = Callable[[Fetcher, str, float], Awaitable[Result]]


def _fetched(fetch: Fetching[Result], asking: Asking, urls: list[Url]) -> Result:
    named = [*asking.seeds, *urls]
    owned = [url for url in named if host(url) not in asking.strange]
    private = private_names(asking.store, owned, owned)
    brief = brief_for(asking.settings, named, [], private_names=private, keys=asking.keys, strange=asking.strange)
    with ThreadPoolExecutor(1) as apart:  # the caller may be in a running loop of its own
        return apart.submit(asyncio.run, _with_fetcher(fetch, brief)).result()


async def _with_fetcher(fetch: Fetching[Result], brief: wire.Brief) -> Result:
    fetcher = Fetcher(brief.fetch, guard_of(brief), Names())
    try:
        await _enter(fetcher, brief.seeds)
        return await fetch(fetcher, brief.agent, time.time())
    finally:
        await fetcher.close()


async def _enter(fetcher: Fetcher, urls: Iterable[Url]) -> None:
    """Where the pages that are shown lie behind a login."""
    for door in {door: None for url in urls if (door := fetcher.door(url)) is not None}:
        from whimbrel.flows.visit.signing_in import sign_in

        if (ended := await sign_in(fetcher, door, _at_once)) is not None:
            raise SeedError(f"{door.origins[0]} did not let us in: {ended.why}. See its login in the settings.")


async def _at_once(_url: Url) -> None:
    """A few requests before a crawl begins."""
