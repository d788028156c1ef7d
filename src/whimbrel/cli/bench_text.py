"""`whimbrel bench text`."""

from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from whimbrel.bench import text as bench
from whimbrel.bench.text import TextReport
from whimbrel.cli import exits, measuring, options


@click.command("text", epilog=exits.LIST)
@click.option(
    "--pages", type=click.Path(path_type=Path, file_okay=False, exists=True), metavar="DIR",
    default=Path("../shared/data/main-text"), show_default=True, help="A folder with truth.jsonl.gz and html/.",
)  # fmt: skip
@options.as_json
def text(pages: Path, as_json: bool) -> int:
    """How near the main text comes to what people marked, beside its peers."""
    with measuring.hindrances_told():
        report = bench.run(pages, measuring.say)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: TextReport) -> None:
    console = Console(highlight=False, width=max(140, Console().width))
    table = Table(box=None, pad_edge=False)
    kinds = sorted(report.scores[0].kinds)
    heads = (f"F1 on {report.pages} pages of {report.sites} sites", "mean", *kinds, "worst site", "", "ms")
    for at, head in enumerate(heads):
        table.add_column(head, justify="left" if at in (0, len(kinds) + 2) else "right")
    for one in report.scores:
        cost = "" if one.milliseconds is None else f"{one.milliseconds:.1f}"
        of_kinds = [f"{one.kinds[kind]:.3f}" for kind in kinds]
        table.add_row(one.name, f"{one.mean:.3f}", *of_kinds, one.worst_site, f"{one.worst:.3f}", cost)
    console.print(table)
    for line in (
        "never seen: judged by a model that learned without the site, or without the kind, of the page; as shipped: by "
        "the model that learned from these very pages, which says what it costs, not how good it is",
        *(f"left out: {reason}" for reason in report.missing),
    ):
        console.print(line, markup=False)
