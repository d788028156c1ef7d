"""`whimbrel bench refresh`."""

import json
import os
import tempfile
from pathlib import Path

import click
from msgspec import to_builtins
from rich.console import Console
from rich.table import Table

from whimbrel.bench import refresh as bench
from whimbrel.bench.machine import Missing
from whimbrel.bench.refresh import Report, Row
from whimbrel.cli import exits, options
from whimbrel.cli.words import number, size

MOST_EXCESS = 0.01


@click.command("refresh", epilog=exits.LIST)
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False, exists=True), metavar="DIR",
    default=Path("../shared/data/site-versions"), show_default=True, help="Releases of a site (*.tar.xz).",
)  # fmt: skip
@click.option(
    "--work", "--repo", "work", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="Where to write.  [default: the folder for temporary files]",
)  # fmt: skip
@click.option("--shares", default="20,35,100", show_default=True, metavar="N,...", help="Shares of files that change.")
@options.as_json
def refresh(data: Path, work: Path | None, shares: str, as_json: bool) -> int:
    """What a refresh fetches of a site that changes step by step, beside a conventional recrawl.

    Bodies and bytes are counted by the server. The recrawl is the same crawler into an empty folder. True changes are
    pages whose content element differs on disk in words or links.
    """
    try:
        parts = tuple(int(part) / 100 for part in shares.split(","))
    except ValueError as error:
        raise click.UsageError(f"--shares {shares!r}: write percentages like 20,35,100.") from error
    try:
        with tempfile.TemporaryDirectory(prefix="whimbrel-bench-", dir=work) as folder:
            report = bench.run(data, Path(folder), lambda words: click.echo(words, err=True), parts)
    except (Missing, OSError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps(to_builtins(report)))
    else:
        _show(report)
    return exits.OK


def _show(report: Report) -> None:
    console = Console(highlight=False, width=max(120, Console().width))
    console.print(f"\n{number(report.pages)} pages of {report.site}; load {os.getloadavg()[0]:.1f}\n", markup=False)
    fetched = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for head in ("step", "changed", "new", "asked", "304", "bodies", "beyond", "bytes", "CPU s", "skipped"):
        fetched.add_column(head, justify="left" if head == "step" else "right")
    for row in report.rows:
        fetched.add_row(*_fetched(row))
        if row.recrawl is not None:
            took = row.recrawl
            fetched.add_row(
                "  conventional recrawl", "", "", number(took.counted.requests), "", number(took.counted.bodies), "",
                size(took.counted.sent_bytes), f"{took.cpu_seconds:.1f}", "",
            )  # fmt: skip
            saved = (1 - row.ours.counted.bodies / took.counted.bodies,
                     1 - row.ours.counted.sent_bytes / took.counted.sent_bytes)  # fmt: skip
            fetched.add_row("  saved", *[""] * 4, f"{saved[0]:.0%}", "", f"{saved[1]:.0%}", "", "")
    console.print(fetched)
    console.print("beyond: bodies fetched beyond changed and new ones; goal at 20 and 35 %: within 1 %\n", style="dim")
    told = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for head in ("changes told", "true", "found", "other bytes only", "alarms", "taken away", "told gone", "new found"):
        told.add_column(head, justify="left" if head == "changes told" else "right")
    for row in report.rows:
        truth = row.truth
        figures = (truth.loud, truth.found, truth.quiet, truth.alarms, truth.gone, truth.gone_told, truth.new)
        told.add_row(row.name, *(number(figure) for figure in figures))
    console.print(told)
    cover = report.coverage
    gain = cover.with_sitemap / max(1, cover.linked_only) - 1
    console.print(
        f"\nsitemap: {number(cover.with_sitemap)} pages, by links alone {number(cover.linked_only)} ({gain:+.1%}); "
        f"coverage: {cover.of_all:.3f} of all pages, {cover.of_unique:.3f} of unique, {cover.of_indexed:.3f} of "
        f"indexed ones, {cover.of_rank:.3f} of PageRank",
        markup=False,
    )


def _fetched(row: Row) -> tuple[str, ...]:
    counted = row.ours.counted
    beyond = f"{row.excess:+.1%}" + (" ✓" if abs(row.excess) <= MOST_EXCESS else "")
    return (
        row.name, number(row.changed), number(row.new), number(counted.requests), number(counted.not_modified),
        number(counted.bodies), beyond, size(counted.sent_bytes), f"{row.ours.cpu_seconds:.1f}", number(row.skipped),
    )  # fmt: skip
