"""The `[[notify]]` tables as records: who is told of what, with where to tell read where it is named."""

from msgspec.structs import replace

from whimbrel.api.credentials import secret_of
from whimbrel.config import ConfigError, Settings, SiteTable
from whimbrel.config.references import is_reference
from whimbrel.flows.telling.news import NewsFilter, choice_of
from whimbrel.flows.telling.notices import NoticeWanted
from whimbrel.records.hours import hours_of, wrong_hours


def notices_for(settings: Settings, now: float, warnings: list[str]) -> list[NoticeWanted]:
    """Private pages are told to nobody: notices leave the machine."""
    wanted = []
    for number, table in enumerate(settings.notify, 1):
        place = f"[[notify]] {number}"
        given = {"site": table.site, "kind": table.kind, "degree": table.degree, "words": table.words}
        choice = choice_of(given, now)
        if isinstance(choice, str):
            raise ConfigError(f"{place}: {choice}")
        if table.quiet and (problem := wrong_hours(table.quiet)):
            raise ConfigError(f"{place}: quiet {problem}")
        quiet = hours_of(table.quiet)
        receiver = secret_of(table.to, "", warnings) if is_reference(table.to) else table.to
        wanted.append(NoticeWanted(receiver, replace(choice, private=False), table.most_an_hour, quiet, table.reader))
    return wanted


def site_choices(settings: Settings) -> dict[str, NewsFilter | None]:
    """Of which changes of a site anybody is told at all, by host; None: of none."""
    return {site.host: _choice(site) for site in settings.site if site.host and (site.notify or site.notify_words)}


def _choice(site: SiteTable) -> NewsFilter | None:
    if site.notify == "nothing":
        return None
    degree = site.notify if site.notify and site.notify != "everything" else ""
    choice = choice_of({"degree": degree, "words": site.notify_words or ""}, 0.0)
    if isinstance(choice, str):
        raise ConfigError(f"[[site]] {site.host}: {choice}")
    return choice
