"""Which folder, URL or site a verb is about, and in what words it speaks of moments and amounts."""

import os
from datetime import UTC, datetime
from pathlib import Path

import click

from whimbrel.cli.words import number
from whimbrel.records.url import Url
from whimbrel.records.verdict import Verdict
from whimbrel.repository.views import Site, site_of
from whimbrel.urls.normal import normalise


def folder_of(repo: Path | None) -> Path:
    """`--repo`, or what the settings say."""
    if repo is not None:
        return repo
    from whimbrel.config import load

    return Path(load(None, os.environ, {}).repository.path)


def url_of(text: str) -> Url:
    url = normalise(text)
    if isinstance(url, Verdict):
        raise click.UsageError(f"{text!r}: {url.reason}")
    return url


def site_named(text: str | None) -> Site | None:
    if text is None:
        return None
    site = site_of(text)
    if isinstance(site, Verdict):
        raise click.UsageError(f"--site {text!r}: {site.reason}. Write it like --site docs.example.org.")
    return site


def moment(at: float | None) -> str:
    """A moment for a person, in UTC."""
    return "" if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")


def many(count: int, thing: str) -> str:
    return f"{number(count)} {thing}{'' if count == 1 else 's'}"
