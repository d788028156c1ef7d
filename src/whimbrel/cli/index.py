"""`whimbrel index`."""

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, options
from whimbrel.cli.lines import say
from whimbrel.cli.words import duration, number

if TYPE_CHECKING:
    from whimbrel.search import SearchSettings

EPILOG = f"""\b
Examples:
  whimbrel index
  whimbrel index --rebuild
  whimbrel index --meaning
  whimbrel index --json

{exits.LIST}"""


@click.command(epilog=EPILOG)
@click.option("--rebuild", is_flag=True, help="Build it anew; nothing is left in its files of what was forgotten.")
@click.option(
    "--meaning", is_flag=True, help="From now on know what pages are about, too; installs the vectors for it."
)
@options.repo
@options.as_json
def command(rebuild: bool, meaning: bool, repo: Path | None, as_json: bool) -> int:
    """Bring the search index up to date with what is kept.

    `search` and `serve` do this by themselves. Once `--meaning` was given, vectors of pages are kept beside it, also by
    later runs. Where another process writes the index, nothing is done and the exit
    code is that of a busy folder.
    """
    from whimbrel.cli.folder import folder_of

    need_search(meaning=meaning)
    from whimbrel.search.build.indexer import Indexer
    from whimbrel.search.states import states_of

    folder = folder_of(repo)
    began = time.time()
    with Indexer(folder, settings()) as indexer:
        caught = indexer.rebuild() if rebuild else indexer.catch_up()
        writes, documents = indexer.writes, indexer.documents()
    seconds = time.time() - began
    states = states_of(folder)
    for note in caught.notes:
        say(f"note: {note}", err=True, fg="yellow")
    if as_json:
        found = {"indexed": caught.indexed, "removed": caught.removed, "pending": caught.pending, "seconds": seconds}
        counts = {"indexed": states.indexed, "shown": states.shown, "clicked": states.clicked}
        click.echo(json.dumps({**found, "documents": documents, "notes": caught.notes, "states": counts}))
    else:
        removed = f", {number(caught.removed)} removed" if caught.removed else ""
        click.echo(
            f"{number(caught.indexed)} pages indexed{removed} in {duration(seconds)}; {number(caught.pending)} pending"
        )
        click.echo(
            f"{number(states.indexed)} in the index, {number(states.shown)} shown, {number(states.clicked)} clicked"
        )
        if documents:
            click.echo(f"documents: {', '.join(f'{number(count)} {kind}' for kind, count in documents.items())}")
    return exits.OK if writes else exits.BUSY


def need_search(*, meaning: bool = False, agents: bool = False) -> None:
    """Makes what searching takes importable, or says how to; with `meaning`, search by meaning too, with `agents` what
    agents ask through."""
    from whimbrel.exchange.extras import MissingExtra, need

    try:
        need("search")
        if meaning:
            need("meaning")
        if agents:
            need("agents")
    except MissingExtra as error:
        raise click.ClickException(str(error)) from error


def settings() -> "SearchSettings":
    from whimbrel.config import load

    return load(None, os.environ, {}).search


def caught_up(folder: Path) -> tuple[str, ...]:
    """Indexes what is kept since; the notes say what stood in the way."""
    from whimbrel.search.build.indexer import Indexer

    with Indexer(folder, settings()) as indexer:
        return indexer.catch_up().notes
