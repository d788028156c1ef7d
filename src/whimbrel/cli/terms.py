"""`whimbrel terms`."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from whimbrel.cli import exits, options
from whimbrel.cli.lines import say
from whimbrel.cli.words import harmless, number

if TYPE_CHECKING:
    from whimbrel.search.ask.terms import TermView

EPILOG = f"""\b
Examples:
  whimbrel terms socket
  whimbrel terms socket --size 20 --json

{exits.LIST}"""


@click.command(epilog=EPILOG)
@click.argument("word")
@click.option(
    "--size",
    type=click.IntRange(1, 40),
    default=8,
    show_default=True,
    metavar="N",
    help="How many pages and related words.",
)
@options.repo
@options.as_json
def command(word: str, size: int, repo: Path | None, as_json: bool) -> int:
    """Show a word as the index sees it: its pages, where on them, and the terms that go with it."""
    from whimbrel.cli.folder import folder_of
    from whimbrel.cli.index import caught_up, need_search, settings

    need_search()
    from whimbrel.search.ask.searcher import Searcher
    from whimbrel.search.ask.terms import view

    folder = folder_of(repo)
    now = time.time()
    for note in caught_up(folder):
        say(f"note: {harmless(note)}", err=True, fg="yellow")
    with Searcher(folder, settings()) as searcher:
        found = view(searcher, word, now, size, size)
    if as_json:
        click.echo(json.dumps(to_builtins(found), ensure_ascii=False))
    else:
        _show(found)
    return exits.OK


def _show(found: "TermView") -> None:
    say(f"{harmless(found.word)}: indexed as {harmless(found.term) or '-'}, on {number(found.total)} pages")
    for page in found.pages:
        say(f"\n  {harmless(page.title or page.url)}")
        say(f"  {harmless(page.url)}", fg="green")
        places = f", at word {', '.join(str(at) for at in page.at[:8])}" if page.at else ""
        where = ", ".join(page.where) or "its text"
        say(f"  in {where}; {number(page.count)} times{places}", dim=True)
    if found.prospective:
        say("\nwords that may stand for it, where pages say them:")
    for one in found.prospective:
        say(f"  {harmless(one.term):24} {number(one.pages):>4} pages, as {harmless(one.urls[0])}")
    if found.related:
        say("\nterms that go with it:")
    for other in found.related:
        say(f"  {harmless(other.term):24} {number(other.pages):>4} pages, as {harmless(other.urls[0])}")
