"""Which kept pages a verb is about, as its flags say it."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli.words import harmless

if TYPE_CHECKING:
    from whimbrel.records.url import Url
    from whimbrel.repository.port.reader import Reader
    from whimbrel.repository.views import Selection


def matching(match: str | None) -> str:
    """A regular expression for URLs."""
    try:
        re.compile(match or "")
    except re.error as error:
        raise click.UsageError(f"--match {match!r} is not a regular expression: {error}.") from error
    return match or ""


def since_when(since: str | None, now: float) -> float:
    from whimbrel.flows.telling.moments import moment_of

    at = moment_of(since, now) if since is not None else 0.0
    if at is None:
        raise click.UsageError(f"--since {since!r} is no moment. Write it like yesterday, 2026-03-01, '3 days' or 12h.")
    return at


def pages_like(reader: "Reader", likes: tuple[str, ...], selection: "Selection") -> "frozenset[Url] | None":
    """The pages of the kind that examples show; None where no kind is asked for."""
    from whimbrel.cli.folder import url_of
    from whimbrel.exchange.kinds import like
    from whimbrel.records.verdict import Verdict

    if not likes:
        return None
    found = like(reader, [url_of(text) for text in likes], selection)
    if isinstance(found, Verdict):
        raise click.ClickException(harmless(found.reason))
    if found.one_template:
        click.echo(f"note: {found.site.reason}", err=True)
    return frozenset(one.listed.url for one in found.found)


def not_near_twins(folder: Path) -> "frozenset[Url]":
    """The pages that say nearly the same as another, which is kept; what came since is looked at first."""
    from whimbrel.cli.twins import catch_up
    from whimbrel.flows.twins.views import near_twins

    catch_up(folder)
    return frozenset(twin.url for twin in near_twins(folder))
