"""`whimbrel bench languages`."""

import click
from rich.console import Console
from rich.table import Table

from whimbrel.bench import languages as bench
from whimbrel.bench.languages import LanguagesReport
from whimbrel.bench.released import cache_folder
from whimbrel.cli import exits, measuring, options


@click.command("languages", epilog=exits.LIST)
@click.option(
    "--pages", type=click.IntRange(1), default=bench.PAGES, show_default=True, help="Pages of each edition of a guide."
)
@options.as_json
def languages(pages: int, as_json: bool) -> int:
    """How often a page's language is told right, and how often a wrong one is named.

    On translated guides from Debian's pools and on the Universal Declaration from npm; both are kept in
    ~/.cache/whimbrel/bench.
    """
    report = bench.run(cache_folder(), measuring.say, pages)
    if not report.scores:
        raise click.ClickException("; ".join(report.missing))
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: LanguagesReport) -> None:
    console = Console(highlight=False, width=max(120, Console().width))
    table = Table(box=None, pad_edge=False)
    for head in ("", "texts", "number", "languages", "right", "right or silent", "worst language", "ms"):
        table.add_column(head, justify="left" if head in ("", "texts") else "right")
    for one in report.scores:
        table.add_row(
            one.name, one.texts, f"{one.count:,}", f"{one.languages:,}", f"{one.share_right:.1%}",
            f"{one.share_right_or_silent:.1%}", f"{one.worst} {one.worst_right:.0%}", f"{one.milliseconds:.2f}",
        )  # fmt: skip
    console.print(table)
    for texts in ("guides", "declarations"):
        if (ours := report.score(bench.OURS, texts)) is not None and ours.mistaken:
            console.print(f"mistaken ({texts}): {', '.join(ours.mistaken)}", markup=False)
    for reason in report.missing:
        console.print(f"left out: {reason}", markup=False)
