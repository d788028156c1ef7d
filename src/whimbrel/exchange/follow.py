"""Queues the links of kept pages, so that a crawl goes on where an import ended."""

from collections.abc import Iterable, Iterator
from itertools import islice

from whimbrel.flows.packing import unpack
from whimbrel.frontier.order import Order, band
from whimbrel.records.url import Url
from whimbrel.records.visit import Outcome
from whimbrel.repository.contract import Became, FoundUrl, Plan, Queued
from whimbrel.repository.engines import open_reader
from whimbrel.repository.port.writer import Writer
from whimbrel.repository.views import Selection, StoredPage
from whimbrel.urls.normal import authority, host
from whimbrel.urls.normal import key as key_of

RULE = "import"
"""What an import did not hold but knows of: the targets of redirects."""

BATCH = 256


def follow(store: Writer, order: Order, authorities: set[str], now: float) -> int:
    """Queues what pages of these hosts link to on their own host and nobody knows yet; returns how many.

    Traps are judged when a crawl hands the tasks out."""
    with open_reader(store.location) as reader:
        targets = [(one.url, one.key, one.depth) for one in reader.urls(Selection(rules=(RULE,)))]
        plan = Plan()
        for url, key, depth in targets:
            if authority(url) in authorities:
                plan.outcomes[key] = Became(Outcome.DISCOVERED)
                plan.queued.append(Queued(key, host(url), band(order, depth)))
        store.commit(plan, now)
        queued = len(plan.queued)
        pages = (page for page in reader.pages() if authority(page.url) in authorities and page.reading)
        for batch in _batches(pages):
            plan = _plan(store, order, batch, now)
            store.commit(plan, now)
            queued += len(plan.queued)
    return queued


def _batches(pages: Iterable[StoredPage]) -> Iterator[list[StoredPage]]:
    rest = iter(pages)
    while batch := list(islice(rest, BATCH)):
        yield batch


def _plan(store: Writer, order: Order, pages: list[StoredPage], now: float) -> Plan:
    met: dict[int, tuple[Url, int, int]] = {}
    for page in pages:
        read = unpack(page.reading)
        for url, followed in zip(read.urls, read.followed, strict=True):
            if followed and authority(url) == authority(page.url):
                met.setdefault(key_of(url), (url, page.depth + 1, key_of(page.url)))
    plan = Plan()
    known, erased = store.known(met), store.forgotten
    for key, (url, depth, via) in met.items():
        if key not in known and erased.isdisjoint((url, host(url), authority(url))):
            discovered = (Outcome.DISCOVERED, "", "")
            plan.found.append(FoundUrl(key, url, host(url), depth, 0, 0, False, via, now, *discovered))
            plan.queued.append(Queued(key, host(url), band(order, depth)))
    return plan
