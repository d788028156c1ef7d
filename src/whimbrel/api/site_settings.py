"""What was said of single sites in a folder, in the browser or by `whimbrel site`: it stands over the settings file.

Only what harms nobody can be said so: nothing that runs code, sends anything elsewhere or names a secret. It is a file
beside the crawl, read anew by every run, so that a watch that stays hears of it in its next round.
"""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from whimbrel.api.briefing import filters_for
from whimbrel.config import ConfigError, Settings, SiteTable
from whimbrel.config.values import checked
from whimbrel.records.url import Url
from whimbrel.records.verdict import ACCEPTED, Verdict
from whimbrel.records.visit import Outcome
from whimbrel.repository.contract import RepositoryError
from whimbrel.repository.location import Where, located
from whimbrel.repository.port.reader import Reader
from whimbrel.repository.views import ListedUrl
from whimbrel.urls.criteria import RULE, All, Domain, Filter
from whimbrel.urls.filters import from_table, load
from whimbrel.urls.normal import host as host_of
from whimbrel.urls.normal import normalise

FILE = "sites.json"
EDITABLE = ("delay_seconds", "hours", "include", "exclude", "notify", "notify_words")
LONGEST_DELAY_SECONDS = 86_400.0
MOST_PATTERNS, LONGEST_PATTERN = 50, 500
_KEPT = frozenset({Outcome.FETCHED, Outcome.UNCHANGED, Outcome.DUPLICATE})


class FilterTrial(Struct, frozen=True):
    """What other filters would do to the URLs that are known of a site. Kept pages stay kept, and are visited no more;
    what waits leaves the queue."""

    known: int = 0
    kept: tuple[Url, ...] = ()
    waiting: tuple[Url, ...] = ()
    others: tuple[Url, ...] = ()
    let_in: tuple[Url, ...] = ()

    @property
    def dropped(self) -> int:
        return len(self.kept) + len(self.waiting) + len(self.others)


def host_named(text: str) -> str:
    """A host as settings name it; ConfigError where it is none."""
    url = normalise(f"https://{text.strip()}/")
    if isinstance(url, Verdict) or host_of(url).strip("[]") == "" or any(sign in text for sign in "/@*?# "):
        raise ConfigError(f"{text[:200]!r} is no host. Write it like docs.example.org.")
    return host_of(url)


def said_table(host: str, given: Mapping[str, object]) -> SiteTable:
    """A site's table of what may be said here; ConfigError names what may not, or cannot be used."""
    values: dict[str, Any] = {}
    for key, value in given.items():
        if key not in EDITABLE:
            raise ConfigError(f"{key} cannot be said here, only in the settings file. Here: {', '.join(EDITABLE)}.")
        if value not in (None, "", [], ()):
            values[key] = checked("site", key, value, key.removesuffix("_seconds").replace("_", " "), lax=True)
    table = SiteTable(host=host, **values)
    for patterns in (table.include or (), table.exclude or ()):
        if len(patterns) > MOST_PATTERNS or any(len(one) > LONGEST_PATTERN for one in patterns):
            raise ConfigError(f"more than {MOST_PATTERNS} patterns, or one longer than {LONGEST_PATTERN} characters.")
    if (table.delay_seconds or 0.0) > LONGEST_DELAY_SECONDS:
        raise ConfigError("the delay is longer than a day.")
    return table


def said_of_sites(where: Where) -> dict[str, SiteTable]:
    """By host. A file that cannot be read is an error: a site might be asked in the hours that it is not to be."""
    path = located(where).beside / FILE
    try:
        stored = json.loads(path.read_bytes()) if path.exists() else {}
        return {host: said_table(host, said) for host, said in stored.items()}
    except OSError as error:
        raise RepositoryError(f"{path} cannot be read: {error.strerror}. Choose another folder with --repo.") from None
    except (ValueError, AttributeError, ConfigError) as error:
        raise ConfigError(f"{path}: what was said of sites cannot be read ({error}). Mend or remove it.") from None


def say_of_site(where: Where, table: SiteTable) -> None:
    """Written whole or not at all. A table that says nothing takes back what was said."""
    said = {**said_of_sites(where), str(table.host): table}
    path = located(where).beside / FILE
    new = path.with_name(f"{FILE}.new")
    with new.open("w", encoding="utf-8") as file:
        json.dump({host: values for host, one in sorted(said.items()) if (values := words_of(one))}, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def words_of(table: SiteTable) -> dict[str, object]:
    """What a table says, of what may be said."""
    values = to_builtins(table)
    return {key: values[key] for key in EDITABLE if values[key] not in (None, [], "")}


def with_said(settings: Settings, where: Where) -> Settings:
    """The settings with what was said of sites in the folder, value by value."""
    return with_tables(settings, said_of_sites(where))


def with_tables(settings: Settings, said: Mapping[str, SiteTable]) -> Settings:
    def over(table: SiteTable) -> SiteTable:
        mine = said.get(table.host or "")
        return replace(table, **{key: getattr(mine, key) for key in words_of(mine)}) if mine is not None else table

    named = {table.host for table in settings.site}
    others = (table for host, table in said.items() if host not in named)
    return replace(settings, site=(*map(over, settings.site), *others)) if said else settings


def holding(settings: Settings, host: str) -> SiteTable:
    """What the settings say of a host, from all its tables."""
    merged: dict[str, Any] = {}
    for table in settings.site:
        if table.host == host:
            merged |= {key: getattr(table, key) for key in words_of(table)}
    return SiteTable(host=host, **merged)


# What a filter would do.


def tried(reader: Reader, settings: Settings, table: SiteTable) -> FilterTrial:
    """Holds the known URLs of the table's host, and of hosts below it, against the filters as they are and would be."""
    said = said_of_sites(reader.location)
    before = run_filters(with_tables(settings, said))
    after = run_filters(with_tables(settings, {**said, str(table.host): table}))
    found: dict[str, list[Url]] = {"kept": [], "waiting": [], "others": [], "let_in": []}
    known = 0
    concerned = Domain((str(table.host),))
    for row in reader.urls():
        if not concerned.judge(row.url).accepted:
            continue
        known += 1
        now, then = (_judged(filters, row) for filters in (before, after))
        if now.accepted and not then.accepted:
            found[_state(row)].append(row.url)
        elif then.accepted and not now.accepted and (row.rule == RULE or row.outcome in _KEPT):
            found["let_in"].append(row.url)
    return FilterTrial(known, **{name: tuple(urls) for name, urls in found.items()})


def _judged(filters: Filter, row: ListedUrl) -> Verdict:
    return ACCEPTED if row.depth == 0 else filters.judge(row.url)  # what was named is not held against filters


def _state(row: ListedUrl) -> str:
    return "kept" if row.outcome in _KEPT else "waiting" if row.outcome == Outcome.DISCOVERED else "others"


def run_filters(settings: Settings) -> All:
    """The user's filters, as one."""
    declared: Sequence[dict[str, object] | str] = filters_for(settings)
    return All(tuple(load(one) if isinstance(one, str) else from_table(one) for one in declared))
