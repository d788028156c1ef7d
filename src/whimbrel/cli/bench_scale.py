"""`whimbrel bench scale`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import number

if TYPE_CHECKING:
    from whimbrel.bench.figures import Spread
    from whimbrel.bench.scale import ScaleReport

EPILOG = f"""\b
Examples:
  whimbrel bench scale
  whimbrel bench scale --runs 1 --site /usr/share/doc/python3-doc/html --json

{exits.LIST}"""


@click.command("scale", epilog=EPILOG)
@click.option("--runs", type=click.IntRange(1, 100), default=5, show_default=True, help="Runs of each.")
@options.site
@options.work
@options.as_json
def scale(runs: int, site: Path | None, work: Path | None, as_json: bool) -> int:
    """What a second core and a second migrant bring.

    Server, home and one migrant share one core; then server, home and two migrants share two. Runs alternate, start-up
    included. The exit code is 1 when runs fetched other pages than can be reached, or not the same ones; it is 0 also
    where a goal is missed: the figures say so.
    """
    from whimbrel.bench import crawl
    from whimbrel.bench import scale as bench

    with measuring.workplace(work) as folder:
        plan = bench.ScaleTrial(site or crawl.SITE, runs, folder)
        report = bench.run(plan, measuring.say)
    measuring.tell(report, bench.goals(report), _show, as_json, same=report.same)
    return exits.OK if report.same and not report.faults else exits.FAILED


def _show(report: "ScaleReport") -> None:
    here = report.machine
    click.echo(f"\n{number(report.expected_pages)} pages of {report.site}, from nginx on the same cores")
    click.echo(
        f"{here.model}, {here.cores} cores; written to {here.disk}; "
        f"load {here.load:.2f} before, {report.load_after:.2f} after\n"
    )
    click.echo(f"{'':26}{'runs':>5}{'pages':>8}{'seconds':>9}{'pages/s':>22}{'CPU ms a page':>24}")
    for way in report.ways:
        click.echo(
            f"{way.peer:26}{way.runs:>5}{number(way.pages):>8}{way.seconds.median:>9.2f}"
            f"{_spread(way.pages_per_second, 0):>22}{_spread(way.cpu_ms_a_page, 3):>24}"
        )
    click.echo("median (least–most), start-up included; CPU of home and migrants, without the server\n")
    if report.ratio is not None:
        click.echo(f"two / one, pages/s        {_spread(report.ratio.times, 2)}")
    if report.cpu_times is not None:
        click.echo(f"two / one, CPU a page     {_spread(report.cpu_times, 2)}")
    most = report.ceiling
    click.echo(
        f"two / one, this machine   {most.times:.2f} in pages/s, {most.cpu_times:.2f} in CPU: processes that share "
        "nothing, fetching and parsing alone"
    )
    click.echo(f"URLs, outcomes, digests   {_sameness(report)}")
    for run in report.runs:
        click.echo(f"run {run.round + 1}, {run.peer}: {run.seconds:.2f} s, {', '.join(run.notes)}")
    for fault in report.faults:
        click.secho(f"NOT SOUND  {fault}", fg="red", bold=True)


def _sameness(report: "ScaleReport") -> str:
    if report.same:
        return f"the same in all {len(report.contents)} runs"
    return "NOT THE SAME: " + ", ".join(sorted({one.digest for one in report.contents}))


def _spread(values: "Spread", digits: int) -> str:
    return f"{values.median:.{digits}f} ({values.least:.{digits}f}–{values.most:.{digits}f})"
