"""`whimbrel templates`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, options
from whimbrel.cli.lines import say
from whimbrel.cli.words import harmless, number

if TYPE_CHECKING:
    from whimbrel.exchange.kinds import Survey

SHOWN_KINDS = 30

EPILOG = f"""\b
Examples:
  whimbrel templates docs.example.org
  whimbrel templates --all --json
  whimbrel pages --like https://docs.example.org/an-example-page

{exits.LIST}"""


@click.command(epilog=EPILOG)
@click.argument("site", required=False, metavar="[SITE]")
@click.option("--all", "every", is_flag=True, help="All sites of the folder together.")
@options.repo
@options.as_json
def command(site: str | None, every: bool, repo: Path | None, as_json: bool) -> int:
    """Show the kinds of pages a site has: how many of each, and an example.

    Kinds are told by the structure of the kept pages, never by their words or addresses.
    """
    from whimbrel.cli.folder import folder_of, site_named
    from whimbrel.exchange.kinds import survey
    from whimbrel.repository.contract import NothingThere
    from whimbrel.repository.engines import open_reader
    from whimbrel.repository.views import Selection

    if (site is not None) == every:
        raise click.UsageError("name the site, like `whimbrel templates docs.example.org`, or give --all.")
    with open_reader(folder_of(repo)) as reader:
        found = survey(reader, Selection(site=site_named(site)))
    if not found.pages and not found.empty:
        where = f"of {harmless(site)}" if site is not None else "with markup"
        raise NothingThere(f"no page {where} is kept in this folder. `whimbrel status` says what is.")
    _say_json(found) if as_json else _say(found)
    return exits.OK


def _say_json(found: "Survey") -> None:
    kinds = [{"pages": kind.pages, "example": kind.example, "title": kind.title} for kind in found.kinds]
    said = {"pages": found.pages, "kinds": kinds, "by_tree": found.by_tree, "empty": found.empty}
    click.echo(json.dumps({**said, "one_template": found.one_template}))


def _say(found: "Survey") -> None:
    from whimbrel.cli.folder import many

    say(f"{'pages':>8}  example", dim=True)
    for kind in found.kinds[:SHOWN_KINDS]:
        say(f"{number(kind.pages):>8}  {harmless(kind.example)}")
        if kind.title:
            say(f"{'':8}  {harmless(kind.title)}")
    rest = found.kinds[SHOWN_KINDS:]
    if rest:
        say(f"{number(sum(kind.pages for kind in rest)):>8}  of {many(len(rest), 'smaller kind')}")
    if found.empty:
        say(f"{number(found.empty):>8}  empty, of no kind")
    share = found.by_tree / found.pages if found.pages else 0.0
    kinds = f"{many(len(found.kinds), 'kind')} among {many(found.pages, 'page')}"
    words = f"{kinds}; {share:.1%} decided by comparing element by element"
    say(words, dim=True, err=True)
    if found.one_template:
        say(f"note: {found.site.reason}", err=True)
