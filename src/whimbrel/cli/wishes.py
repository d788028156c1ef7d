"""`whimbrel wishes`."""

import json
import time
from pathlib import Path

import click
from msgspec import to_builtins

from whimbrel.cli import exits, options
from whimbrel.cli.words import harmless, number

EPILOG = f"""\b
Examples:
  whimbrel wishes                 # what readers asked for, and what became of it
  whimbrel wishes --run           # fetch what is asked for and was not fetched yet
  whimbrel wishes --end 3         # fetch no more for wish 3

{exits.LIST}"""


@click.command(epilog=EPILOG)
@click.option("--run", "grant", is_flag=True, help="Fetch for those that wait; a server does it by itself.")
@click.option("--end", "ended", type=int, metavar="N", help="Take wish N back; what was fetched for it stays.")
@click.option(
    "--allow-network", "networks", multiple=True, metavar="NET", help="A private network that may be crawled."
)
@options.repo
@options.as_json
def command(grant: bool, ended: int | None, networks: tuple[str, ...], repo: Path | None, as_json: bool) -> int:
    """Show what readers asked for by saying that results were not enough.

    Each is a crawl for pages of the kinds of their best results, within what `[readers]` in the settings allows. Beside
    a crawl that is running, such pages come first in its queue.
    """
    from whimbrel.cli.folder import folder_of
    from whimbrel.readers.log import ReaderLog
    from whimbrel.readers.wishes import Wishes
    from whimbrel.repository.engines import open_reader

    folder = folder_of(repo)
    open_reader(folder).close()  # says what is wrong before a log is made there
    if grant:
        return _grant(folder, networks, as_json)
    with ReaderLog(folder) as log:
        wishes = Wishes(log)
        if ended is not None:
            if wishes.one(ended) is None:
                click.echo(f"whimbrel: there is no wish {ended}; `whimbrel wishes` lists them.", err=True)
                return exits.NOT_FOUND
            wishes.end(ended, "it was taken back", time.time())
        every = wishes.every()
    if as_json:
        click.echo(json.dumps([to_builtins(wish) for wish in every]))
        return exits.OK
    if not every:
        click.echo("No reader asked for more.")
    for wish in every:
        click.echo(f"{wish.number:>4}  {harmless(wish.query)}")
        told = f"{number(wish.visited)} of {number(wish.visits)} pages asked for, {number(wish.found)} found"
        click.echo(f"      {wish.state}, {told}{f': {harmless(wish.words)}' if wish.words else ''}")
    return exits.OK


def _grant(folder: Path, networks: tuple[str, ...], as_json: bool) -> int:
    from whimbrel.api.granting import Granting
    from whimbrel.config.values import checked

    allowed: tuple[str, ...] = checked("fetch", "allow_networks", list(networks), "--allow-network")
    done = Granting(folder, allowed, lambda words: click.echo(harmless(words), err=as_json)).run()
    if as_json:
        click.echo(json.dumps({"granted": done}))
    return exits.OK
