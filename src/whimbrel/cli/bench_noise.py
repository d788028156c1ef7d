"""`whimbrel bench noise`."""

from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from whimbrel.bench import noise as bench
from whimbrel.bench.noise import NoiseReport, PackageRow
from whimbrel.bench.released import cache_folder
from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import number


@click.command("noise", epilog=exits.LIST)
@click.argument("packages", nargs=-1, metavar="[PACKAGE]...")
@click.option(
    "--sample", type=click.IntRange(0), default=bench.SAMPLE, show_default=True, metavar="N",
    help="Pages of each site that are also crawled and refreshed; 0 for none.",
)  # fmt: skip
@options.work
@click.option("--pages", type=click.IntRange(1), metavar="N", help="Pages of each site to compare.  [default: all]")
@options.as_json
def noise(packages: tuple[str, ...], sample: int, work: Path | None, pages: int | None, as_json: bool) -> int:
    """Pages of point releases whose bytes differ and whose text does not: how many raise no alarm.

    The releases are Debian packages of documentation, fetched once into a cache. Without names, all that are known.
    """
    with measuring.workplace(work) as folder:
        report = bench.run(packages, cache_folder(), folder, measuring.say, sample, pages)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: NoiseReport) -> None:
    console = Console(highlight=False, width=max(120, Console().width))
    console.print()
    for held_out, words in ((False, "looked at while the rules were made"), (True, "held out")):
        rows = [row for row in report.rows if row.held_out is held_out]
        if rows:
            _table(console, f"sites {words}", rows)
    total = bench.together([row for row in report.rows if row.held_out])
    if total.unchanged:
        _say(
            console,
            f"held out, together: {total.quiet:.2%} of {number(total.unchanged)} unchanged pages quiet, "
            f"{number(total.found)} of {number(total.changed)} changed pages found",
        )
    _say(
        console,
        "unchanged: other bytes, the same text in the site's content element; text: how many of these differ in their "
        "visible text; refresh: the same for a sample that was crawled and refreshed from a server on loopback.",
    )
    for row in report.rows:
        for line in row.named:
            _say(console, f"{row.package}: {line}")
    for reason in report.missing:
        _say(console, f"left out: {reason}")


def _table(console: Console, head: str, rows: list[PackageRow]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    heads = ("", "pages", "changed", "found", "unchanged", "alarms", "quiet", "text", "refresh: found", "alarms", "ms")
    for name in heads:
        table.add_column(name or head, justify="right" if name else "left")
    for row in rows:
        told, again = row.told, row.refreshed
        name = f"{row.package} {row.versions[0]} → {row.versions[1]}" + (" (by script)" if row.scripted else "")
        table.add_row(
            name, number(told.pages), number(told.changed), number(told.found), number(told.unchanged),
            number(told.alarms), f"{told.quiet:.2%}", number(row.text_alarms),
            f"{again.found}/{again.changed}" if again else "", f"{again.alarms}/{again.unchanged}" if again else "",
            f"{row.pair_ms:.1f}",
        )  # fmt: skip
    console.print(table)
    console.print()


def _say(console: Console, words: str) -> None:
    console.print(words, markup=False)
