"""`whimbrel bench`. Each bench lives in a module of its own, imported when it is called: none pays for another."""

import importlib

import click

from whimbrel.cli import exits

BENCHES = {
    "crawl": "Pages a second, CPU and memory, beside wget2 and Scrapy.",
    "scale": "One core with one migrant against two cores with two.",
    "memory": "What a crawl of a million pages holds in memory.",
    "polite": "Whether hosts are left alone as long as they should be.",
    "overlap": "Pages asked for twice, bytes sent home, what comes first.",
    "schedule": "Which way of choosing a migrant gets most done.",
    "change": "Changes found, and false alarms raised.",
    "timelines": "Real pages through time, as a refresh sees them.",
    "edits": "Made-up pages with known edits and noise, as a refresh sees them.",
    "noise": "Pages whose bytes changed and whose text did not.",
    "structure": "Pages of one kind told from others.",
    "near": "Near-duplicates found, and how cheaply.",
    "documents": "PDF and office documents read.",
    "harvest": "Pages that fit found early.",
    "topic": "Pages about a subject found early, by strategy.",
    "enough": "What comes of an answer that was not enough.",
    "refresh": "What a refresh fetches, beside a conventional recrawl.",
    "migrate": "Bytes over the link when the crawler goes to the data.",
    "watch": "Whether a watch tells every change once, over a month and kills.",
    "freshness": "How fresh copies stay for so many visits.",
    "papers": "What the source papers claim, beside ours.",
    "text": "Main text, beside what people marked.",
    "languages": "The language of pages told, or left unsaid.",
    "search": "Known pages found, and how fast.",
    "relevance": "Questions answered, beside BM25.",
    "questions": "Questions of a manual that find its answers.",
    "order": "Pages ordered by similarity, and what SimRank costs.",
    "collection": "The rank that a collection of fixed size holds.",
    "images": "Shapes of pictures told, and labels that contradict them.",
    "links": "Bad links planted in a manual, and those found.",
    "tables": "A kind of page made a table, beside what its generator was given.",
    "agents": "What asking through MCP costs.",
    "readers": "What ranking by readers is worth, and what it costs.",
}
"""Each is the function of its name in `bench_NAME`."""

EPILOG = f"""\b
Examples:
  whimbrel bench crawl
  whimbrel bench scale --runs 3
  whimbrel bench memory --pages 20000

{exits.LIST}"""


class Benches(click.Group):
    """A group that imports a bench only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(BENCHES)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in BENCHES:
            return None
        bench: click.Command = getattr(importlib.import_module(f"whimbrel.cli.bench_{name}"), name)
        return bench

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(BENCHES.items()))


@click.group(cls=Benches, epilog=EPILOG)
def command() -> None:
    """Measure against peers and goals on this machine.

    Everything happens on loopback and in a temporary folder. Programs that are missing are installed where that is
    allowed, and named where not.
    """
