"""`whimbrel bench change`."""

import json
from collections.abc import Sequence
from pathlib import Path

import click
from msgspec import to_builtins
from rich.console import Console
from rich.table import Table

from whimbrel.bench import change as bench
from whimbrel.bench import change_sites
from whimbrel.bench.change import Report
from whimbrel.bench.change_sites import Sites
from whimbrel.bench.released import cache_folder
from whimbrel.cli import exits, options


@click.command("change", epilog=exits.LIST)
@click.option(
    "--pairs", type=click.Path(path_type=Path, file_okay=False, exists=True), metavar="DIR",
    default=Path("../shared/data/changes"), show_default=True, help="A folder with pairs.jsonl and pages/.",
)  # fmt: skip
@click.option("--sites", is_flag=True, help="Also on sites in two releases, fetched once into a cache.")
@options.as_json
def change(pairs: Path, sites: bool, as_json: bool) -> int:
    """Changes found and false alarms raised, beside the paper's methods and simple ones."""

    def say(words: str) -> None:
        click.echo(words, err=True)

    try:
        report = bench.run(pairs, say)
        on_sites = change_sites.run(bench.METHODS, cache_folder(), say) if sites else None
    except OSError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps(to_builtins(report) | {"sites": to_builtins(on_sites)}))
        return exits.OK
    _show(report)
    if on_sites is not None:
        _show_sites(on_sites)
    return exits.OK


def _show_sites(sites: Sites) -> None:
    console = Console(highlight=False, width=max(110, Console().width))
    console.print()
    for held_out, head in ((False, "sites looked at while the rules were made"), (True, "held-out sites")):
        scores = [one for one in sites.scores if one.held_out is held_out]
        rows = [(one.method, f"{one.found}/{one.changes}", f"{one.false_alarms}/{one.quiet}") for one in scores]
        if rows:
            _table(console, (head, "found", "false alarms"), rows)
    _print(console, f"releases of {', '.join(sites.names)}; true where the text of the site's content element differs")
    for reason in sites.missing:
        _print(console, f"left out: {reason}")


def _show(report: Report) -> None:
    console = Console(highlight=False)
    console.print(f"\n{report.pairs} pairs of real versions\n")
    everywhere = [score for score in report.scores if score.site == "all"]
    rows: list[tuple[str, ...]] = [
        (one.method, f"{one.found}/{one.changes}", f"{one.false_alarms}/{one.quiet}", f"{one.precision:.3f}",
         f"{one.recall:.3f}")
        for one in everywhere
    ]  # fmt: skip
    _table(console, ("all sites", "found", "false alarms", "precision", "recall"), rows)
    ours = [score for score in report.scores if score.method.startswith("ours") and score.site != "all"]
    rows = [
        (one.site, one.method, f"{one.found}/{one.changes}", f"{one.false_alarms}/{one.quiet}")
        for one in sorted(ours, key=lambda one: one.site)
    ]
    _table(console, ("by site", "", "found", "false alarms"), rows)
    rows = [(one.method, f"{one.microseconds:.0f}", f"{one.bytes_kept:.0f}") for one in report.costs]
    _table(console, ("CPU and space", "µs a page", "bytes kept"), rows)
    _print(console, f"ours, two pages read and compared: {report.pair_ms:.2f} ms of CPU (median)")
    _print(console, f"kinds right on {report.kinds_right} of {report.kinds_labelled} labelled pairs")
    for line in (*report.kinds_wrong, *report.mistakes):
        _print(console, line)
    _print(
        console,
        "history: versions before the pair in the file; neighbours: of every other page of the site the version that "
        "shares most files with the page. No site was held out while the rules were made.",
    )


def _print(console: Console, words: str) -> None:
    console.print(words, markup=False)


def _table(console: Console, heads: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for at, head in enumerate(heads):
        table.add_column(head, justify="right" if rows and rows[0][at][:1].isdigit() else "left")
    for row in rows:
        table.add_row(*row)
    console.print(table)
    console.print()
