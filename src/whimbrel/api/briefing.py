"""Settings as the run needs them: the brief that every migrant is given, and who is sent out with it."""

import os
import ssl
import time
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from whimbrel import __version__
from whimbrel.api.credentials import NO_KEYS, Keys, avoided
from whimbrel.api.naming import addresses_named
from whimbrel.config import ConfigError, Settings, default_user_agent
from whimbrel.fetch.interfaces import own_addresses
from whimbrel.fetch.politeness import PolitenessSettings
from whimbrel.fetch.settings import FetchSettings
from whimbrel.migrants.home.choice import DEFAULT_JUDGEMENTS, Strategy, criteria_of
from whimbrel.migrants.home.load import CrewLimits
from whimbrel.migrants.home.places import MigrantPlace
from whimbrel.migrants.home.staff import Staff
from whimbrel.migrants.wire import messages as wire
from whimbrel.migrants.wire.channel import Carrier
from whimbrel.migrants.wire.local import Local
from whimbrel.records.hours import Hours, hours_of
from whimbrel.records.request import Request
from whimbrel.records.sifting import PageFilter
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.urls.filters import from_table
from whimbrel.urls.filters import load as load_filter
from whimbrel.urls.normal import Rewrites
from whimbrel.urls.scope import ScopeKind

if TYPE_CHECKING:
    from whimbrel.sieve.asking import Sieve

PATIENCE_SECONDS = 300.0
RETRIES = 2
MOST_CONNECTIONS = 256

CONTENT_TYPES = {
    "html": ("text/html", "application/xhtml+xml"),
    "text": ("text/plain", "text/markdown"),
    "pdf": ("application/pdf",),
    "office": (
        "application/msword", "application/rtf", "application/vnd.ms-", "application/vnd.oasis.opendocument.",
        "application/vnd.openxmlformats-officedocument.",
    ),
    "feed": ("application/rss+xml", "application/x-rss+xml", "application/atom+xml", "application/xml", "text/xml"),
}  # fmt: skip


def brief_for(
    settings: Settings,
    named: list[Url],
    led_to: list[Url],
    requests: Sequence[Request] = (),
    private_names: Sequence[tuple[str, str]] = (),
    keys: Keys = NO_KEYS,
    strange: Collection[str] = (),
    witnesses: Sequence[tuple[Url, bytes]] = (),
) -> wire.Brief:
    fetch = settings.fetch
    now = time.time()
    agent = fetch.user_agent or default_user_agent(__version__, fetch.contact)
    return wire.Brief(
        version=wire.VERSION,
        fetch=FetchSettings(
            user_agent=agent,
            headers=tuple(fetch.headers.items()),
            sites=keys.sites,
            proxy=keys.proxy,
            max_body_bytes=fetch.max_size_bytes,
            connect_seconds=fetch.connect_seconds,
            total_seconds=fetch.total_seconds,
            stall_seconds=max(1, round(fetch.stall_seconds)),
            ca_file=_certificates(fetch.ca_file),
            accept_types=accepted_types(settings.crawl.types),
        ),
        politeness=PolitenessSettings(
            delay_seconds=1.0 if fetch.delay_seconds is None else fetch.delay_seconds,
            delay_given=fetch.delay_seconds is not None,
        ),
        scope=ScopeKind(settings.crawl.scope),
        seeds=[*named, *led_to],
        seed_hosts=[name for name in addresses_named(named) if name not in strange],
        private_names=[pair for pair in private_names if pair[0] not in strange],
        own_addresses=own_addresses() if strange else [],
        networks=list(fetch.allow_networks),
        filters=filters_for(settings),
        order=settings.crawl.order,
        assets=settings.crawl.assets,
        agent=agent,
        robots_off_hosts=list(fetch.robots_off_hosts),
        directives_off_hosts=list(fetch.directives_off_hosts),
        most_connections=MOST_CONNECTIONS,
        retries=RETRIES,
        patience_seconds=PATIENCE_SECONDS,
        requests=list(requests),
        judges=settings.crawl.judges,
        site_hours=_hours(settings, now),
        page_filter=page_filter_of(settings),
        pictures=settings.crawl.only == "images",
        site_delays=[(s.host, s.delay_seconds) for s in settings.site if s.host and s.delay_seconds is not None],
        closed=list(keys.missing),
        avoid=avoided(settings, keys),
        witnesses=list(witnesses),
        rewrites=[
            (
                site.host or site.prefix or "",
                Rewrites(site.lower_path, site.drop_trailing_slash, site.drop_default_document),
            )
            for site in settings.site
            if site.lower_path or site.drop_trailing_slash or site.drop_default_document
        ],
    )


def page_filter_of(settings: Settings) -> PageFilter:
    """What the user wrote about the pages to be kept, as it travels."""
    crawl = settings.crawl
    program = ""
    if crawl.keep_program:
        try:
            program = Path(crawl.keep_program).expanduser().read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"[crawl] keep_program: {crawl.keep_program} cannot be read: {error}") from error
    return PageFilter((crawl.keep or "").strip(), program)


def sieve_for(page_filter: PageFilter) -> "Sieve | None":
    """What runs it here; a filter that cannot be used is refused before anything is asked for."""
    if not page_filter:
        return None
    from whimbrel.sieve.asking import Sieve, SieveError, missing

    named = "keep" if page_filter.expression else "keep_program"
    if extra := missing(page_filter):
        raise ConfigError(
            f"[crawl] {named}: what runs it is not installed: the extra `{extra}`. "
            "`whimbrel crawl` and `whimbrel refresh` add it."
        )
    for one in (PageFilter(page_filter.expression), PageFilter("", page_filter.program)):
        sieve = Sieve(one)
        try:
            if one:
                sieve.check()
        except SieveError as error:
            named = "keep" if one.expression else "keep_program"
            raise ConfigError(f"[crawl] {named}: {error}") from error
        finally:
            sieve.close()
    return Sieve(page_filter)


def _hours(settings: Settings, now: float) -> list[tuple[str, Hours, str]]:
    """The hours of sites, which are by the clock of this machine, by UTC."""
    ahead = time.localtime(now).tm_gmtoff // 60
    read = ((site.host, hours_of(site.hours), site.hours) for site in settings.site if site.host and site.hours)
    return [(host, hours.shifted(-ahead), text) for host, hours, text in read if hours is not None]


def _certificates(ca_file: str | None) -> str:
    """The file's full name: a migrant may work in another folder."""
    if not ca_file:
        return ""
    path = Path(ca_file).expanduser().absolute()
    try:
        ssl.create_default_context(cafile=path)
    except OSError as error:  # SSLError is one
        why = error.strerror if not isinstance(error, ssl.SSLError) else "it holds no certificates in PEM form"
        raise ConfigError(f"[fetch] ca_file: {path} cannot be used ({why}); name a PEM file.") from error
    return str(path)


def staff_for(settings: Settings, carrier: Carrier | None = None) -> Staff:
    """How many migrants, where, and how work is given to them; refuses judgements that contradict each other.
    Without a carrier they are processes of this machine."""
    criteria = criteria_of([row.split() for row in settings.migrants.judgements] or DEFAULT_JUDGEMENTS)
    if isinstance(criteria, Verdict):
        raise ConfigError(f"[migrants] judgements: {criteria.reason}")
    places = tuple(MigrantPlace(place.name, place.folder, place.cores) for place in settings.place)
    for fault in filter(None, (place.fault() for place in places)):
        raise ConfigError(f"[[place]]: {fault}")
    limits, strategy = limits_of(settings.crawl.migrants), Strategy(settings.migrants.choose)
    return Staff(carrier or Local(), limits, places, strategy=strategy, criteria=criteria)


def limits_of(migrants: int | str) -> CrewLimits:
    """`3`, `"1-4"` or `"auto"`: one to as many as there are cores to run on."""
    if migrants == "auto":
        return CrewLimits(1, len(os.sched_getaffinity(0)))
    fewest, _, most = str(migrants).partition("-")
    if most and int(most) < int(fewest):
        raise ConfigError(f"--migrants {migrants}: the first number of a range is the smaller one.")
    return CrewLimits(int(fewest), int(most or fewest))


def accepted_types(kinds: Iterable[str]) -> tuple[str, ...]:
    wanted = list(kinds)
    return () if "any" in wanted else tuple(prefix for kind in wanted for prefix in CONTENT_TYPES[kind])


def filters_for(settings: Settings) -> list[dict[str, object] | str]:
    """The user's filters as they travel; each was understood here before it leaves."""
    crawl = settings.crawl
    filters: list[dict[str, object] | str] = []
    of_a_host = ("depth", "limit", "delay_seconds", "hours", "notify", "notify_words")
    if any(site.prefix and getattr(site, name) is not None for site in settings.site for name in of_a_host):
        named = ", ".join(f"`{name}`" for name in of_a_host)
        raise ConfigError(f"{named} of a [[site]] go with `host`, not with `prefix`.")
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
