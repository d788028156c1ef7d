"""`whimbrel bench edits`."""

import tempfile
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from whimbrel.bench import edits as bench
from whimbrel.bench.edits import EditsReport, Sort
from whimbrel.cli import exits, goals, options

_NAMED = 40


@click.command("edits", epilog=exits.LIST)
@click.option("--seeds", type=click.IntRange(1), default=bench.SEEDS, show_default=True, help="How many sites.")
@click.option(
    "--first-seed", type=click.IntRange(0), default=1, show_default=True, help="The first; others show other texts."
)
@click.option(
    "--work", "--repo", "work", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Where to write.  [default: the folder for temporary files]",
)  # fmt: skip
@options.as_json
def edits(seeds: int, first_seed: int, work: Path | None, as_json: bool) -> int:
    """Made-up pages with known edits and noise, visited thirty times: what is missed, told late, and alarms."""
    with tempfile.TemporaryDirectory(prefix="whimbrel-bench-", dir=work) as place:
        report = bench.run(Path(place), lambda words: click.echo(words, err=True), first_seed, seeds)
    if as_json:
        goals.as_object(report, bench.goals(report))
    else:
        _show(report)
        goals.show(bench.goals(report))
    return exits.OK


def _show(report: EditsReport) -> None:
    console = Console(highlight=False, width=max(120, Console().width))
    console.print(
        f"{report.sites} sites, {report.visits:,} visits: {report.told} of {report.edits} edits told at their visit, "
        f"{report.told_soon} by three visits later; {report.alarms} alarms at {report.quiet:,} quiet visits, "
        f"{report.first_alarms} at the first {report.first_quiet}; {report.rotten} visits left an old text"
    )
    table = Table(box=None)
    for name in ("", "edits told", "soon after", "alarms", "quiet visits"):
        table.add_column(name, justify="right" if name else "left")
    for title, sorts in (("edited", report.by_edit), ("pace", report.by_pace), ("beside", report.by_noise)):
        for sort in sorts:
            table.add_row(*_row(title, sort))
    console.print(table)
    for line in report.mistakes[:_NAMED]:
        console.print(line, soft_wrap=True)


def _row(title: str, sort: Sort) -> tuple[str, ...]:
    told = f"{sort.told}/{sort.edits}"
    return f"{title}: {sort.name}", told, str(sort.told_soon), str(sort.alarms), str(sort.quiet)
