"""`whimbrel bench change`."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from whimbrel.cli import exits, measuring, options

if TYPE_CHECKING:
    from rich.console import Console

    from whimbrel.bench.change import ChangeReport
    from whimbrel.bench.change_sites import Sites

PAIRS = Path("../shared/data/changes")
"""Where a checkout for developers has pairs of real versions."""


@click.command("change", epilog=exits.LIST)
@click.option(
    "--pairs", type=click.Path(path_type=Path, file_okay=False, exists=True), metavar="DIR",
    help=f"pairs.jsonl and pages/.  [default: {PAIRS}; where that is not there, pairs made by script]",
)  # fmt: skip
@click.option("--sites", is_flag=True, help="Also on sites in two releases, fetched once into a cache.")
@options.as_json
def change(pairs: Path | None, sites: bool, as_json: bool) -> int:
    """Changes found and false alarms raised, beside the paper's methods and simple ones."""
    from whimbrel.bench import change as bench
    from whimbrel.bench import change_sites
    from whimbrel.bench.released import cache_folder

    with measuring.hindrances_told():
        with _pairs(pairs) as folder:
            report = bench.run(folder, measuring.say)
        on_sites = change_sites.run(bench.METHODS, cache_folder(), measuring.say) if sites else None

    def show(found: "ChangeReport") -> None:
        _show(found)
        if on_sites is not None:
            _show_sites(on_sites)

    measuring.tell(report, bench.goals(report), show, as_json, sites=to_builtins(on_sites))
    return exits.OK


@contextmanager
def _pairs(named: Path | None) -> Iterator[Path]:
    """The folder with the pairs; where there is none, it is made for as long as the bench takes."""
    if named is not None or PAIRS.is_dir():
        yield named or PAIRS
        return
    from whimbrel.bench import made_up

    measuring.say(
        f"{PAIRS} is not here: pairs made by script instead, which say little of real sites. --sites adds real ones, "
        "--pairs names a folder of your own."
    )
    with measuring.workplace(None) as folder:
        yield made_up.pairs(folder)


def _show_sites(sites: "Sites") -> None:
    from rich.console import Console

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


def _show(report: "ChangeReport") -> None:
    from rich.console import Console

    console = Console(highlight=False)
    console.print(f"\n{report.pairs} pairs of versions\n")
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


def _print(console: "Console", words: str) -> None:
    console.print(words, markup=False)


def _table(console: "Console", heads: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for at, head in enumerate(heads):
        table.add_column(head, justify="right" if rows and rows[0][at][:1].isdigit() else "left")
    for row in rows:
        table.add_row(*row)
    console.print(table)
    console.print()
