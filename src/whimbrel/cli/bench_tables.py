"""`whimbrel bench tables`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options

if TYPE_CHECKING:
    from whimbrel.bench.tables import TablesTrial

EPILOG = f"""\b
Examples:
  whimbrel bench tables
  whimbrel bench tables --pages 30 --seed 2 --json

{exits.LIST}"""


@click.command("tables", epilog=EPILOG)
@click.option("--pages", type=click.IntRange(10), default=60, show_default=True, metavar="N", help="Of each site.")
@click.option("--seed", type=int, default=1, show_default=True, help="Which packages.")
@click.option("--only", multiple=True, metavar="NAME", help="Only this generator; several times for several.")
@options.work
@options.as_json
def tables(pages: int, seed: int, only: tuple[str, ...], work: Path | None, as_json: bool) -> int:
    """Whether a kind of page becomes the table that its generator was given.

    Ten generators that are not ours (Sphinx, Javadoc, Doxygen and others) render the same packages of Debian. A field
    counts as found where a column has its name and says what was put in on nine pages of ten. The constants are chosen
    for each site on all the others.
    """
    from whimbrel.bench import tables as bench
    from whimbrel.bench.table_generators import RENDERINGS

    if unknown := set(only) - {one.name for one in RENDERINGS}:
        names = ", ".join(one.name for one in RENDERINGS)
        raise click.UsageError(f"there is no generator {sorted(unknown)[0]!r}. They are: {names}.")
    with measuring.workplace(work) as folder:
        report = bench.run(pages, seed, only, folder, measuring.say)
    f1 = {one.generator: one.f1 for one in report.templates}
    more = {"f1": f1, "mean_f1": report.mean_f1, "worst_f1": report.worst_f1}
    measuring.tell(report, bench.goals(report), _show, as_json, **more)
    return exits.OK


def _show(report: "TablesTrial") -> None:
    click.echo(f"{report.pages} pages of each generator, seed {report.seed}")
    click.echo(f"{'':12}{'fields':>8}{'found':>7}{'columns':>9}{'F1':>7}  not found; nobody's")
    for one in report.templates:
        other = f"{', '.join(one.missed) or '-'}; {', '.join(one.added) or '-'}"
        click.echo(f"{one.generator:12}{one.fields:>8}{one.found:>7}{one.columns:>9}{one.f1:>7.2f}  {other}")
    click.echo(f"{'mean':12}{'':24}{report.mean_f1:>7.2f}")
    click.echo(f"{'worst':12}{'':24}{report.worst_f1:>7.2f}")
