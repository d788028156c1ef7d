"""What a run sets out with: what it is for, who named what, what the folder knows and asks for, and the brief."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from whimbrel.api import credentials
from whimbrel.api.briefing import brief_for
from whimbrel.api.naming import private_names, strangers
from whimbrel.api.picture_wishes import with_pictures
from whimbrel.api.refused_logins import recalled, resting
from whimbrel.api.seeds import read_seeds
from whimbrel.config import ConfigError, Settings
from whimbrel.flows.requests import as_stored, kept_like
from whimbrel.frontier.order import Order
from whimbrel.migrants.wire.messages import Brief
from whimbrel.records.request import ALL, ANY, Alike, Request
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.repository.contract import OPEN, Enquiry
from whimbrel.repository.port.writer import Writer
from whimbrel.urls.normal import host, origin

if TYPE_CHECKING:
    from whimbrel.flows.refresh.course import RefreshWish

ASSUMED = "https assumed"
WITNESSES = 3
"""Kept pages by which is seen whether a session still holds."""


class Errand(Struct, frozen=True):
    """A crawl for pages of some kinds beside what the folder is crawled for; what the folder remembers of its own crawl
    stays. `sites` are the hosts it keeps to, `pages` how many are wanted at most."""

    requests: tuple[Alike, ...]
    sites: frozenset[str]
    pages: int


class Asked(Struct, frozen=True):
    """What a run is for: a refresh has a `wish`, a crawl for others' pages an `errand`, the folder's own crawl neither.
    `said` are the settings as they were given, `settings` the same with what the folder was told of its sites."""

    said: Settings
    settings: Settings
    wish: "RefreshWish | None"
    errand: Errand | None

    @property
    def own(self) -> bool:
        return self.wish is None and self.errand is None


class NamedSeeds(Struct, frozen=True):
    """The seeds of a run, and who named them: see `open_crawl`."""

    seeds: list[Url]
    assumed: tuple[str, ...]
    from_browser: bool
    found_elsewhere: bool


class Outset(Struct, frozen=True):
    """`known` are the seeds of earlier runs, each with whether a person named it, `named` those and the new ones that
    people named. `strange` are hosts that nobody here named, `remembered` the credentials that the folder knows of."""

    store: Writer
    asked: Asked
    given: list[Url]
    assumed: list[str]
    known: list[tuple[Url, bool]]
    named: list[Url]
    strange: set[str]
    remembered: list[credentials.Purse]
    keys: credentials.Keys
    requests: list[tuple[Enquiry, Request]]

    @property
    def settings(self) -> Settings:
        return self.asked.settings

    @property
    def enquiries(self) -> list[Enquiry]:
        return [kept for kept, _ in self.requests]

    @property
    def order(self) -> Order:
        return Order.STRUCTURE if self.requests else Order(self.settings.crawl.order)

    @property
    def new_seeds(self) -> bool:
        return not set(self.given) <= {url for url, _ in self.known}


def check_settings(asked: Asked) -> None:
    """Refuses what does not go together, before the folder is touched."""
    crawl = asked.settings.crawl
    if crawl.collection is not None:
        from whimbrel.api.collecting import check_collection  # brings NumPy

        check_collection(asked.settings)
    if crawl.only and crawl.assets:
        raise ConfigError(
            'crawl.only = "images" and crawl.assets do not go together: the one leaves out what the other keeps. '
            "Leave one of them out."
        )
    if Order(crawl.order) is Order.SIMILARITY and asked.own:
        from whimbrel.api.likening import check_query  # brings NumPy and stemmers

        check_query(crawl.query)


def outset_of(store: Writer, asked: Asked, named: NamedSeeds) -> Outset:
    settings, known = asked.settings, store.seeds()
    remembered = credentials.from_stored(store.recall(credentials.REMEMBERED))
    by_people = [url for url, by_user in known if by_user]
    all_named = list(dict.fromkeys([*by_people, *named.seeds]))
    keys = credentials.read_keys(settings, all_named, remembered)
    if asked.wish is not None and asked.wish.unattended:
        keys = resting(keys, recalled(store), time.time())
    # Examples that a form named are judged by where they are, as its seeds; those that a folder remembers were
    # judged when they were named.
    shown = read_seeds(settings.topic.examples) if named.from_browser else []
    unvetted = named.from_browser or named.found_elsewhere
    strange = strangers(store, by_people, [*named.seeds, *shown], unvetted)
    requests = _requests(store, asked, named.seeds, keys, strange)
    assumed = _assumed(store, named)
    return Outset(store, asked, named.seeds, assumed, known, all_named, strange, remembered, keys, requests)


def brief_of(outset: Outset) -> Brief:
    """What every migrant of the run has to know."""
    store, strange, settings = outset.store, outset.strange, outset.settings
    led_to = [url for url, by_user in outset.known if not by_user]
    owned = [url for url in outset.named if host(url) not in strange]
    private = private_names(store, owned, [url for url in outset.given if host(url) not in strange])
    witnesses = [one for site in outset.keys.sites for one in store.private_pages(site.origins, WITNESSES)]
    requests = [request for _, request in outset.requests]
    brief = brief_for(settings, outset.named, led_to, requests, private, outset.keys, strange, witnesses)
    brief = with_pictures(replace(brief, assumed=outset.assumed), settings, store.location.beside, requests)
    if settings.places.entries_first and outset.asked.wish is None and outset.asked.errand is None:
        brief = replace(brief, entries=True)
    # The rule over judges is over what the folder's own crawl asks for.
    return brief if outset.asked.errand is None else replace(brief, judges=ANY)


def _requests(
    store: Writer, asked: Asked, seeds: list[Url], keys: credentials.Keys, strange: set[str]
) -> list[tuple[Enquiry, Request]]:
    if asked.errand is not None:
        return _errand(store, asked.errand)
    crawl, topic = asked.settings.crawl, asked.settings.topic
    found: list[tuple[Enquiry, Request]] = []
    if crawl.like or crawl.shows or topic.subject or topic.terms:
        # Imported here: looking at examples takes a fetcher and a parser, which home needs for nothing else.
        from whimbrel.api.asking import asked as asked_for

        found = asked_for(store, asked.settings, seeds, keys, strange)
    _check_judges(crawl.judges, found)
    return found


def _check_judges(rule: str, asked: Sequence[tuple[Enquiry, Request]]) -> None:
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


def _assumed(store: Writer, named: NamedSeeds) -> list[str]:
    """All origins whose https was assumed, in this command or before; once somebody writes it, it is meant."""
    before = store.recall(ASSUMED)
    written = {origin(url) for url in named.seeds}.difference(named.assumed)
    kept = sorted({*(before if isinstance(before, list) else []), *named.assumed} - written)
    store.remember(ASSUMED, kept)
    return kept
