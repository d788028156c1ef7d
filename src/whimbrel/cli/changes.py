"""`whimbrel changes`."""

import json
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, hooks, options
from whimbrel.cli.words import harmless, number

if TYPE_CHECKING:
    from whimbrel.repository.embedded.changes import Told

EPILOG = f"""\b
Examples:
  whimbrel changes
  whimbrel changes --since yesterday --site docs.example.org
  whimbrel changes --since '3 days' --json
  whimbrel changes --since 2026-03-01 --atom changes.xml
  whimbrel changes --since 1h --webhook https://example.org/hook

{exits.LIST}"""

SHOWN = 50
ORDER = ("changed", "new", "moved", "gone", "restored")
_STYLES = {"changed": "yellow", "new": "green", "moved": "cyan", "gone": "red", "restored": "green"}


@click.command(epilog=EPILOG)
@click.option("--since", default="yesterday", show_default=True, metavar="TIME",
              help="yesterday, a date, or an age like '3 days' or 12h (UTC).")  # fmt: skip
@click.option("--site", metavar="HOST", help="Only this host (HOST:PORT for one port).")
@click.option("--atom", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write an Atom feed.")
@click.option(
    "--webhook",
    metavar="URL",
    help="Post the changes there as JSON, each once; --since is where the first post begins.",
)
@options.repo
@options.as_json
def command(since: str, site: str | None, atom: Path | None, webhook: str | None, repo: Path | None,
            as_json: bool) -> int:  # fmt: skip
    """Tell what changed: new, changed (how much, which kind, where), moved, gone and restored pages.

    Noise (dates, counters, tokens, what the site repeats) is no change, nor is what was there when a site was first
    crawled: that is counted, and "first" with --json and --atom. A change is told of once, at the moment it was seen.
    """
    from whimbrel.cli.folder import folder_of, site_named
    from whimbrel.cli.moments import moment_named
    from whimbrel.flows import telling
    from whimbrel.repository.embedded.changes import Changes

    now = time.time()
    folder = folder_of(repo)
    with Changes(folder) as reader:
        told = reader.since(moment_named(since, now), site_named(site))
        if atom is not None:
            atom.write_text(telling.atom(told, site or folder.name, now), encoding="utf-8")
        elif webhook is not None:
            pass
        elif as_json:
            for one in told:
                click.echo(json.dumps(telling.as_object(one)))
        else:
            _show(told, since)
    if webhook is not None and (
        problem := hooks.words(
            hooks.deliver(folder, hooks.checked(webhook), site_named(site), moment_named(since, now))
        )
    ):
        raise click.ClickException(problem)
    return exits.OK


def _show(told: Iterable["Told"], since: str) -> None:
    from rich.console import Console
    from rich.text import Text

    from whimbrel.cli.folder import many, moment
    from whimbrel.flows.telling import sentence

    counted: Counter[str] = Counter()
    shown: dict[str, list[Told]] = {what: [] for what in ORDER}
    for one in told:
        counted[one.what] += 1
        if one.what in shown and counted[one.what] <= SHOWN:
            shown[one.what].append(one)
    console = Console(highlight=False)
    counts = ", ".join(f"{number(counted[what])} {what}" for what in ORDER if counted[what])
    if counted["first"]:
        console.print(f"first crawl: {many(counted['first'], 'page')}", markup=False)
    if counts or not counted["first"]:
        console.print(f"since {since}: {counts or 'no changes'}", markup=False)
    for what, some in shown.items():
        for one in some:
            line = Text(f"{what:9}", style=_STYLES[what])
            line.append(f"{moment(one.at)}  ", style="dim")
            line.append(harmless(one.url), style="bold")
            console.print(line, soft_wrap=True)
            if words := sentence(one):
                console.print(Text(f"          {harmless(words)}"), soft_wrap=True)
        if counted[what] > SHOWN:
            console.print(f"          and {number(counted[what] - SHOWN)} more; --json shows all", style="dim")
