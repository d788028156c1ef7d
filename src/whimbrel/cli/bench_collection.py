"""`whimbrel bench collection`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options

if TYPE_CHECKING:
    from whimbrel.bench.collection import CollectionReport

EPILOG = f"""\b
Examples:
  whimbrel bench collection
  whimbrel bench collection --large --json

{exits.LIST}"""


@click.command("collection", epilog=EPILOG)
@click.option("--large", is_flag=True, help="Also a manual of ten thousand pages.")
@options.work
@options.as_json
def collection(large: bool, work: Path | None, as_json: bool) -> int:
    """A collection of a twentieth of a site beside the best it could hold.

    Each manual is crawled whole first, to know. The exit code is 0 also where a goal is missed.
    """
    from whimbrel.cli.index import need_search

    need_search()
    from whimbrel.bench import collection as bench

    with measuring.workplace(work) as folder:
        report = bench.run(folder, large, measuring.say)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: "CollectionReport") -> None:
    click.echo(
        f"{'':20}{'pages':>7}{'held':>6}{'rank held':>11}{'nearest':>9}{'visits':>8}{'rankings':>10}{'replaced':>10}"
    )
    for one in report.sites:
        click.echo(
            f"{one.site:20}{one.pages:7}{one.size:6}{one.mass:11.1%}{one.nearest:9.1%}{one.visits:8.0%}"
            f"{one.rankings:10}{one.replaced:10}{'' if one.judged else '   constants chosen here'}"
        )
    click.echo(
        "rank held: of what the best so many pages of the site hold; nearest: the same for the first so many of a\n"
        "crawl by distance; visits: as a share of the site's pages."
    )
