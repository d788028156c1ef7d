"""A folder opened for a crawl or a refresh: locked, its seeds taken in, with the manager that will run it."""

import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from whimbrel import __version__
from whimbrel.api import credentials
from whimbrel.api.briefing import brief_for, page_filter_of, sieve_for, staff_for
from whimbrel.api.log import check_log
from whimbrel.api.naming import private_names, strangers
from whimbrel.api.picture_wishes import with_pictures
from whimbrel.api.refused_logins import recalled, resting
from whimbrel.api.resting import JUDGED_UNDER, LETS_IN, concerned, terms_of, to_judge_anew
from whimbrel.api.revisiting import patience_for
from whimbrel.api.seeds import read_seeds
from whimbrel.api.site_settings import run_filters, with_said
from whimbrel.api.travelling import checker_for, far_carrier, known_by_secrets, with_places
from whimbrel.config import ConfigError, Settings, remember
from whimbrel.flows.gather.deciding import Terms
from whimbrel.flows.listing import read_at_last, waits
from whimbrel.flows.refresh.course import Course, RefreshWish
from whimbrel.flows.refresh.pings import PingBook
from whimbrel.flows.requests import as_stored, kept_like
from whimbrel.flows.twins.dusting import Dusting
from whimbrel.flows.twins.file import all_rules
from whimbrel.frontier.order import Order, band
from whimbrel.migrants.clock import Clock
from whimbrel.migrants.home.intake import Anew
from whimbrel.migrants.home.manager import Manager
from whimbrel.migrants.judge import UrlJudge
from whimbrel.migrants.wire.channel import Carrier
from whimbrel.migrants.wire.messages import Brief
from whimbrel.readers.attendance import readers_by_page
from whimbrel.records.request import ALL, ANY, Alike, Request, Topical
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.repository.contract import OPEN, WITHDRAWN, Enquiry
from whimbrel.repository.engines import exists, open_reader, open_writer
from whimbrel.repository.location import Where
from whimbrel.repository.port.writer import Writer
from whimbrel.search.ranked import link_ranks
from whimbrel.urls.filters import travels
from whimbrel.urls.normal import host, origin

if TYPE_CHECKING:
    from whimbrel.places.home.carrier import PlacesCarrier
    from whimbrel.places.home.checking import PlaceChecker

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
    within: UrlJudge
    warnings: tuple[str, ...] = ()
    dusting: Dusting | None = None
    far: "PlacesCarrier | None" = None
    """What leads to the places that have joined, where there are any; it is open while the crawl runs."""
    checker: "PlaceChecker | None" = None
    brief: Brief | None = None


class Errand(Struct, frozen=True):
    """A crawl for pages of some kinds beside what the folder is crawled for; what the folder remembers of its own crawl
    stays. `sites` are the hosts it keeps to, `pages` how many are wanted at most."""

    requests: tuple[Alike, ...]
    sites: frozenset[str]
    pages: int


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


def open_refresh(settings: Settings, folder: Where, wish: RefreshWish, *, carrier: Carrier | None = None) -> Refreshing:
    """Locks and opens a folder that was crawled, and gives the manager that will visit its pages again."""
    open_reader(folder).close()  # says what is wrong before the lock makes a folder
    budget = None if wish.everything else wish.budget
    opened = open_crawl(settings, [], folder, wish, budget=budget, carrier=carrier)
    try:
        wait = settings.refresh.confirm_after_seconds
        left = opened.manager.allowance
        course = Course(
            opened.store, wish, Order(settings.crawl.order), time.time(), wait, lambda: left.left, opened.dusting,
            link_ranks(opened.store.location.beside) if wish.budget is not None else {},
            readers_by_page(opened.store.location) if wish.budget is not None else {},
            run_filters(opened.settings), PingBook(folder).every(), opened.within,
        )  # fmt: skip
    except BaseException:
        opened.store.close()
        raise
    opened.manager.on_idle = course.more
    return Refreshing(opened, course)


def open_crawl(
    settings: Settings, seeds: Iterable[Url], folder: Where | None = None, wish: RefreshWish | None = None,
    *, from_browser: bool = False, found_elsewhere: bool = False, assumed: Sequence[str] = (),
    carrier: Carrier | None = None, budget: int | None = None, errand: Errand | None = None, clock: Clock = time,
) -> OpenedCrawl:  # fmt: skip
    """Locks and opens the folder, takes the seeds in, and gives the manager that will crawl it. `assumed` are origins
    of the seeds whose https nobody wrote; `carrier` brings migrants to their places, without one as processes here;
    `budget` is how many visits the run may make; with `found_elsewhere` somebody else named the seeds, whose hosts are
    then judged by where they are."""
    check_log(settings.log.file)
    said, settings = settings, with_said(settings, folder or Path(settings.repository.path))
    size = settings.crawl.collection
    if size is not None:
        from whimbrel.api.collecting import check_collection, collect  # brings NumPy

        check_collection(settings)
    if settings.crawl.only and settings.crawl.assets:
        raise ConfigError(
            'crawl.only = "images" and crawl.assets do not go together: the one leaves out what the other keeps. '
            "Leave one of them out."
        )
    query = ""
    if settings.crawl.order == "similarity" and wish is None and errand is None:
        from whimbrel.api.likening import check_query, order_by_likeness  # brings NumPy and stemmers

        query = check_query(settings.crawl.query)
    sieve = sieve_for(page_filter_of(settings))
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
        if wish is not None and wish.unattended:
            keys = resting(keys, recalled(store), time.time())
        # Examples that a form named are judged by where they are, as its seeds; those that a folder remembers were
        # judged when they were named.
        shown = read_seeds(settings.topic.examples) if from_browser else []
        strange = strangers(
            store, [url for url, by_user in known if by_user], [*given, *shown], from_browser or found_elsewhere
        )
        if errand is not None:
            asked = _errand(store, errand)
        else:
            crawl = settings.crawl
            wanted = crawl.like or crawl.shows or settings.topic.subject or settings.topic.terms
            asked = _asked(store, settings, given, keys, strange) if wanted else []
            _check_judges(settings.crawl.judges, asked)
        order = Order.STRUCTURE if asked else Order(settings.crawl.order)
        store.reband(order, partial(band, order))
        led_to = [url for url, by_user in known if not by_user]
        owned = [url for url in named if host(url) not in strange]
        private = private_names(store, owned, [url for url in given if host(url) not in strange])
        witnesses = [one for site in keys.sites for one in store.private_pages(site.origins, WITNESSES)]
        brief = brief_for(settings, named, led_to, [request for _, request in asked], private, keys, strange, witnesses)
        brief = replace(brief, assumed=_assumed(store, given, assumed))
        brief = with_pictures(brief, settings, store.location.beside, [request for _, request in asked])
        if errand is not None:
            brief = replace(brief, judges=ANY)  # the rule is over what the folder's own crawl asks for
        within = UrlJudge(brief)
        # A refresh brings nothing into a collection that is full: the next crawl weighs what it found.
        alone = settings.crawl.limit if size is None or wish is None else size
        limit = _limit(store.pages, asked, settings.crawl.judges) if asked else alone
        if settings.crawl.only == "images" and not asked:
            store.count_pictures()
        terms = Terms(
            limit if errand is None else store.pages + errand.pages,
            settings.crawl.depth,
            order,
            {site.host: site.depth for site in settings.site if site.host and site.depth is not None},
            {site.host: site.limit for site in settings.site if site.host and site.limit is not None},
            sitemaps=settings.crawl.sitemaps and settings.crawl.scope != "list",
            refreshing=wish is not None,
            exhaustive=settings.crawl.exhaustive,
            pictures=settings.crawl.only == "images" and not asked,
            dusting=_dusting(store.location.beside, within),
            patience=patience_for(settings, wish),
        )
        requests = [kept for kept, _ in asked]
        far = far_carrier(store.location.beside) if carrier is None else None
        checker = checker_for(far, store, brief, settings.places.check_share)
        staff = replace(with_places(staff_for(settings, carrier), far, checker, brief), sieve=sieve)
        manager = Manager(
            store, brief, terms, staff, resumed=bool(known), requests=requests, budget=budget,
            sites=errand.sites if errand is not None else None, clock=clock, patience=_patience(settings, asked),
        )  # fmt: skip
        if size is not None and wish is None and errand is None:
            collect(manager, store, size)
        if query and order is Order.SIMILARITY:
            order_by_likeness(manager, store, query)
        manager.reconsider(wish is None and _judged_anew(store, requests, settings.crawl.judges))
        if wish is None and errand is None:
            new_seeds = not set(given) <= {url for url, _ in known}
            if rules := to_judge_anew(store, settings, new_seeds):
                manager.rejudge(Anew(rules, within, concerned(settings), not set(LETS_IN).isdisjoint(rules)))
        examples = [url for kept in requests for url in kept.examples if within(url).accepted]
        new = manager.plant([*given, *(examples if errand is None else [])])
        if terms.sitemaps:
            manager.on_idle = partial(read_at_last, store, order)
            if not waits(order):
                read_at_last(store, order, time.time())
        if wish is None:
            rule = [settings.crawl.judges] if requests and settings.crawl.judges != ANY else []
            store.remember(JUDGED_BY, [*(kept.number for kept in requests), *rule])
        if wish is None and errand is None:
            store.remember("settings", remember(said))
            store.remember(JUDGED_UNDER, terms_of(settings))
        store.remember("order", order)
        purses = credentials.together([*remembered, *credentials.from_settings(settings)])
        store.remember(credentials.REMEMBERED, credentials.as_stored(purses))
    except BaseException:
        store.close()
        raise
    warnings = (*keys.warnings, *_stays_home(brief, far))
    return OpenedCrawl(store, manager, settings, named, new, within, warnings, terms.dusting, far, checker, brief)


def _stays_home(brief: Brief, far: "PlacesCarrier | None") -> list[str]:
    """What is not sent to places: filters in Python, and whatever lets us in somewhere."""
    if far is None:
        return []
    invited = {host for place in far.places() for host in place.sites}
    return [
        *(
            f"the filter {declared} is Python of this machine and does not travel: what places send is judged here"
            for declared in brief.filters
            if not travels(declared)
        ),
        *(
            f"{name} is visited from here and not from its place: its credentials are told to no other machine"
            for name in sorted(known_by_secrets(brief) & invited)
        ),
    ]


def _assumed(store: Writer, given: Iterable[Url], assumed: Iterable[str]) -> list[str]:
    """All origins whose https was assumed, in this command or before; once somebody writes it, it is meant."""
    before = store.recall(ASSUMED)
    written = {origin(url) for url in given}.difference(assumed)
    kept = sorted({*(before if isinstance(before, list) else []), *assumed} - written)
    store.remember(ASSUMED, kept)
    return kept


def _asked(
    store: Writer, settings: Settings, seeds: list[Url], keys: credentials.Keys, strange: set[str]
) -> list[tuple[Enquiry, Request]]:
    # Imported here: looking at examples takes a fetcher and a parser, which home needs for nothing else.
    from whimbrel.api.asking import asked

    return asked(store, settings, seeds, keys, strange)


def _check_judges(rule: str, asked: list[tuple[Enquiry, Request]]) -> None:
    if rule == ANY:
        return
    from whimbrel.judges.convening import rule_over

    if not asked and rule != ALL:
        raise ConfigError(f"crawl.judges: {rule!r} is over judges, and nothing is asked for: --like, --topic, --shows.")
    if isinstance(read := rule_over([request for _, request in asked], rule), Verdict):
        raise ConfigError(f"crawl.judges: {read.reason}")


def _errand(store: Writer, errand: Errand) -> list[tuple[Enquiry, Request]]:
    """The requests of an errand, kept in the folder like any other: what was found for one counts as its own."""
    numbers = {}
    for request in errand.requests:
        examples = [Url(name) for name in request.names]
        kept = kept_like(store.requests.every(), request)
        if kept is None:
            numbers[store.requests.add(examples, as_stored(request), None, time.time())] = request
        else:
            store.requests.go_on(kept.number, kept.most if kept.state == OPEN else None)
            numbers[kept.number] = request
    return [
        (one, replace(numbers[one.number], number=one.number, pages=max(store.pages, numbers[one.number].pages)))
        for one in store.requests.every()
        if one.number in numbers
    ]


def withdraw(folder: Where, request: int) -> bool:
    """Nobody wants pages of this kind any more; whether it was open. What was found stays."""
    store = open_writer(folder)
    try:
        return store.requests.end(request, WITHDRAWN, time.time())
    finally:
        store.close()


def _judged_anew(store: Writer, requests: Sequence[Enquiry], rule: str) -> bool:
    """Whether pages refused for their kind are due again: a request has not seen them, all pages are wanted now, or
    another rule stands over the judges. Whatever none of them wanted, all of them do not want either."""
    before = store.recall(JUDGED_BY)
    judged_by = set(before) if isinstance(before, list) else set()
    now = {kept.number for kept in requests}
    former = next((one for one in judged_by if isinstance(one, str)), ANY)
    if judged_by and former != rule and (former, rule) != (ANY, ALL):
        return True
    return not now <= judged_by if now else bool(judged_by)


def _limit(pages: int, asked: list[tuple[Enquiry, Request]], rule: str) -> int | None:
    """A request's limit counts its own pages, whatever else the folder holds. Where a page has to serve several kinds,
    no more can be kept than the first of them still wants."""
    wanted = [kept.most - kept.found for kept, _ in asked if kept.most is not None]
    if rule != ANY:
        return pages + max(0, min(wanted)) if wanted else None
    return pages + sum(max(0, more) for more in wanted) if len(wanted) == len(asked) else None


def _patience(settings: Settings, asked: list[tuple[Enquiry, Request]]) -> int:
    """Pages over which the harvest of a topic is looked at; where other pages are asked for too, nothing ends early."""
    return settings.topic.patience_pages if asked and all(isinstance(one, Topical) for _, one in asked) else 0


def _dusting(folder: Path, within: UrlJudge) -> Dusting | None:
    rules = all_rules(folder)
    return Dusting(rules, within, time.time()) if any(one.learned for one in rules.values()) else None
