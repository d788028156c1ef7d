"""Sitemaps on their way: where a site keeps them, and what one that was fetched adds to the links.

A sitemap lists pages, whatever leads to them. It is merged with the links and replaces none: a listed page stands
`STEPS` links away until a link brings it nearer, so that a crawl of limited depth stays near its seeds. It is read when
links lead to nothing more, so that everything else takes the pages first that the site itself leads to.

Where robots.txt names no sitemap, one is looked for at the usual place. That there is none says nothing about the site:
it is neither a failure nor counted.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from whimbrel.fetch import robots
from whimbrel.frontier.cache import UrlCache
from whimbrel.frontier.order import Order, band
from whimbrel.records.task import Task
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.records.visit import Link, Listing
from whimbrel.repository.contract import Plan, Queued, RobotsCopy
from whimbrel.urls.normal import host, normalise
from whimbrel.urls.normal import key as key_of

if TYPE_CHECKING:
    from whimbrel.parse.sitemaps import SitemapUrl
    from whimbrel.repository.port.writer import Writer

STEPS = 100
USUAL_PLACE = "/sitemap.xml"
USUAL_PLACE_RULE = "usual_place"
CHANGE_LISTS = "/.well-known/resourcesync"
"""Where a site that lists its changes says so (ResourceSync, ANSI/NISO Z39.99 §7)."""
MOST_NESTED = 3
MOST_IN_AN_INDEX = 1_000
MOST_NAMED = 100


def named_in(copies: Iterable[RobotsCopy]) -> list[Link]:
    """The sitemaps that robots files name for their own host."""
    found: dict[int, Link] = {}
    for copy in copies:
        body = robots.as_utf8(copy.body)
        if not 200 <= copy.status < 300 or b"sitemap" not in body.lower().replace(b"-", b""):
            continue
        own = _bare(host(Url(f"{copy.origin}/")))
        for written in robots.parse(body).sitemaps[:MOST_NAMED]:
            url = normalise(written, f"{copy.origin}/")
            if not isinstance(url, Verdict) and _bare(host(url)) == own:
                found.setdefault(key_of(url), sitemap_link(url))
    return list(found.values())


def offered_by(copies: Iterable[RobotsCopy], *, guessing: bool) -> tuple[list[Link], list[Link]]:
    """The sitemaps that sites name for themselves, and the usual places of those that name none and can be asked."""
    named: dict[int, Link] = {}
    guessed: dict[int, Link] = {}
    for copy in copies:
        if links := named_in([copy]):
            named.update((link.key, link) for link in links)
        elif guessing and 200 <= copy.status < 500 and copy.status != 429:
            link = sitemap_link(Url(f"{copy.origin}{USUAL_PLACE}"))
            guessed[link.key] = link
    return list(named.values()), [link for link in guessed.values() if link.key not in named]


def change_lists(copies: Iterable[RobotsCopy]) -> list[Link]:
    """Where sites that can be asked would describe their lists of changes."""
    return [
        sitemap_link(Url(f"{copy.origin}{CHANGE_LISTS}"))
        for copy in copies
        if 200 <= copy.status < 500 and copy.status != 429
    ]


def waits(order: Order) -> bool:
    """Whether sitemaps are read only when links lead to nothing more: a page that is listed before a link leads to it
    would stand far back in the queue. Two orders go by what sitemaps list."""
    return order not in (Order.COVERAGE, Order.STRUCTURE)


def read_at_last(store: "Writer", order: Order, now: float) -> int:
    """Queues the sitemaps that wait; how many there are."""
    plan = Plan(queued=[Queued(key, host, band(order, 0, True)) for key, host in store.past.unread_sitemaps()])
    if plan.queued:
        store.commit(plan, now)
    return len(plan.queued)


def sitemap_link(url: Url, hops: int = 0) -> Link:
    return Link(key_of(url), url, 0, hops, True, "", "", True)


def read(
    body: bytes, task: Task, judge: Callable[[Url], Verdict], rewrite: Callable[[Url], Url] | None, cache: UrlCache,
    now: float,
) -> tuple[list[Link], list[Listing], tuple[str, ...]] | Verdict:  # fmt: skip
    """The links that home has to hear of, what is said of each page, and notes on what was left out."""
    # Imported here: XML and the ways to write a date take long to load, home reads no sitemap and many sites have none.
    from whimbrel.parse.sitemaps import read_sitemap

    sitemap = read_sitemap(body, task.url, now)
    if isinstance(sitemap, Verdict):
        return sitemap
    if sitemap.kind == "index":
        nested, notes = _nested(sitemap.urls, task)
        return nested, [], (*sitemap.notes, *notes)
    links: dict[int, Link] = {}
    listed: list[Listing] = []
    for entry in sitemap.urls:
        url = entry.url if rewrite is None else rewrite(entry.url)
        key = key_of(url)
        if key in links:
            continue
        verdict = judge(url)
        links[key] = Link(key, url, STEPS, 0, False, verdict.rule, verdict.reason)
        if verdict.accepted:
            listed.append(Listing(key, entry.lastmod, entry.changefreq, entry.priority))
    told = cache.meet(list(links), task.depth + STEPS)
    return [links[key] for key in told], listed, sitemap.notes


def _nested(entries: "tuple[SitemapUrl, ...]", task: Task) -> tuple[list[Link], list[str]]:
    """Sitemaps of an index. One that is known already is not asked for again, so a circle comes to an end."""
    others = [entry.url for entry in entries if entry.url != task.url]
    notes = ["it lists itself; that entry is ignored"] if len(others) < len(entries) else []
    if task.hops >= MOST_NESTED:
        return [], [*notes, f"sitemaps nested more than {MOST_NESTED} deep: {len(others)} not read"]
    if len(others) > MOST_IN_AN_INDEX:
        notes.append(f"more than {MOST_IN_AN_INDEX} sitemaps: {len(others) - MOST_IN_AN_INDEX} not read")
    return [sitemap_link(url, task.hops + 1) for url in others[:MOST_IN_AN_INDEX]], notes


def _bare(name: str) -> str:
    return name.removeprefix("www.")
