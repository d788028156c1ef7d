"""`whimbrel bench migrate`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.bench_refresh import DATA
from whimbrel.cli.words import number, size

if TYPE_CHECKING:
    from whimbrel.bench.migrate import MigrateReport


@click.command("migrate", epilog=exits.LIST)
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False, exists=True), metavar="DIR",
    help=f"Two releases of a site (*.tar.xz), for refreshes.  [default: {DATA}, where that is there]",
)  # fmt: skip
@click.option("--manuals", default="openjdk-17-doc,postgresql-doc-15", show_default=True, metavar="NAME,...",
              help="Debian packages crawled for the first time; none: \"\".")  # fmt: skip
@options.work
@options.as_json
def migrate(data: Path | None, manuals: str, work: Path | None, as_json: bool) -> int:
    """Bytes over the link: a migrant beside the server, a central crawl, wget2.

    The central crawler asks with gzip and conditions, as ever. Bytes are counted in both directions, on a connection
    that stands for the link; what a broker adds to it is not in it. Places that lie are simulated: how many pages they
    send until home believes them no more.
    """
    from whimbrel.bench import migrate as bench

    wanted = [name for name in manuals.split(",") if name]
    known = {manual.package: manual for manual in bench.MANUALS}
    if unknown := [name for name in wanted if name not in known]:
        raise click.UsageError(f"--manuals {unknown[0]!r}: one of {', '.join(known)}.")
    if data is None and DATA.is_dir():
        data = DATA
    with measuring.workplace(work) as folder:
        report = bench.run([known[name] for name in wanted], data, folder, measuring.say)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: "MigrateReport") -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, width=max(120, Console().width))
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for at, head in enumerate(
        ("bytes over the link", "pages", "central", "wget2", "to place", "home", "ratio", "CPU s")
    ):
        table.add_column(head, justify="right" if at else "left")
    for row in report.rows:
        table.add_row(
            row.name, number(row.kept), size(row.central), size(row.wget2) if row.wget2 else "-", size(row.to_place),
            size(row.from_place), f"{row.ratio:.3f}", f"{row.cpu_seconds:.0f}",
        )  # fmt: skip
    console.print(table)
    liars = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for head in ("false pages", "chance within 500", "found within 500", "median, pages", "95 of 100, pages"):
        liars.add_column(head, justify="right")
    for lie in report.lies:
        late = [number(pages) if pages else "never" for pages in (lie.median, lie.ninety_five)]
        liars.add_row(f"{lie.false:.1%}", f"{lie.chance:.3f}", str(lie.found), *late)
    if report.lies:
        console.print(liars)
    console.print(
        f"central and wget2: nginx with gzip level {report.gzip_level}; ratio: the migrant's of the central's"
    )
