"""`whimbrel bench polite`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import number

if TYPE_CHECKING:
    from whimbrel.bench.polite import PoliteReport, PoliteRun

SHOWN_BREACHES = 5

EPILOG = f"""\b
Examples:
  whimbrel bench polite
  whimbrel bench polite --hosts 40 --seconds 10 --json

{exits.LIST}"""


@click.command("polite", epilog=EPILOG)
@click.option("--hosts", type=click.IntRange(2, 1000), default=200, show_default=True, help="Loopback addresses.")
@click.option("--delay", type=click.FloatRange(0.1), default=1.0, show_default=True, help="Seconds each is owed.")
@click.option("--seconds", type=click.FloatRange(1), default=60.0, show_default=True, help="Steady state to count.")
@click.option("--migrants", type=click.IntRange(1, 64), default=2, show_default=True, help="Crawling processes.")
@click.option("--kill/--no-kill", default=True, show_default=True, help="Again, with a migrant killed in the middle.")
@options.work
@options.as_json
def polite(
    hosts: int, delay: float, seconds: float, migrants: int, kill: bool, work: Path | None, as_json: bool
) -> int:
    """Whether every host is left alone as long as it should be, and no longer.

    The server's log is the witness: when each request arrived, robots.txt included, start to start. The exit code is 1
    when a host was asked too soon or the crawl did not last.
    """
    from whimbrel.bench import polite as bench

    with measuring.workplace(work) as folder:
        plan = bench.PoliteTrial(hosts, delay, seconds, migrants, folder, (False, True) if kill else (False,))
        report = bench.run(plan, measuring.say)
    runs = [{**to_builtins(run), "share": run.share, "too_soon": len(run.breaches)} for run in report.runs]
    measuring.tell(report, bench.goals(report), _show, as_json, runs=runs)
    return exits.FAILED if any(run.breaches or run.faults for run in report.runs) else exits.OK


def _show(report: "PoliteReport") -> None:
    here = report.machine
    click.echo(
        f"\n{report.hosts} hosts on loopback, {report.delay_seconds:g} s each, {report.migrants} migrants; "
        f"{report.seconds:g} s counted after a start of some seconds"
    )
    click.echo(f"{here.model}, {here.cores} cores; load {here.load:.2f} before, {report.load_after:.2f} after\n")
    click.echo(f"{'':36}{'requests':>10}{'counted':>10}{'allowed':>10}{'share':>8}{'least gap':>12}{'too soon':>10}")
    for run in report.runs:
        click.echo(
            f"{run.name:36}{number(run.requests):>10}{number(run.counted):>10}{number(round(run.allowed)):>10}"
            f"{100 * run.share:>6.1f} %{run.smallest_gap_seconds:>10.3f} s{number(len(run.breaches)):>10}"
        )
    for run in report.runs:
        _show_faults(run)


def _show_faults(run: "PoliteRun") -> None:
    for breach in run.breaches[:SHOWN_BREACHES]:
        click.echo(
            f"  {breach.address} was asked for {breach.second} {1000 * breach.short_seconds:.0f} ms too soon after "
            f"{breach.first}, {breach.at:.1f} s into the run"
        )
    for fault in run.faults:
        click.secho(f"NOT SOUND  {fault}", fg="red", bold=True)
