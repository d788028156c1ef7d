"""`whimbrel bench memory`."""

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import duration, number, size

if TYPE_CHECKING:
    from whimbrel.bench.memory import MemoryReport, MemorySample

CHART_ROWS = 24
CHART_WIDTH = 60

EPILOG = f"""\b
Examples:
  whimbrel bench memory --pages 20000
  whimbrel bench memory --work /srv/scratch --keep

{exits.LIST}"""


@click.command("memory", epilog=EPILOG)
@click.option("--pages", type=click.IntRange(1), default=1_000_000, show_default=True, help="Size of the site.")
@click.option("--migrants", type=click.IntRange(1, 64), default=2, show_default=True, help="Crawling processes.")
@options.work
@click.option("--keep", is_flag=True, help="Leave the crawled folder where it is.")
@options.as_json
def memory(pages: int, migrants: int, work: Path | None, keep: bool, as_json: bool) -> int:
    """What home and its migrants hold in memory while they crawl a large site.

    The site is generated, 20 links and about 4 KB a page, so nothing but the crawl takes disk. Memory is the
    proportional set size of all processes of the crawl, its server left out. The exit code is 1 when pages are
    missing; it is 0 also where a goal is missed: the figures say so.
    """
    from whimbrel.bench import memory as bench

    folder = Path(tempfile.mkdtemp(prefix="whimbrel-bench-", dir=work))
    try:
        with measuring.hindrances_told():
            report = bench.run(bench.MemoryTrial(pages, migrants, folder), measuring.say)
    finally:
        if keep:
            click.echo(f"kept: {folder / 'data'}", err=True)
        else:
            shutil.rmtree(folder)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.FAILED if report.faults else exits.OK


def _show(report: "MemoryReport") -> None:
    here = report.machine
    click.echo(f"\n{number(report.fetched)} generated pages, {report.migrants} migrants; {here.model}, {here.disk}\n")
    for line in chart(report.curve):
        click.echo(line)
    click.echo(f"\nmost of all processes together  {size(report.most_bytes)}")
    click.echo(f"growth over the second half     {100 * report.growth:+.1f} %")
    click.echo(
        f"{duration(report.seconds)}, {report.fetched / report.seconds:.0f} pages/s, "
        f"{1000 * report.cpu_seconds / max(1, report.fetched):.2f} ms of CPU a page, {size(report.disk_bytes)} of disk"
    )
    for fault in report.faults:
        click.secho(f"NOT SOUND  {fault}", fg="red", bold=True)


def chart(curve: "list[MemorySample]") -> list[str]:
    """One bar for each step of the way, the most that was seen in it."""
    if not curve:
        return []
    last, most = curve[-1].seconds or 1.0, max(sample.bytes for sample in curve)
    steps: dict[int, MemorySample] = {}
    for sample in curve:
        step = min(CHART_ROWS - 1, int(CHART_ROWS * sample.seconds / last))
        if step not in steps or sample.bytes > steps[step].bytes:
            steps[step] = sample
    return [f"{'pages':>11}{'time':>14}{'memory':>10}"] + [
        f"{number(one.pages):>11}{duration(one.seconds):>14}{size(one.bytes):>10}  "
        + "█" * round(CHART_WIDTH * one.bytes / most)
        for one in steps.values()
    ]
