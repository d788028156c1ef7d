"""`whimbrel mcp`."""

import json
import os
import signal
import sys
from pathlib import Path

import click

from whimbrel.cli import exits, options

EPILOG = f"""\b
Examples:
  whimbrel mcp --repo my-folder
  whimbrel mcp --repo my-folder --setup
  claude mcp add docs -- whimbrel mcp --repo /srv/copies/docs

{exits.LIST}"""


@click.command(epilog=EPILOG)
@options.repo
@click.option("--setup", is_flag=True, help="Print what an agent's settings need to start this, and end.")
@click.option("--install", is_flag=True, help="Install what this needs, and end.")
def command(repo: Path | None, setup: bool, install: bool) -> int:
    """Let an agent search and read the kept pages, by the Model Context Protocol (MCP).

    Speaks over standard input and output with the program that started it, until that closes its end: five tools, which
    search, read pages as Markdown, tell changes and differences, and list sites. Nothing can be changed through them,
    no other folder reached, and pages fetched with credentials are never shown. `whimbrel serve` answers the same at
    /mcp.
    """
    from whimbrel.cli.folder import folder_of
    from whimbrel.cli.index import need_search

    folder = folder_of(repo)
    if setup:
        click.echo(json.dumps(_setup(folder.resolve()), indent=2))
        return exits.OK
    need_search(agents=True)
    if install:
        return exits.OK
    if sys.stdin.isatty():
        click.echo(
            "waiting for an agent on standard input; Ctrl-C ends it. --setup prints how one starts this.", err=True
        )
    return _serve(folder)


def _setup(folder: Path) -> dict[str, object]:
    """As most agents' settings have it."""
    from whimbrel.exchange.extras import CHECKOUT

    launcher = CHECKOUT / "whimbrel"
    start = [str(launcher)] if launcher.is_file() else [sys.executable, "-m", "whimbrel"]
    started = {"command": start[0], "args": [*start[1:], "mcp", "--repo", str(folder)]}
    return {"mcpServers": {f"whimbrel-{folder.name}": started}}


def _serve(folder: Path) -> int:
    import asyncio

    from whimbrel.agents.protocol import over_stdio
    from whimbrel.agents.toolbox import Toolbox
    from whimbrel.cli.index import caught_up, settings
    from whimbrel.cli.running import ENDING
    from whimbrel.repository.engines import open_reader
    from whimbrel.search.ask.searcher import Searcher
    from whimbrel.web.desk import Remembered
    from whimbrel.web.indexing import Indexing

    def holds_private() -> bool:
        with open_reader(folder) as reader:
            return reader.overview().private > 0

    for note in caught_up(folder):
        click.echo(note, err=True)
    chosen = settings()
    indexing = Indexing(folder, chosen)

    def end(number: int, frame: object) -> None:
        # A thread waits for the next line of our input, and nothing can call it back.
        indexing.close()
        os._exit(exits.OK)

    for number in ENDING:
        signal.signal(number, end)
    with Searcher(folder, chosen) as searcher:
        indexing.start()
        try:
            asyncio.run(over_stdio(Toolbox(folder, lambda: searcher, Remembered(holds_private).get)))
        finally:
            indexing.close()
    return exits.OK
