"""`whimbrel bench crawl`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import number, size

if TYPE_CHECKING:
    from rich.console import Console

    from whimbrel.bench.crawl import CrawlReport
    from whimbrel.bench.figures import PeerRun, Spread

EPILOG = f"""\b
Examples:
  whimbrel bench crawl
  whimbrel bench crawl --runs 1 --peers whimbrel,wget2
  whimbrel bench crawl --site /usr/share/doc/python3-doc/html --json

{exits.LIST}"""


@click.command("crawl", epilog=EPILOG)
@click.option("--runs", type=click.IntRange(1, 100), default=5, show_default=True, help="Runs of every peer.")
@click.option(
    "--peers", default="whimbrel,wget2,scrapy", show_default=True, metavar="NAME,...", help="Whom to measure."
)
@options.site
@options.work
@click.option(
    "--scrapy-pages", type=click.IntRange(0), default=800, show_default=True, metavar="N",
    help="Pages after which Scrapy is ended; 0 lets it finish.",
)  # fmt: skip
@click.option("--stages/--no-stages", default=True, help="Also measure the floor, every stage and the followers.")
@options.as_json
def crawl(
    runs: int, peers: str, site: Path | None, work: Path | None, scrapy_pages: int, stages: bool, as_json: bool
) -> int:
    """Pages a second, CPU a page and memory, beside wget2 and Scrapy.

    Every peer crawls the same pages from nginx, alone on one core, its start included; the server has another core.
    The exit code is 1 when a peer fetched other pages than can be reached: its figures are then worth nothing.
    """
    from whimbrel.bench import crawl as bench

    chosen = _chosen(peers)
    with measuring.workplace(work) as folder:
        plan = bench.CrawlTrial(site or bench.SITE, chosen, runs, folder, scrapy_pages, stages)
        report = bench.run(plan, measuring.say)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.FAILED if report.faults else exits.OK


def _chosen(text: str) -> tuple[str, ...]:
    from whimbrel.bench.peers import PEERS

    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name not in PEERS:
            raise click.UsageError(f"there is no peer {name!r}. The peers are: {', '.join(PEERS)}.")
    if not names:
        raise click.UsageError(f"no peer named. The peers are: {', '.join(PEERS)}.")
    return names


def _show(report: "CrawlReport") -> None:
    from rich.console import Console

    console = Console(highlight=False)
    _say(console, f"\n{number(report.expected_pages)} pages of {report.site}, from nginx on loopback")
    here = report.machine
    apart = "" if report.cores.measured != report.cores.beside else "; one core for all, server included"
    _say(
        console,
        f"{here.model}, {here.cores} cores{apart}; written to {here.disk}; "
        f"load {here.load:.2f} before, {report.load_after:.2f} after\n",
    )
    _show_peers(console, report)
    _show_ratios(console, report)
    if report.stages is not None:
        _show_floor(console, report)
        _show_stages(console, report)
    for note in sorted({f"{run.peer}: {note}" for run in report.runs for note in run.notes}):
        _say(console, note)
    for fault in report.faults:
        console.print(f"NOT SOUND  {fault}", style="bold red", markup=False)


def _show_peers(console: "Console", report: "CrawlReport") -> None:
    rows = [
        (
            peer.peer, str(peer.runs), number(peer.pages), f"{peer.seconds.median:.2f}",
            _spread(peer.pages_per_second, 0), f"{peer.cpu_ms_a_page.median:.3f}", size(peer.peak_bytes),
        )
        for peer in report.peers
    ]  # fmt: skip
    _table(console, ("peer", "runs", "pages", "seconds", "pages/s", "CPU ms a page", "memory"), rows)
    _say(console, "median (least–most), start-up included; memory: the peak of all processes together\n")


def _show_ratios(console: "Console", report: "CrawlReport") -> None:
    if report.ratios:
        rows = [(f"whimbrel / {ratio.peer}", _spread(ratio.times, 2, "×")) for ratio in report.ratios]
        _table(console, ("pages/s", "median (least–most)"), rows)
        console.print()


def _show_floor(console: "Console", report: "CrawlReport") -> None:
    from whimbrel.bench.figures import summarise

    rows = []
    for name in dict.fromkeys(run.peer for run in report.floor):
        one = summarise(name, report.floor)
        rows.append((name, _spread(one.pages_per_second, 0), f"{one.cpu_ms_a_page.median:.3f}"))
    _table(console, ("the floor", "pages/s", "CPU ms a page"), rows)
    _say(
        console,
        "our fetcher and parser over the known list of URLs, 32 at a time, one process, nothing kept; "
        "start-up left out\n",
    )


def _show_stages(console: "Console", report: "CrawlReport") -> None:
    from whimbrel.bench.followers import FOLLOWERS
    from whimbrel.bench.stages import STAGES

    costs = report.stages
    assert costs is not None
    rows = [(words, costs.stages[name]) for name, words in STAGES.items()]
    measured = [run for run in report.runs if run.peer == "whimbrel"]
    if measured and report.start is not None:
        pages = max(1, measured[0].pages)
        rows.append((f"start and end, {report.start.seconds:.2f} s", 1e6 * report.start.cpu_seconds / pages))
    total = sum(microseconds for _, microseconds in rows)
    rows.append(("all of these", total))
    if measured:
        whole = _median_cpu(measured)
        rows += [
            ("whimbrel as measured above", whole),
            ("the difference: turns, loops, what was missed", whole - total),
        ]
    _table(console, ("CPU", "µs a page"), [(words, f"{us:.0f}") for words, us in rows])
    _say(
        console,
        f"each stage by itself over {number(costs.pages)} pages of a crawl in one process; "
        f"a commit took {costs.commit_wall:.0f} µs a page with the disk\n",
    )
    followers = [(f"{f.name}: {f.words}", f"{costs.followers[f.name]:.0f}") for f in FOLLOWERS]
    _table(console, ("followers, after the commit", "µs a page"), followers)
    console.print()


def _median_cpu(runs: "list[PeerRun]") -> float:
    from whimbrel.bench.figures import spread

    return 1000 * spread(run.cpu_ms_a_page for run in runs).median


def _spread(values: "Spread", digits: int, unit: str = "") -> str:
    middle = f"{values.median:.{digits}f}{unit}"
    if values.least == values.most:
        return middle
    return f"{middle} ({values.least:.{digits}f}–{values.most:.{digits}f})"


def _table(console: "Console", heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for at, head in enumerate(heads):
        table.add_column(head, justify="left" if at == 0 or not any(r[at][:1].isdigit() for r in rows) else "right")
    for row in rows:
        table.add_row(*row)
    console.print(table)


def _say(console: "Console", words: str) -> None:
    console.print(words, markup=False, style="dim" if sys.stdout.isatty() else "")
