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
    from collections.abc import Callable

    from whimbrel.search import SearchSettings
    from whimbrel.search.build.indexer import Indexer
    from whimbrel.search.build.understanding import Understood

TURN_SECONDS = 30.0
MOST_UNDERSTOOD = 8
"""Pages that nobody minds to wait for; more are for `index` and `serve`."""

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
    later runs: that takes a second for some ten pages, and who ends it loses a few of them. Where another process
    writes the index, nothing is done and the exit code is that of a busy folder.
    """
    from whimbrel.cli.folder import folder_of

    need_search(meaning=meaning)
    from whimbrel.search.build.indexer import Indexer
    from whimbrel.search.states import states_of

    folder = folder_of(repo)
    began = time.time()
    with Indexer(folder, settings()) as indexer:
        caught = indexer.rebuild() if rebuild else indexer.catch_up()
        understood = _understood(indexer)
        writes, documents = indexer.writes, indexer.documents()
    seconds = time.time() - began
    states = states_of(folder)
    for note in (*caught.notes, *filter(None, [understood.note])):
        say(f"note: {note}", err=True, fg="yellow")
    if as_json:
        found = {"indexed": caught.indexed, "removed": caught.removed, "pending": caught.pending, "seconds": seconds}
        about = {"pages": understood.pages, "left": understood.left}
        counts = {"indexed": states.indexed, "shown": states.shown, "clicked": states.clicked}
        click.echo(
            json.dumps({**found, "documents": documents, "notes": caught.notes, "states": counts, "meaning": about})
        )
    else:
        removed = f", {number(caught.removed)} removed" if caught.removed else ""
        click.echo(
            f"{number(caught.indexed)} pages indexed{removed} in {duration(seconds)}; {number(caught.pending)} pending"
        )
        click.echo(
            f"{number(states.indexed)} in the index, {number(states.shown)} shown, {number(states.clicked)} clicked"
        )
        if understood.pages or understood.left:
            waiting = f"; {number(understood.left)} wait" if understood.left else ""
            click.echo(f"worked out what {number(understood.pages)} pages are about{waiting}")
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
        notes = indexer.catch_up().notes
        indexer.understand(most=MOST_UNDERSTOOD)
        return notes


def _after(seconds: float) -> "Callable[[], bool]":
    end = time.monotonic() + seconds
    return lambda: time.monotonic() >= end


def _understood(indexer: "Indexer") -> "Understood":
    """What pages are about, worked out to the end; what is kept meanwhile is indexed now and then."""
    from whimbrel.search.build.understanding import Understood

    pages = 0
    while True:
        found = indexer.understand(_after(TURN_SECONDS))
        pages += found.pages
        if not found.left or found.note:
            return Understood(pages, found.left, found.note)
        say(f"working out what pages are about: {number(pages)} done, {number(found.left)} to come", err=True, dim=True)
        indexer.catch_up()
