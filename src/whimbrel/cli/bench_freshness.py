"""`whimbrel bench freshness`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from whimbrel.cli import exits, measuring, options

if TYPE_CHECKING:
    from rich.console import Console

    from whimbrel.bench.freshness import FreshnessReport, PolicyRow, Table

EPILOG = f"""\b
Examples:
  whimbrel bench freshness
  whimbrel bench freshness --seeds 8 --first-seed 501 --json

{exits.LIST}"""


@click.command("freshness", epilog=EPILOG)
@click.option("--seeds", type=click.IntRange(2, 100), default=4, show_default=True, help="Worlds of every kind.")
@click.option("--first-seed", type=click.IntRange(0), default=1, show_default=True, help="The first of them.")
@click.option("--pages", type=click.IntRange(10), default=120, show_default=True, help="Pages of a world.")
@click.option("--ticks", type=click.IntRange(20), default=700, show_default=True, help="Rounds of visits.")
@click.option("--visits", type=click.IntRange(1), default=6, show_default=True, help="Visits of a round.")
@click.option(
    "--histories", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", default=Path("/usr/share/doc"),
    show_default=True, help="Folder with the changelogs of Debian packages, to replay.",
)  # fmt: skip
@click.option("--tuning", is_flag=True, help="The worlds and seeds that the constants were chosen on, instead.")
@options.as_json
def freshness(
    seeds: int, first_seed: int, pages: int, ticks: int, visits: int, histories: Path, tuning: bool, as_json: bool
) -> int:
    """How fresh a copy stays for equal budgets, beside simple rules and an upper bound.

    The exit code is 0 also where the goal is missed: the tables say so.
    """
    from whimbrel.bench import freshness as bench
    from whimbrel.bench.freshness_worlds import WorldScale

    scale = WorldScale(pages, ticks, visits)
    plan = bench.FreshnessTrial(seeds, scale, histories if histories.is_dir() else None, tuning, first_seed)
    report = bench.run(plan, measuring.say)
    measuring.tell(report, bench.goals(report), _show, as_json, tables=_tables(report))
    return exits.OK


def _tables(report: "FreshnessReport") -> list[dict[str, object]]:
    return [
        {**to_builtins(table), "beaten_by": table.beaten_by, "learnable": table.learnable} for table in report.tables
    ]


def _show(report: "FreshnessReport") -> None:
    from rich.console import Console

    console = Console(highlight=False)
    console.print(
        f"\n{report.pages} pages, {report.visits_a_page:.0f} visits a page on average, the second half measured; "
        f"seeds {report.seeds[0]} to {report.seeds[-1]}"
    )
    replayed = f"{report.replayed_pages} changelogs of Debian packages replayed"
    console.print(replayed if report.replayed_pages else "no changelogs found: nothing replayed, simulations only")
    for table in report.tables:
        _show_table(console, table)
    _show_sources(console, report)
    beaten = [f"{table.world}, {table.setting}: {name}" for table in report.tables for name in table.beaten_by]
    worst = min(report.tables, key=lambda table: table.of_bound)
    console.print(f"\nworst of ours: {worst.of_bound:.3f} of the bound ({worst.world}, {worst.setting})", markup=False)
    missed = [table for table in report.tables if table.of_bound < table.goal]
    for table in missed:
        most = "" if table.learnable is None else f", told the spread of rates {table.learnable:.3f}"
        console.print(
            f"below {table.goal}: {table.world}, {table.setting} {table.of_bound:.3f}{most}; not knowing rates costs "
            f"{100 * table.not_knowing:.1f} points of freshness", markup=False,
        )  # fmt: skip
    console.print("better than ours beyond noise: " + ("; ".join(beaten) or "none"), markup=False)
    console.print(
        "bound: what no plan exceeds on average that knows all rates, no moments and no signals (visits divided at "
        "will); where rates move, told at once; of a replay, each page's mean over the measured half. Penalty: "
        "harmonic in unseen changes (Kolobov). By requests: importance by Zipf's law (Azar). Ahead: paired by seed, "
        "with the 95 % interval. The constants of ours were chosen on other distributions and seeds (--tuning).",
        markup=False,
    )


def _show_sources(console: "Console", report: "FreshnessReport") -> None:
    from rich.table import Table as Grid

    if not report.sources:
        return
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    grid.add_column("sites that gain pages: lists are", min_width=52)
    for head in ("unknown, d", "sooner", "the rest fresh"):
        grid.add_column(head, justify="right")
    for row in report.sources:
        name = f"{row.world}: {row.planner}"
        grid.add_row(name, f"{row.delay_days:.2f} ± {row.spread:.2f}", f"{row.sooner:.2f}", f"{row.freshness:.1%}")
    console.print()
    console.print(grid)


def _show_table(console: "Console", table: "Table") -> None:
    from rich.table import Table as Grid

    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    grid.add_column(f"{table.world}, {table.setting}", min_width=35)
    for head in ("fresh", "of bound", "age, d", "penalty", "ours ahead"):
        grid.add_column(head, justify="right")
    for row in table.rows:
        grid.add_row(*_cells(row, table.ours))
    console.print()
    console.print(grid)


def _cells(row: "PolicyRow", ours: str) -> tuple[str, ...]:
    ahead = "" if row.policy == ours else f"{100 * row.ahead:+.1f} ± {100 * row.noise:.1f}"
    return (
        row.policy,
        f"{row.freshness:.1%}",
        f"{row.of_bound:.3f}",
        f"{row.age_days:.2f}",
        f"{row.penalty:.3f}",
        ahead,
    )
