"""`whimbrel bench papers`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options

if TYPE_CHECKING:
    from whimbrel.bench.papers import Claim, Report

EPILOG = f"""\b
Examples:
  whimbrel bench papers
  whimbrel bench papers --seeds 10 --pages 600 --json

{exits.LIST}"""


@click.command("papers", epilog=EPILOG)
@click.option("--seeds", type=click.IntRange(1, 100), default=2, show_default=True, help="Worlds and sites of a kind.")
@click.option("--pages", type=click.IntRange(150), default=200, show_default=True, help="Pages of the manual.")
@options.work
@options.as_json
def papers(seeds: int, pages: int, work: Path | None, as_json: bool) -> int:
    """What the source papers claim, beside what ours comes to and the most that was possible.

    Their sites and readers are gone: sites are made by script and crawled on loopback, worlds are simulated, and what
    cannot be repeated is said to be so. The exit code is 0 also where a claim is missed.
    """
    from whimbrel.bench import papers as bench

    with measuring.workplace(work) as folder:
        plan = bench.PapersTrial(seeds, pages, folder)
        report = bench.run(plan, measuring.say)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: "Report") -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    for paper in dict.fromkeys(one.paper for one in report.claims):
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        table.add_column(paper, min_width=28, overflow="fold")
        table.add_column("theirs", overflow="fold", max_width=16)
        for head in ("ours", "the most", "n"):
            table.add_column(head, justify="right", no_wrap=True)
        for one in report.claims:
            if one.paper == paper:
                table.add_row(*_cells(one))
        console.print()
        console.print(table)


def _cells(one: "Claim") -> tuple[str, ...]:
    words = f"{one.where}: {one.claim}\n{'; '.join(filter(None, (one.how, one.note)))}"
    ours = "–" if one.ours is None else f"{one.ours:.4g}" + (f" ± {one.spread:.2g}" if one.spread else "")
    most = "–" if one.most is None else f"{one.most:.4g}"
    return words, one.theirs, ours, most, str(one.n or "–")
