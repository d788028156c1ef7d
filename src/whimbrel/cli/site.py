"""`whimbrel site`."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, options
from whimbrel.cli.folder import folder_of, many
from whimbrel.cli.lines import say
from whimbrel.cli.words import harmless

if TYPE_CHECKING:
    from whimbrel.api.site_settings import FilterTrial
    from whimbrel.config import Settings, SiteTable

EPILOG = f"""\b
Examples:
  whimbrel site
  whimbrel site docs.example.org --delay 5s --hours 22-6
  whimbrel site docs.example.org --exclude '/archive/' --dry-run
  whimbrel site docs.example.org --notify medium
  whimbrel site docs.example.org --undo

{exits.LIST}"""

SHOWN = 20


@click.command(epilog=EPILOG)
@click.argument("host", required=False)
@click.option("--delay", "delay_seconds", metavar="S", help="Seconds between two requests.")
@click.option("--hours", metavar="FROM-TO", help="Ask only in these hours, as 22-6, by this machine's clock.")
@click.option("--include", multiple=True, metavar="RE", help="Visit only URLs that match one of these.")
@click.option("--exclude", multiple=True, metavar="RE", help="Visit no URL that matches one of these.")
@click.option("--notify", metavar="DEGREE", help="Tell of changes from this degree on; everything, nothing.")
@click.option("--notify-words", metavar="WORDS", help="Tell only where all of these words came or went.")
@click.option("--undo", is_flag=True, help="Take back all that was said of the site.")
@click.option("--dry-run", is_flag=True, help="Say which known URLs would be dropped; change nothing.")
@options.repo
@options.config
@options.as_json
def command(
    host: str | None, undo: bool, dry_run: bool, repo: Path | None, config: Path | None, as_json: bool, **given: object
) -> int:
    """Show and change what holds for one site: its pause, its hours, its filters, what is told of it.

    It stands over the settings file and holds from the next run on, for a watch from its next round on. A flag that is
    given replaces what was said before; '' takes it back. The crawl room of `whimbrel serve` does the same.
    """
    from whimbrel.api import site_settings
    from whimbrel.repository.engines import open_reader

    folder = folder_of(repo)
    with open_reader(folder) as reader:
        said = site_settings.said_of_sites(folder)
        if host is None:
            if undo or dry_run or any(given.values()):
                raise click.UsageError("say which site: whimbrel site docs.example.org")
            return _list(said, as_json)
        host = site_settings.host_named(host)
        words = {} if undo or host not in said else site_settings.words_of(said[host])
        changed = {key: [one for one in value if one] if isinstance(value, tuple) else value
                   for key, value in given.items() if value not in (None, ())}  # fmt: skip
        table = site_settings.said_table(host, words | changed)
        settings = _settings(folder, config)
        trial = site_settings.tried(reader, settings, table)
    if (changed or undo) and not dry_run:
        site_settings.say_of_site(folder, table)
    _say(table, settings, trial, as_json, dry_run=dry_run)
    return exits.OK


def _settings(folder: Path, config: Path | None) -> "Settings":
    from whimbrel.api import stored_settings
    from whimbrel.config import load

    return load(config, os.environ, {"repository.path": str(folder)}, stored_settings(folder))


def _list(said: "dict[str, SiteTable]", as_json: bool) -> int:
    from whimbrel.api.site_settings import words_of

    for host, table in sorted(said.items()):
        words = words_of(table)
        if as_json:
            click.echo(json.dumps({"host": host, **words}, ensure_ascii=False))
        else:
            click.echo(f"{host}  {harmless(_shown(words))}")
    if not said and not as_json:
        say("No site has settings of its own in this folder. What holds are the settings of whimbrel.toml.")
    return exits.OK


def _shown(words: dict[str, object]) -> str:
    return ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in words.items()) or "nothing"


def _own(said: dict[str, object]) -> str:
    return f"set in this folder: {harmless(_shown(said))}" if said else "nothing is set in this folder"


def _say(table: "SiteTable", settings: "Settings", trial: "FilterTrial", as_json: bool, *, dry_run: bool) -> None:
    from whimbrel.api.site_settings import holding, with_tables, words_of

    host = str(table.host)
    said, holds = words_of(table), words_of(holding(with_tables(settings, {host: table}), host))
    if as_json:
        found = {name: list(getattr(trial, name)) for name in ("kept", "waiting", "others", "let_in")}
        click.echo(
            json.dumps({"host": host, "said": said, "holds": holds, "known": trial.known, "dry_run": dry_run, **found})
        )
        return
    say(f"{host}: {_own(said)}; whimbrel.toml and this together: {harmless(_shown(holds))}")
    groups = (
        (trial.kept, "would be visited no more; copies stay", "visited no more; copies stay"),
        (trial.waiting, "would leave the queue", "left the queue"),
        (trial.others, "not kept here, which would not be asked for again", "not kept here, not asked for again"),
        (trial.let_in, "would be visited by the next crawl", "visited by the next crawl"),
    )
    for urls, planned, done in groups:
        if urls:
            say(f"{many(len(urls), 'known URL')} {planned if dry_run else done}:")
            for url in urls[:SHOWN]:
                click.echo(f"  {harmless(url)}")
            if len(urls) > SHOWN:
                click.echo(f"  … and {len(urls) - SHOWN} more (--json lists all)")
    if dry_run:
        click.echo(f"{many(trial.known, 'URL')} of it known; {trial.dropped} would be dropped. Nothing was changed.")
