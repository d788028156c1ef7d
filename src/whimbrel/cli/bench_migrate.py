"""`whimbrel bench migrate`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.bench_refresh import DATA
from whimbrel.cli.index import need_search
from whimbrel.cli.words import number, size

if TYPE_CHECKING:
    from rich.console import Console

    from whimbrel.bench.migrate import MigrateReport


@click.command("migrate", epilog=exits.LIST)
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False, exists=True), metavar="DIR",
    help=f"Two releases of a site (*.tar.xz), for refreshes.  [default: {DATA}, where that is there]",
)  # fmt: skip
@click.option("--manuals", default="openjdk-17-doc,postgresql-doc-15", show_default=True, metavar="NAME,...",
              help="Debian packages crawled for the first time; none: \"\".")  # fmt: skip
@click.option(
    "--parts",
    default="bytes,time,fresh,moves,faults,lies",
    show_default=True,
    metavar="PART,...",
    help="What to measure.",
)
@click.option(
    "--points",
    default=60,
    show_default=True,
    type=click.IntRange(1),
    metavar="N",
    help="Faults in the middle of a crawl.",
)
@click.option("--draws", default=1, show_default=True, type=click.IntRange(1), metavar="N",
              help="Crawls and rounds of refreshes by the place: what home checks is drawn anew.")  # fmt: skip
@click.option("--cut", default=60.0, show_default=True, metavar="S", help="Seconds for which the link is cut.")
@options.work
@options.as_json
def migrate(
    data: Path | None, manuals: str, parts: str, points: int, draws: int, cut: float, work: Path | None, as_json: bool
) -> int:
    """A migrant beside the server, a central crawl, wget2: bytes over the link, time, load on the server.

    Home, server and place are in network namespaces with a NAT between, on a link that delays and narrows; that takes
    root. Packets are counted in both directions, TLS, the broker's words and home's checks of the place included. The
    central crawler asks with gzip and conditions, as ever. Places that lie are simulated: how many pages they send
    until home believes them no more.
    """
    from whimbrel.exchange.extras import MissingExtra, need

    need_search()
    try:
        need("places")
    except MissingExtra as error:
        raise click.ClickException(str(error)) from error
    from whimbrel.bench import migrate as bench
    from whimbrel.bench.migrate_rows import MANUALS

    wanted = [name for name in manuals.split(",") if name]
    known = {manual.package: manual for manual in MANUALS}
    if unknown := [name for name in wanted if name not in known]:
        raise click.UsageError(f"--manuals {unknown[0]!r}: one of {', '.join(known)}.")
    chosen = [part for part in parts.split(",") if part]
    if strange := [part for part in chosen if part not in bench.PARTS]:
        raise click.UsageError(f"--parts {strange[0]!r}: one of {', '.join(bench.PARTS)}.")
    if data is None and DATA.is_dir():
        data = DATA
    with measuring.workplace(work) as folder:
        report = bench.run(
            [known[name] for name in wanted], data, folder, measuring.say, parts=chosen, points=points, cut_seconds=cut,
            draws=draws,
        )  # fmt: skip
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: "MigrateReport") -> None:
    from rich.console import Console

    console = Console(highlight=False, width=max(120, Console().width))
    if report.hindrance:
        console.print(f"not measured, for want of machines far from each other: {report.hindrance}")
    crossed = [
        (
            row.name, number(row.kept), size(row.central), size(row.wget2) if row.wget2 else "-", size(row.to_place),
            size(row.from_place), size(row.checks), f"{row.ratio:.3f}", f"{row.cpu_seconds:.0f}",
        )
        for row in report.rows
    ]  # fmt: skip
    heads = ("bytes over the link", "pages", "central", "wget2", "to place", "home", "of it checks", "ratio", "CPU s")
    _table(console, heads, crossed)
    _table(
        console, ("seconds for a crawl at", "central", "place, same rate", "place, owner's rate"),
        [
            (f"{1000 * row.round_trip_seconds:.0f} ms, {row.megabits:g} Mbit/s",
             *(f"{seconds:.1f}" for seconds in (row.central, row.same_rate, row.owners_rate)))
            for row in report.times
        ],
    )  # fmt: skip
    _table(
        console, ("asked of the web server", "pages", "requests there", "bytes", "requests by home", "bytes"),
        [
            (row.name, number(row.pages), number(row.load.near_requests), size(row.load.near_bytes),
             number(row.load.far_requests), size(row.load.far_bytes))
            for row in report.loads
        ],
    )  # fmt: skip
    if report.fresh_seconds:
        middle = sorted(report.fresh_seconds)[len(report.fresh_seconds) // 2]
        console.print(f"a change at the site is found by a search at home after {middle:.1f} s (median)")
    _table(
        console, ("two unequal places", "seconds", "sites moved", "missing, other, twice", "as `status --why` says it"),
        [(row.strategy, f"{row.seconds:.0f}", str(row.moves), str(row.faults), row.why) for row in report.moves],
    )  # fmt: skip
    _table(
        console, ("in the middle of a crawl", "after requests", "in time", "seconds", "missing", "other", "twice"),
        [
            (row.whom, str(row.requests), "yes" if row.hit else "no", f"{row.seconds:.0f}", str(row.missing),
             str(row.other), str(row.twice))
            for row in report.faults
        ],
    )  # fmt: skip
    late = [[number(pages) if pages else "never" for pages in (lie.median, lie.ninety_five)] for lie in report.lies]
    _table(
        console, ("false pages", "share", "looked at before", "found within 500", "median, pages", "95 of 100, pages"),
        [
            (f"{lie.false:.1%}", f"{lie.share:.0%}", number(lie.truthful), f"{lie.found:.3f}", *pages)
            for lie, pages in zip(report.lies, late, strict=True)
        ],
    )  # fmt: skip
    _table(
        console, ("hidden changes", "each expected by", "median, pages", "95 of 100, pages"),
        [
            (f"{row.hidden:.0%}", f"{row.expected:.0%}",
             *(number(pages) if pages else "never" for pages in (row.median, row.ninety_five)))
            for row in report.hidden
        ],
    )  # fmt: skip
    if report.rows:
        console.print(
            f"central and wget2: nginx with gzip level {report.gzip_level}; ratio: the migrant's of the central's, "
            "home's checks of the place included"
        )


def _table(console: "Console", heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.table import Table

    if not rows:
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for at, head in enumerate(heads):
        table.add_column(head, justify="right" if at else "left")
    for row in rows:
        table.add_row(*row)
    console.print(table)
