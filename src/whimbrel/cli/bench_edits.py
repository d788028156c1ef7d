"""`whimbrel bench edits`."""

from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from whimbrel.bench import edits as bench
from whimbrel.bench.edits import WORLDS, EditsReport, EditsRun, Sort
from whimbrel.cli import exits, measuring, options

_NAMED = 40


@click.command("edits", epilog=exits.LIST)
@click.option("--seeds", type=click.IntRange(1), default=bench.SEEDS, show_default=True, help="How many sites.")
@click.option(
    "--first-seed", type=click.IntRange(0), default=1, show_default=True, help="The first; others show other texts."
)
@click.option("--pages", "world", type=click.Choice([*WORLDS]), help="Only these sorts of pages.  [default: all]")
@options.work
@options.as_json
def edits(seeds: int, first_seed: int, world: str | None, work: Path | None, as_json: bool) -> int:
    """Made-up pages with known edits and noise, visited thirty times: what is missed, told late, and alarms."""
    wanted = [WORLDS[world]] if world else [*WORLDS.values()]
    with measuring.workplace(work) as place:
        ran = EditsRun(tuple(bench.run(place, measuring.say, first_seed, seeds, one) for one in wanted))
    measuring.tell(ran, bench.goals(ran), _show_all, as_json)
    return exits.OK


def _show_all(ran: EditsRun) -> None:
    for report in ran.worlds:
        _show(report)


def _show(report: EditsReport) -> None:
    console = Console(highlight=False, width=max(120, Console().width))
    console.print(
        f"{report.world}: {report.sites} sites, {report.visits:,} visits: "
        f"{report.told} of {report.edits} edits told at their visit, "
        f"{report.told_soon} by three visits later; {report.alarms} alarms at {report.quiet:,} quiet visits, "
        f"{report.first_alarms} at the first {report.first_quiet}; {report.rotten} visits left an old text; "
        f"{report.second_looks} pages asked for once more"
    )
    table = Table(box=None)
    for name in ("", "edits told", "soon after", "alarms", "quiet visits"):
        table.add_column(name, justify="right" if name else "left")
    for title, sorts in _groups(report):
        for sort in sorts:
            table.add_row(*_row(title, sort))
    console.print(table)
    for line in report.mistakes[:_NAMED]:
        console.print(line, soft_wrap=True)


def _groups(report: EditsReport) -> tuple[tuple[str, tuple[Sort, ...]], ...]:
    return (
        ("edited", report.by_edit), ("pace", report.by_pace), ("beside", report.by_noise), ("visit", report.by_phase),
        ("site", report.by_site),
    )  # fmt: skip


def _row(title: str, sort: Sort) -> tuple[str, ...]:
    told = f"{sort.told}/{sort.edits}"
    return f"{title}: {sort.name}", told, str(sort.told_soon), str(sort.alarms), str(sort.quiet)
