"""Settings as the run needs them: the brief that every migrant is given, and who is sent out with it."""

import os
from collections.abc import Iterable, Sequence

from whimbrel import __version__
from whimbrel.config import ConfigError, Settings, default_user_agent
from whimbrel.fetch.politeness import PolitenessSettings
from whimbrel.fetch.settings import FetchSettings
from whimbrel.migrants import wire
from whimbrel.migrants.choice import DEFAULT_JUDGEMENTS, Strategy, criteria_of
from whimbrel.migrants.load import Limits
from whimbrel.migrants.manager import Staff
from whimbrel.migrants.places import Place
from whimbrel.records.request import Request
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.urls.filters import from_table
from whimbrel.urls.filters import load as load_filter
from whimbrel.urls.normal import Rewrites, host
from whimbrel.urls.scope import ScopeKind

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
    "feed": ("application/rss+xml", "application/atom+xml", "application/xml", "text/xml"),
}  # fmt: skip


def brief_for(settings: Settings, named: list[Url], led_to: list[Url], requests: Sequence[Request] = ()) -> wire.Brief:
    fetch = settings.fetch
    hosts = sorted({host(url) for url in named})
    agent = fetch.user_agent or default_user_agent(__version__, fetch.contact)
    return wire.Brief(
        version=wire.VERSION,
        fetch=FetchSettings(
            user_agent=agent,
            headers=tuple(fetch.headers.items()),
            auth=fetch.auth or "",
            auth_hosts=tuple(hosts) if fetch.auth or fetch.headers else (),
            proxy=fetch.proxy or "",
            max_body_bytes=fetch.max_size_bytes,
            connect_seconds=fetch.connect_seconds,
            total_seconds=fetch.total_seconds,
            stall_seconds=max(1, round(fetch.stall_seconds)),
            ca_file=fetch.ca_file or "",
            accept_types=accepted_types(settings.crawl.types),
        ),
        politeness=PolitenessSettings(
            delay_seconds=1.0 if fetch.delay_seconds is None else fetch.delay_seconds,
            delay_given=fetch.delay_seconds is not None,
        ),
        scope=ScopeKind(settings.crawl.scope),
        seeds=[*named, *led_to],
        seed_hosts=hosts,
        networks=list(fetch.allow_networks),
        filters=filters_for(settings),
        order=settings.crawl.order,
        assets=settings.crawl.assets,
        agent=agent,
        robots_off_hosts=list(fetch.robots_off_hosts),
        most_connections=MOST_CONNECTIONS,
        retries=RETRIES,
        patience_seconds=PATIENCE_SECONDS,
        requests=list(requests),
        site_delays=[(s.host, s.delay_seconds) for s in settings.site if s.host and s.delay_seconds is not None],
        rewrites=[
            (
                site.host or site.prefix or "",
                Rewrites(site.lower_path, site.drop_trailing_slash, site.drop_default_document),
            )
            for site in settings.site
            if site.lower_path or site.drop_trailing_slash or site.drop_default_document
        ],
    )


def staff_for(settings: Settings) -> Staff:
    """How many migrants, where, and how work is given to them; refuses judgements that contradict each other."""
    criteria = criteria_of([row.split() for row in settings.migrants.judgements] or DEFAULT_JUDGEMENTS)
    if isinstance(criteria, Verdict):
        raise ConfigError(f"[migrants] judgements: {criteria.reason}")
    places = tuple(Place(place.name, place.folder, place.cores) for place in settings.place)
    for fault in filter(None, (place.fault() for place in places)):
        raise ConfigError(f"[[place]]: {fault}")
    return Staff(limits_of(settings.crawl.migrants), places, Strategy(settings.migrants.choose), criteria)


def limits_of(migrants: int | str) -> Limits:
    """`3`, `"1-4"` or `"auto"`: one to as many as there are cores to run on."""
    if migrants == "auto":
        return Limits(1, len(os.sched_getaffinity(0)))
    fewest, _, most = str(migrants).partition("-")
    if most and int(most) < int(fewest):
        raise ConfigError(f"--migrants {migrants}: the first number of a range is the smaller one.")
    return Limits(int(fewest), int(most or fewest))


def accepted_types(kinds: Iterable[str]) -> tuple[str, ...]:
    wanted = list(kinds)
    return () if "any" in wanted else tuple(prefix for kind in wanted for prefix in CONTENT_TYPES[kind])


def filters_for(settings: Settings) -> list[dict[str, object] | str]:
    """The user's filters as they travel; each was understood here before it leaves."""
    crawl = settings.crawl
    filters: list[dict[str, object] | str] = []
    of_a_host = ("depth", "limit", "delay_seconds")
    if any(site.prefix and getattr(site, name) is not None for site in settings.site for name in of_a_host):
        raise ConfigError("`depth`, `limit` and `delay_seconds` of a [[site]] go with `host`, not with `prefix`.")
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
