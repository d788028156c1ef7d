"""`whimbrel order`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import structs, to_builtins

from whimbrel.cli import exits, options
from whimbrel.cli.lines import say
from whimbrel.cli.words import harmless, number

if TYPE_CHECKING:
    from whimbrel.search.ask.ordering import Ordering

EPILOG = f"""\b
Examples:
  whimbrel order --query journal
  whimbrel order --query "event loop" --site docs.example.org --limit 10
  whimbrel order --query journal --json

{exits.LIST}"""


@click.command(epilog=EPILOG)
@click.option("--query", required=True, metavar="WORDS", help="What pages are to be alike in.")
@click.option("--site", default="", metavar="HOST", help="Pages of this site alone.  [default: all]")
@click.option(
    "--limit", type=click.IntRange(1), default=10, show_default=True, metavar="N", help="How many pages are shown."
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Chooses the ways by which links are followed back."
)
@options.repo
@options.as_json
def command(query: str, site: str, limit: int, seed: int, repo: Path | None, as_json: bool) -> int:
    """Order kept pages by how like the others they are, in the words of a query and by their links.

    A method from a paper, with its three scores; where PageRank and BM25 would put each page stands beside it.
    """
    from whimbrel.cli.folder import folder_of
    from whimbrel.cli.index import caught_up, need_search, settings

    need_search()
    import numpy as np

    from whimbrel.records.verdict import Verdict
    from whimbrel.search.ask.ordering import order
    from whimbrel.search.ask.searcher import Searcher

    folder = folder_of(repo)
    for note in caught_up(folder):
        say(f"note: {harmless(note)}", err=True, fg="yellow")
    with Searcher(folder, settings()) as searcher:
        found = order(searcher, query, site, np.random.default_rng(seed))
    if isinstance(found, Verdict):
        raise click.ClickException(harmless(found.reason))
    shown = structs.replace(found, pages=found.pages[:limit])
    if as_json:
        click.echo(json.dumps({**to_builtins(shown), "total": len(found.pages)}, ensure_ascii=False))
    else:
        _show(shown, len(found.pages))
    return exits.OK


def _show(shown: "Ordering", total: int) -> None:
    say(f"{'total':>11} {'content':>11} {'structure':>11} {'found':>6} {'PageRank':>9} {'BM25':>6}", dim=True)
    for page in shown.pages:
        scores = f"{page.total:11.4f} {page.content:11.4f} {page.structure:11.4f}"
        click.echo(f"{scores} {page.found:6} {_place(page.by_pagerank):>9} {_place(page.by_bm25):>6}")
        say(f"            {harmless(page.url)}", fg="green")
    say(
        f"{number(total)} pages; {shown.precision:.0%} say a word of {harmless(shown.query)!r}; ordered in "
        f"{shown.seconds:.2f} s. PageRank and BM25: the place each would give the page.", dim=True, err=True,
    )  # fmt: skip


def _place(place: int) -> str:
    return f"{place}."
