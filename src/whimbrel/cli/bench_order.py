"""`whimbrel bench order`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import harmless

if TYPE_CHECKING:
    from whimbrel.bench.order import OrderReport

EPILOG = f"""\b
Examples:
  whimbrel bench order
  whimbrel bench order --seed 2 --json

{exits.LIST}"""


@click.command("order", epilog=EPILOG)
@click.option("--seed", type=int, default=1, show_default=True, help="Chooses links, and the ways back along them.")
@options.work
@options.as_json
def order(seed: int, work: Path | None, as_json: bool) -> int:
    """Pages of four manuals ordered by similarity, and what SimRank costs.

    Each manual is crawled up to 5 and up to 10 pages, as in the paper. The exit code is 0 also where a goal is missed.
    """
    from whimbrel.cli.index import need_search

    need_search()
    from whimbrel.bench import order as bench

    with measuring.workplace(work) as folder:
        report = bench.run(folder, seed, measuring.say)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: "OrderReport") -> None:
    click.echo(
        f"{'':20}{'limit':>6}{'prec.':>7}{'so':>6}{'crawl s':>9}{'order s':>9}{'total':>9}{'content':>9}{'struct.':>9}"
        f"{'BM25':>6}{'PageR.':>7}  first"
    )
    for one in report.sites:
        click.echo(
            f"{one.site:20}{one.limit:6}{one.precision:7.0%}{one.precision_ordered:6.0%}{one.crawl_seconds:9.2f}{one.order_seconds:9.2f}"
            f"{one.total:9.4f}{one.content:9.4f}{one.structure:9.4f}{one.as_bm25:6}{one.as_pagerank:7}"
            f"  {harmless(one.first)}"
        )
    click.echo(
        "prec.: pages that say the word, breadth first and (so) crawled in this order. BM25, PageR.: how many of the "
        "first five those\norders have among theirs; total and parts of the first.\n"
    )
    for cost in report.costs:
        click.echo(
            f"SimRank of {cost.pages} pages, {cost.links} links: {cost.cpu_seconds:.1f} s of CPU, "
            f"{cost.peak_bytes / 1e6:.0f} MB at most, at most {cost.apart:.4f} from the definition"
        )
