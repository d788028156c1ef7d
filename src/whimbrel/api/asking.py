"""Requests for pages of a kind: the examples are looked at before a crawl begins, and kept in the folder."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

from whimbrel.api.briefing import brief_for
from whimbrel.api.credentials import Keys
from whimbrel.api.naming import private_names
from whimbrel.api.seeds import SeedError, read_seeds
from whimbrel.config import Settings
from whimbrel.fetch.dns import NameResolver as Names
from whimbrel.fetch.http import Fetcher
from whimbrel.flows.requests import as_sent, as_stored
from whimbrel.flows.visit.examples import fetch_examples
from whimbrel.migrants.away.judge import guard_of
from whimbrel.migrants.wire import messages as wire
from whimbrel.records.request import Request
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.repository.contract import Enquiry
from whimbrel.repository.port.writer import Writer


def asked(store: Writer, settings: Settings, seeds: list[Url], keys: Keys) -> list[tuple[Enquiry, Request]]:
    """The open requests, that of `like` among them: kept in the folder from the moment its examples were looked at."""
    urls = read_seeds(settings.crawl.like)
    kept = store.requests.asked(urls)
    if kept is not None and as_sent(kept, 0) is not None:
        store.requests.go_on(kept.number, settings.crawl.limit)
    else:
        structure = as_stored(_shown(store, settings, seeds, urls, keys))
        if kept is None:
            store.requests.add(urls, structure, settings.crawl.limit, time.time())
        else:
            store.requests.reword(kept.number, structure)
            store.requests.go_on(kept.number, settings.crawl.limit)
    sent = [(one, as_sent(one, store.pages)) for one in store.requests.open()]
    return [(one, request) for one, request in sent if request is not None]


def _shown(store: Writer, settings: Settings, seeds: list[Url], urls: list[Url], keys: Keys) -> Request:
    named = [*seeds, *urls]
    brief = brief_for(settings, named, [], private_names=private_names(store, named, named), keys=keys)
    with ThreadPoolExecutor(1) as apart:  # the caller may be in a running loop of its own
        request = apart.submit(asyncio.run, _examples(urls, brief)).result()
    if isinstance(request, Verdict):
        raise SeedError(f"--like: {request.reason}")
    return request


async def _examples(urls: list[Url], brief: wire.Brief) -> Request | Verdict:
    fetcher = Fetcher(brief.fetch, guard_of(brief), Names())
    try:
        return await fetch_examples(urls, fetcher, brief.agent, time.time())
    finally:
        await fetcher.close()
