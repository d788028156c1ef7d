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
from whimbrel.api.briefing import page_filter_of, sieve_for, staff_for
from whimbrel.api.log import check_log
from whimbrel.api.outset import Asked, Errand, NamedSeeds, Outset, brief_of, check_settings, outset_of
from whimbrel.api.paper_versions import PaperVersions
from whimbrel.api.resting import JUDGED_UNDER, LETS_IN, concerned, terms_of, to_judge_anew
from whimbrel.api.revisiting import patience_for
from whimbrel.api.site_settings import run_filters, with_said
from whimbrel.api.travelling import checker_for, far_carrier, known_by_secrets, with_places
from whimbrel.config import Settings, remember
from whimbrel.flows.gather.deciding import Terms
from whimbrel.flows.listing import read_at_last, waits
from whimbrel.flows.twins.dusting import Dusting
from whimbrel.flows.twins.file import all_rules
from whimbrel.frontier.order import Order, band
from whimbrel.migrants.clock import Clock
from whimbrel.migrants.home.intake import Anew
from whimbrel.migrants.home.manager import Manager
from whimbrel.migrants.home.renewal import EditedRequests
from whimbrel.migrants.judge import UrlJudge
from whimbrel.migrants.wire.channel import Carrier
from whimbrel.migrants.wire.messages import Brief
from whimbrel.records.request import ALL, ANY, Topical
from whimbrel.records.url import Url
from whimbrel.repository.contract import WITHDRAWN, Enquiry
from whimbrel.repository.engines import exists, open_reader, open_writer
from whimbrel.repository.location import Where
from whimbrel.repository.port.writer import Writer
from whimbrel.urls.filters import travels

if TYPE_CHECKING:
    from whimbrel.flows.refresh.course import Course, RefreshWish
    from whimbrel.places.home.carrier import PlacesCarrier
    from whimbrel.places.home.checking import PlaceChecker

PRODUCT = "whimbrel"
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


class Refreshing(Struct):
    """A refresh ready to run; `course` fills the queue stage by stage."""

    opened: OpenedCrawl
    course: "Course"


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


def open_refresh(
    settings: Settings, folder: Where, wish: "RefreshWish", *, carrier: Carrier | None = None
) -> Refreshing:
    """Locks and opens a folder that was crawled, and gives the manager that will visit its pages again."""
    # Imported here: a crawl plans no visits, and what they are planned by takes a tenth of its start to load.
    from whimbrel.flows.refresh.course import Course
    from whimbrel.flows.refresh.pings import PingBook
    from whimbrel.readers.attendance import readers_by_page
    from whimbrel.search.ranked import link_ranks

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
    settings: Settings, seeds: Iterable[Url], folder: Where | None = None, wish: "RefreshWish | None" = None,
    *, from_browser: bool = False, found_elsewhere: bool = False, assumed: Sequence[str] = (),
    carrier: Carrier | None = None, budget: int | None = None, errand: Errand | None = None, clock: Clock = time,
) -> OpenedCrawl:  # fmt: skip
    """Locks and opens the folder, takes the seeds in, and gives the manager that will crawl it. `assumed` are origins
    of the seeds whose https nobody wrote; `carrier` brings migrants to their places, without one as processes here;
    `budget` is how many visits the run may make; with `found_elsewhere` somebody else named the seeds, whose hosts are
    then judged by where they are."""
    check_log(settings.log.file)
    where = folder or Path(settings.repository.path)
    named = NamedSeeds(list(seeds), tuple(assumed), from_browser, found_elsewhere)
    asked = Asked(settings, with_said(settings, where), wish, errand)
    check_settings(asked)
    sieve = sieve_for(page_filter_of(asked.settings))
    software = f"{PRODUCT}/{__version__}"
    store = open_writer(where, rollover_bytes=settings.repository.warc_file_bytes, software=software)
    try:
        store.survey(time.time(), refreshing=wish is not None)
        outset = outset_of(store, asked, named)
        store.reband(outset.order, partial(band, outset.order))
        brief = brief_of(outset)
        within = UrlJudge(brief)
        terms = _terms(outset, within)
        far = far_carrier(store.location.beside) if carrier is None else None
        checker = checker_for(far, store, brief, asked.settings.places.check_share)
        staff = replace(
            with_places(staff_for(asked.settings, carrier), far, checker, brief), sieve=sieve, papers=PaperVersions()
        )
        manager = Manager(
            store, brief, terms, staff, resumed=bool(outset.known), requests=outset.enquiries, budget=budget,
            sites=errand.sites if errand is not None else None, clock=clock, patience=_patience(outset),
        )  # fmt: skip
        manager.renewal.edited = _edited(outset)
        _order(outset, manager)
        _judge_anew(outset, manager, within)
        new = _plant(outset, manager, within, terms.sitemaps)
        _remember(outset)
    except BaseException:
        store.close()
        raise
    warnings = (*outset.keys.warnings, *_stays_home(brief, far))
    return OpenedCrawl(
        store, manager, asked.settings, outset.named, new, within, warnings, terms.dusting, far, checker, brief
    )


def _terms(outset: Outset, within: UrlJudge) -> Terms:
    settings, errand = outset.settings, outset.asked.errand
    crawl, pictures = settings.crawl, settings.crawl.only == "images" and not outset.requests
    if pictures:
        outset.store.count_pictures()
    return Terms(
        _limit(outset) if errand is None else outset.store.pages + errand.pages,
        crawl.depth,
        outset.order,
        {site.host: site.depth for site in settings.site if site.host and site.depth is not None},
        {site.host: site.limit for site in settings.site if site.host and site.limit is not None},
        sitemaps=crawl.sitemaps and crawl.scope != "list",
        refreshing=outset.asked.wish is not None,
        exhaustive=crawl.exhaustive,
        pictures=pictures,
        dusting=_dusting(outset.store.location.beside, within),
        patience=patience_for(settings, outset.asked.wish),
    )


def _order(outset: Outset, manager: Manager) -> None:
    """Orders that ask more of pages than where they were found."""
    crawl = outset.settings.crawl
    if crawl.collection is not None and outset.asked.own:
        from whimbrel.api.collecting import collect  # brings NumPy

        collect(manager, outset.store, crawl.collection)
    if outset.order is Order.SIMILARITY and outset.asked.own:
        from whimbrel.api.likening import check_query, order_by_likeness  # brings NumPy and stemmers

        order_by_likeness(manager, outset.store, check_query(crawl.query))


def _judge_anew(outset: Outset, manager: Manager, within: UrlJudge) -> None:
    """What was refused under rules that stand no more."""
    store, settings = outset.store, outset.settings
    refreshing = outset.asked.wish is not None
    manager.reconsider(not refreshing and _others_judge(store, outset.enquiries, settings.crawl.judges))
    if outset.asked.own and (rules := to_judge_anew(store, settings, outset.new_seeds)):
        manager.rejudge(Anew(rules, within, concerned(settings), not set(LETS_IN).isdisjoint(rules)))


def _plant(outset: Outset, manager: Manager, within: UrlJudge, sitemaps: bool) -> int:
    """Where the run begins, and how many of these seeds the folder did not know."""
    examples = [url for kept in outset.enquiries for url in kept.examples if within(url).accepted]
    new = manager.plant([*outset.given, *(examples if outset.asked.errand is None else [])])
    if sitemaps:
        manager.on_idle = partial(read_at_last, outset.store, outset.order)
        if not waits(outset.order):
            read_at_last(outset.store, outset.order, time.time())
    return new


def _remember(outset: Outset) -> None:
    """What the next run has to know of this one."""
    store = outset.store
    if outset.asked.wish is None:
        _remember_judges(outset, outset.enquiries)
    if outset.asked.own:
        store.remember("settings", remember(outset.asked.said))
        store.remember(JUDGED_UNDER, terms_of(outset.settings))
    store.remember("order", outset.order)
    purses = credentials.together([*outset.remembered, *credentials.from_settings(outset.settings)])
    store.remember(credentials.REMEMBERED, credentials.as_stored(purses))


def _remember_judges(outset: Outset, requests: Sequence[Enquiry]) -> None:
    """Who has seen the pages that are refused."""
    judges = outset.settings.crawl.judges
    rule = [judges] if requests and judges != ANY else []
    outset.store.remember(JUDGED_BY, [*(kept.number for kept in requests), *rule])


def _edited(outset: Outset) -> EditedRequests | None:
    """Only the folder's own crawl for a topic can be given other terms while it runs."""
    if not outset.asked.own or not any(isinstance(request, Topical) for _, request in outset.requests):
        return None
    # Imported here: it counts words by stemmers, which are in the extra `search`.
    from whimbrel.api.edited_topics import EditedTopics

    return EditedTopics(outset.store, partial(_remember_judges, outset), outset.settings.topic.terms or "")


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


def withdraw(folder: Where, request: int) -> bool:
    """Nobody wants pages of this kind any more; whether it was open. What was found stays."""
    store = open_writer(folder)
    try:
        return store.requests.end(request, WITHDRAWN, time.time())
    finally:
        store.close()


def _others_judge(store: Writer, requests: Sequence[Enquiry], rule: str) -> bool:
    """Whether pages refused for their kind are due again: a request has not seen them, all pages are wanted now, or
    another rule stands over the judges. Whatever none of them wanted, all of them do not want either."""
    before = store.recall(JUDGED_BY)
    judged_by = set(before) if isinstance(before, list) else set()
    now = {kept.number for kept in requests}
    former = next((one for one in judged_by if isinstance(one, str)), ANY)
    if judged_by and former != rule and (former, rule) != (ANY, ALL):
        return True
    return not now <= judged_by if now else bool(judged_by)


def _limit(outset: Outset) -> int | None:
    """A request's limit counts its own pages, whatever else the folder holds. Where a page has to serve several kinds,
    no more can be kept than the first of them still wants. A refresh brings nothing into a collection that is full: the
    next crawl weighs what it found."""
    crawl, pages, kept = outset.settings.crawl, outset.store.pages, outset.enquiries
    if not kept:
        return crawl.limit if crawl.collection is None or outset.asked.wish is None else crawl.collection
    wanted = [one.most - one.found for one in kept if one.most is not None]
    if crawl.judges != ANY:
        return pages + max(0, min(wanted)) if wanted else None
    return pages + sum(max(0, more) for more in wanted) if len(wanted) == len(kept) else None


def _patience(outset: Outset) -> int:
    """Pages over which the harvest of a topic is looked at; where other pages are asked for too, nothing ends early."""
    topics = [isinstance(request, Topical) for _, request in outset.requests]
    return outset.settings.topic.patience_pages if topics and all(topics) else 0


def _dusting(folder: Path, within: UrlJudge) -> Dusting | None:
    rules = all_rules(folder)
    return Dusting(rules, within, time.time()) if any(one.learned for one in rules.values()) else None
