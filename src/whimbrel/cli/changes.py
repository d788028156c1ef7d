"""`whimbrel changes`."""

import json
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, options
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
HOOK_SECONDS = 30.0
ORDER = ("changed", "new", "moved", "gone", "restored")
_STYLES = {"changed": "yellow", "new": "green", "moved": "cyan", "gone": "red", "restored": "green"}


@click.command(epilog=EPILOG)
@click.option("--since", default="yesterday", show_default=True, metavar="TIME",
              help="yesterday, a date, or an age like '3 days' or 12h (UTC).")  # fmt: skip
@click.option("--site", metavar="HOST", help="Only this host (HOST:PORT for one port).")
@click.option("--atom", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write an Atom feed.")
@click.option("--webhook", metavar="URL", help="Post the changes there as JSON.")
@options.repo
@options.as_json
def command(since: str, site: str | None, atom: Path | None, webhook: str | None, repo: Path | None,
            as_json: bool) -> int:  # fmt: skip
    """Tell what changed: new, changed (how much, which kind, where), moved, gone and restored pages.

    Noise (dates, counters, tokens, what the site repeats) is no change. A change is told of once, at the moment it
    was seen.
    """
    from whimbrel.cli.folder import folder_of, site_named
    from whimbrel.cli.moments import moment_named
    from whimbrel.flows import telling
    from whimbrel.repository.embedded.changes import Changes

    now = time.time()
    folder = folder_of(repo)
    with Changes(folder) as reader:
        told = reader.since(moment_named(since, now), site_named(site))
        if atom is not None or webhook is not None:
            _hand_over(list(told), atom, webhook, site or folder.name, since)
        elif as_json:
            for one in told:
                click.echo(json.dumps(telling.as_object(one)))
        else:
            _show(told, since)
    return exits.OK


def _hand_over(told: "list[Told]", atom: Path | None, webhook: str | None, name: str, since: str) -> None:
    from whimbrel.flows import telling

    if atom is not None:
        atom.write_text(telling.atom(told, name, time.time()), encoding="utf-8")
    if webhook is not None and told:
        _post(webhook, {"folder": name, "since": since, "changes": [telling.as_object(one) for one in told]})


def _post(url: str, said: dict[str, object]) -> None:
    from urllib.error import URLError
    from urllib.request import Request, urlopen

    if not url.startswith(("http://", "https://")):
        raise click.UsageError(f"--webhook {url!r} is no http(s) URL.")
    request = Request(url, json.dumps(said).encode(), {"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=HOOK_SECONDS):
            pass
    except (URLError, OSError) as error:
        raise click.ClickException(f"the webhook did not take the changes: {error}. Run the command again.") from error


def _show(told: Iterable["Told"], since: str) -> None:
    from rich.console import Console
    from rich.text import Text

    from whimbrel.cli.folder import moment
    from whimbrel.flows.telling import sentence

    counted: Counter[str] = Counter()
    shown: dict[str, list[Told]] = {what: [] for what in ORDER}
    for one in told:
        counted[one.what] += 1
        if counted[one.what] <= SHOWN:
            shown[one.what].append(one)
    console = Console(highlight=False)
    counts = ", ".join(f"{number(counted[what])} {what}" for what in ORDER if counted[what])
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
