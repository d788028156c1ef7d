"""`whimbrel bench refresh`."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import number, size

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from whimbrel.bench.refresh import RefreshReport, ScenarioRow
    from whimbrel.bench.refresh_coverage import Coverage

DATA = Path("../shared/data/site-versions")
"""Where a checkout for developers has two releases of a manual."""


@click.command("refresh", epilog=exits.LIST)
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False, exists=True), metavar="DIR",
    help=f"Two releases of a site (*.tar.xz).  [default: {DATA}; where that is not there, a site made by script]",
)  # fmt: skip
@options.work
@click.option("--shares", default="20,35,100", show_default=True, metavar="N,...", help="Shares of files that change.")
@options.as_json
def refresh(data: Path | None, work: Path | None, shares: str, as_json: bool) -> int:
    """What a refresh fetches of a site that changes step by step, beside a conventional recrawl.

    Bodies and bytes are counted by the server. The recrawl is the same crawler into an empty folder. True changes are
    pages whose content element differs on disk in words or links.
    """
    from whimbrel.bench import refresh as bench

    try:
        parts = tuple(int(part) / 100 for part in shares.split(","))
    except ValueError as error:
        raise click.UsageError(f"--shares {shares!r}: write percentages like 20,35,100.") from error
    if data is None and DATA.is_dir():
        data = DATA
    if data is None:
        click.echo(
            f"{DATA} is not here: a manual made by script in two releases instead. Name two releases of a real site "
            "(*.tar.xz) with --data.",
            err=True,
        )
    with measuring.workplace(work) as folder:
        report = bench.run(data, folder, measuring.say, parts)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: "RefreshReport") -> None:
    from rich.console import Console

    console = Console(highlight=False, width=max(130, Console().width))
    console.print(f"\n{number(report.pages)} pages of {report.site}; load {os.getloadavg()[0]:.1f}\n", markup=False)
    heads = ("step", "changed", "new", "asked", "304", "bodies", "beyond", "bytes", "home", "kept", "CPU s", "skipped")
    fetched = _table(heads)
    for row in report.rows:
        fetched.add_row(*_fetched(row))
        if row.recrawl is not None:
            took = row.recrawl
            fetched.add_row(
                "  conventional recrawl", "", "", number(took.counted.requests), "", number(took.counted.bodies), "",
                size(took.counted.sent_bytes), size(took.counted.packed_bytes), size(took.archived_bytes),
                f"{took.cpu_seconds:.1f}", "",
            )  # fmt: skip
    console.print(fetched)
    console.print(
        "beyond: bodies fetched beyond changed and new ones. bytes: what the server "
        "sent. home: the\nbodies as a migrant sends them, each compressed. kept: what was archived of them.\n",
        style="dim",
    )
    _show_savings(console, report)
    told = _table(
        ("changes told", "true", "found", "elements only", "told", "other bytes only", "alarms", "taken away",
         "told gone", "new found")
    )  # fmt: skip
    for row in report.rows:
        truth = row.truth
        figures = (
            truth.loud, truth.found, truth.reshaped, truth.reshaped_told, truth.quiet, truth.alarms, truth.gone,
            truth.gone_told, truth.new,
        )  # fmt: skip
        told.add_row(row.name, *(number(figure) for figure in figures))
    console.print(told)
    _show_coverage(console, report.coverage)


def _show_savings(console: "Console", report: "RefreshReport") -> None:
    """Beside the papers' figures, and beside what arithmetic allows."""
    table = _table(("saved against the recrawl", "pages", "most possible", "bytes", "most possible", "bytes home"))
    for row in report.rows:
        if row.recrawl is None:
            continue
        all_of_it = row.recrawl.counted
        saved = [
            1 - row.ours.counted.bodies / all_of_it.bodies,
            1 - (row.changed + row.new) / all_of_it.bodies,
            1 - row.ours.counted.sent_bytes / all_of_it.sent_bytes,
            1 - row.needed_bytes / all_of_it.sent_bytes,
            1 - row.ours.counted.packed_bytes / all_of_it.sent_bytes,
        ]
        table.add_row(row.name, *(f"{share:.0%}" for share in saved))
    console.print(table)
    console.print(
        "papers (P0 tables 5.1 to 5.6, four sites): 65 to 81 % of pages, 71 to 98 % of the bytes downloaded. Most "
        "possible: only what\nchanged and is new. bytes home: compressed, against the whole pages that a conventional "
        "crawler hauls home.\n",
        style="dim",
    )


def _show_coverage(console: "Console", cover: "Coverage") -> None:
    gain = cover.with_sitemap.pages / max(1, cover.by_links.pages) - 1
    console.print(
        f"\nsitemap: lists {number(cover.listed)} of {number(cover.on_server)} pages on the server; crawled "
        f"{number(cover.with_sitemap.pages)} with it, {number(cover.by_links.pages)} by links alone ({gain:+.1%})\n",
        markup=False,
    )
    table = _table(("coverage", "of all pages", "of unique", "of indexed", "of PageRank"))
    for name, ratios in (
        ("by links, of all on the server", cover.by_links),
        ("by links and sitemap, of all on the server", cover.with_sitemap),
        ("through the sitemap, of all crawled", cover.through_sitemap),
    ):
        shares = (ratios.of_all, ratios.of_unique, ratios.of_indexed, ratios.of_rank)
        table.add_row(name, *("-" if share is None else f"{share:.3f}" for share in shares))
    console.print(table)
    if cover.by_links.of_rank is None:
        console.print("shares of PageRank are left out: they need what the extra `search` brings", style="dim")


def _table(heads: Sequence[str]) -> "Table":
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for at, head in enumerate(heads):
        table.add_column(head, justify="right" if at else "left")
    return table


def _fetched(row: "ScenarioRow") -> tuple[str, ...]:
    counted = row.ours.counted
    return (
        row.name, number(row.changed), number(row.new), number(counted.requests), number(counted.not_modified),
        number(counted.bodies), f"{row.excess:+.1%}", size(counted.sent_bytes), size(counted.packed_bytes),
        size(row.ours.archived_bytes), f"{row.ours.cpu_seconds:.1f}", number(row.skipped),
    )  # fmt: skip
