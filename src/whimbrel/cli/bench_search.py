"""`whimbrel bench search`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import number, size

if TYPE_CHECKING:
    from whimbrel.bench.search import KnownItemFigures, SearchReport
    from whimbrel.bench.search_speed import Speed

EPILOG = f"""\b
Examples:
  whimbrel bench search
  whimbrel bench search --items 0 --documents 0      only how fast pages are indexed
  whimbrel bench search --documents 0                also how well known pages are found
  whimbrel bench search --items 0                    how fast, also with a large index
  whimbrel bench search --site /usr/share/cppreference/doc/html --seed 7 --documents 0

{exits.LIST}"""


@click.command("search", epilog=EPILOG)
@click.option(
    "--site", "sites", type=click.Path(path_type=Path, file_okay=False), multiple=True, metavar="DIR",
    help="A folder of HTML pages (repeatable).  [default: openjdk-17-doc and postgresql-doc-15]",
)  # fmt: skip
@click.option(
    "--more", "more_sites", type=click.Path(path_type=Path, file_okay=False), multiple=True, metavar="DIR",
    help="Another one for the large index (repeatable).  [default: rust-doc and cppreference-doc-en-html]",
)  # fmt: skip
@click.option(
    "--items", type=click.IntRange(0), default=1_000, show_default=True, help="Known items of each kind; 0: none."
)
@click.option(
    "--documents", type=click.IntRange(0), default=100_000, show_default=True, help="Size of the large index; 0: none."
)
@click.option(
    "--seconds", type=click.FloatRange(1), default=20.0, show_default=True, help="How long to ask, four times over."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Chooses the items.")
@options.work
@options.as_json
def search(
    sites: tuple[Path, ...],
    more_sites: tuple[Path, ...],
    items: int,
    documents: int,
    seconds: float,
    seed: int,
    work: Path | None,
    as_json: bool,
) -> int:
    """How well known pages are found beside plain BM25, and how fast.

    All of it takes a quarter of an hour on two quiet cores, known items most of it. The exit code is 0 also where a
    goal is missed: the figures say so.
    """
    from whimbrel.cli.index import need_search

    need_search()
    from whimbrel.bench import search as bench

    more = more_sites or (() if sites else bench.MORE_SITES)
    with measuring.workplace(work) as folder:
        plan = bench.SearchTrial(sites or bench.SITES, more, items, documents, seconds, seed, folder)
        report = bench.run(plan, measuring.say)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: "SearchReport") -> None:
    from whimbrel.bench.search_latency import CONNECTIONS, QUERIES_A_SECOND
    from whimbrel.bench.search_speed import memory_of

    for known in report.known:
        _show_known(known)
    if report.known:
        click.echo(f"Weights were chosen on {report.tuned_on}; no item above was looked at.")
    for one in [*report.speed, *([report.scale.speed] if report.scale else [])]:
        click.echo(
            f"\n{one.site}: {number(one.pages)} pages indexed in {one.cpu_seconds:.1f} s of CPU,"
            f" {one.pages_a_second:.0f} a second{_spread(one)}"
        )
        click.echo(f"  index {size(one.index_bytes)}, {one.share:.2f} of {size(one.text_bytes)} of text")
        click.echo(f"  {memory_of(one)}")
    if report.scale:
        made = report.scale.documents - report.scale.real
        click.echo(
            f"\n{number(report.scale.documents)} documents: {number(report.scale.real)} pages of {report.scale.sites}"
            f" sites, {number(made)} made of two of them; open loop, {QUERIES_A_SECOND} queries a second from"
            f" {CONNECTIONS} connections"
        )
    for late in report.latency:
        click.echo(
            f"{late.way}: {number(late.queries)} queries, median {late.median:.1f} ms, p95 {late.p95:.1f},"
            f" p99 {late.p99:.1f}, longest {late.longest:.0f}; {late.cpu:.1f} ms of CPU a query"
        )


def _show_known(known: "KnownItemFigures") -> None:
    click.echo(f"\n{known.site}: {number(known.pages)} pages")
    click.echo(f"  {'':12}{'':12}{'items':>7}{'first':>8}{'top 3':>8}{'MRR':>7}")
    for score in known.scores:
        click.echo(
            f"  {score.engine:12}{score.kind:12}{number(score.items):>7}{score.first:8.1%}{score.top_three:8.1%}"
            f"{score.reciprocal_rank:7.3f}"
        )
    click.echo(f"  first on average of the kinds: {known.lead * 100:+.1f} points\n")


def _spread(one: "Speed") -> str:
    return f" ({one.slowest:.0f} to {one.fastest:.0f} in {one.runs} runs)" if one.runs > 1 else ""
