"""`whimbrel bench overlap`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import number

if TYPE_CHECKING:
    from whimbrel.bench.overlap import OverlapReport, OverlapRun

EPILOG = f"""\b
Examples:
  whimbrel bench overlap
  whimbrel bench overlap --migrants 1 --migrants 2 --order breadth --site /usr/share/doc/python3-doc/html

{exits.LIST}"""


@click.command("overlap", epilog=EPILOG)
@click.option(
    "--migrants", type=click.IntRange(1, 64), multiple=True, default=(1, 2, 4, 8), show_default=True,
    help="Size of the crew; may be repeated.",
)  # fmt: skip
@click.option(
    "--order", "orders", type=click.Choice(["breadth", "depth", "coverage", "priority"]), multiple=True,
    default=("breadth", "depth", "coverage", "priority"), show_default=True, help="May be repeated.",
)  # fmt: skip
@click.option(
    "--killed", type=click.IntRange(1, 64), multiple=True, default=(2, 4), show_default=True,
    help="Crews of which members are killed at random, once more; may be repeated.",
)  # fmt: skip
@click.option("--seed", type=int, default=1, show_default=True, help="Chooses whom, and when.")
@options.site
@options.work
@options.as_json
def overlap(
    migrants: tuple[int, ...], orders: tuple[str, ...], killed: tuple[int, ...], seed: int, site: Path | None,
    work: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Pages asked for twice, bytes sent home, and how soon the pages that matter come in.

    Requests are counted in the server's log. The exit code is 1 when a page was asked for twice though no migrant was
    killed, or when two crawls do not hold the same URLs, outcomes and digests.
    """
    from whimbrel.cli.index import need_search

    need_search()
    from whimbrel.bench import crawl
    from whimbrel.bench import overlap as bench

    with measuring.workplace(work) as folder:
        plan = bench.OverlapTrial(site or crawl.SITE, migrants, orders, folder, killed, seed)
        report = bench.run(plan, measuring.say)
    runs = [{**to_builtins(run), "overlap": run.overlap} for run in report.runs]
    measuring.tell(report, bench.goals(report), _show, as_json, runs=runs, same=report.same)
    return exits.FAILED if report.faults else exits.OK


def _show(report: "OverlapReport") -> None:
    pages = number(report.runs[0].contents.pages)
    click.echo(f"\n{pages} pages of {report.site}; overlap and order from the server's log\n")
    shares = "".join(f"{f'{100 * share:.0f} %':>9}" for share in report.shares)
    click.echo(f"{'order':10}{'migrants':>9}{'killed':>8}{'overlap':>9}{'home B a page':>15}{'fetched':>9}{shares}")
    for run in report.runs:
        click.echo(_line(run))
    best = "".join(f"{mass:>9.3f}" for mass in report.best_mass)
    click.echo(f"{'if all ranks were known beforehand':60}{best}")
    click.echo(
        "home: bytes that migrants sent home; fetched: bytes they received; then the PageRank of the first pages asked "
        "for, by their share of the site. What a killed migrant had not sent home is asked for again.\n"
    )
    if report.same:
        click.echo(f"URLs, outcomes, digests: the same in all {len(report.runs)} runs")
    for fault in report.faults:
        click.secho(f"NOT SOUND  {fault}", fg="red", bold=True)


def _line(run: "OverlapRun") -> str:
    pages = max(1, run.pages)
    masses = "".join(f"{mass:>9.3f}" for mass in run.mass)
    return (
        f"{run.order:10}{run.migrants:>9}{run.deaths:>8}{100 * run.overlap:>7.2f} %"
        f"{number(round(run.wire_bytes / pages)):>15}{number(round(run.fetched_bytes / pages)):>9}{masses}"
    )
