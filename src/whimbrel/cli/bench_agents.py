"""`whimbrel bench agents`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import number

if TYPE_CHECKING:
    from whimbrel.bench.agents import AgentsReport

EPILOG = f"""\b
Examples:
  whimbrel bench agents
  whimbrel bench agents --site /usr/share/doc/postgresql-doc-15/html --json

{exits.LIST}"""


@click.command("agents", epilog=EPILOG)
@click.option(
    "--site", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="A folder of HTML pages.  [default: postgresql-doc-15]",
)  # fmt: skip
@click.option("--queries", type=click.IntRange(20), default=500, show_default=True, metavar="N", help="How many.")
@click.option("--seed", type=int, default=1, show_default=True, help="Chooses the queries.")
@options.work
@options.as_json
def agents(site: Path | None, queries: int, seed: int, work: Path | None, as_json: bool) -> int:
    """What asking through MCP costs beside the JSON interface: the same queries, in turns, of one server."""
    from whimbrel.cli.index import need_search

    need_search(agents=True)
    from whimbrel.bench import agents as bench
    from whimbrel.bench.search import POSTGRESQL

    with measuring.workplace(work) as folder:
        report = bench.run(site or POSTGRESQL, queries, seed, folder, measuring.say)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: "AgentsReport") -> None:
    click.echo(f"{report.site}, {number(report.pages)} pages")
    click.echo(f"{'':28}{'queries':>9}{'median ms':>11}{'p95 ms':>9}{'bytes':>9}")
    for way in report.ways:
        click.echo(f"{way.way:28}{way.queries:>9}{way.median:>11.1f}{way.p95:>9.1f}{way.bytes:>9,}")
