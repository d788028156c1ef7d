"""`whimbrel bench links`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import number

if TYPE_CHECKING:
    from whimbrel.bench.links import LinksTrial

EPILOG = f"""\b
Examples:
  whimbrel bench links
  whimbrel bench links --site /usr/share/doc/postgresql-doc-15/html --seed 2 --json

{exits.LIST}"""


@click.command("links", epilog=EPILOG)
@click.option(
    "--site", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="A folder of HTML pages.  [default: postgresql-doc-15]",
)  # fmt: skip
@click.option("--pages", type=click.IntRange(20), default=300, show_default=True, metavar="N", help="How many of them.")
@click.option("--seed", type=int, default=1, show_default=True, help="Where the links are planted.")
@options.work
@options.as_json
def links(site: Path | None, pages: int, seed: int, work: Path | None, as_json: bool) -> int:
    """Whether 300 bad links planted in a manual are found, each with its pages, and no others.

    Missing, gone and moved pages, servers that stay silent, places that are not there, and error pages that a wiki and
    a server send as if they were pages.
    """
    from whimbrel.bench import links as bench

    manual = site or Path("/usr/share/doc/postgresql-doc-15/html")
    with measuring.workplace(work) as folder:
        report = bench.run(manual, pages, seed, folder, measuring.say)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: "LinksTrial") -> None:
    click.echo(f"{report.site}, {number(report.pages)} pages, seed {report.seed}")
    click.echo(f"{'':14}{'planted':>8}{'found':>8}{'with their pages':>18}")
    for way in report.ways:
        click.echo(f"{way.way:14}{way.planted:>8}{way.found:>8}{way.with_pages:>18}")
    click.echo(f"{report.told} links told, {report.own} of them the manual's own, {len(report.wrong)} in order")
    for url in report.wrong[:10]:
        click.echo(f"  in order: {url}")
