"""`whimbrel bench watch`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import number

if TYPE_CHECKING:
    from whimbrel.bench.watch import WatchReport

EPILOG = f"""\b
Examples:
  whimbrel bench watch
  whimbrel bench watch --rounds 0 --kills 0 --json

{exits.LIST}"""


@click.command("watch", epilog=EPILOG)
@click.option("--sites", type=click.IntRange(15), default=50, show_default=True, help="Sites that are simulated.")
@click.option("--days", type=click.FloatRange(1), default=30.0, show_default=True, help="Days that are simulated.")
@click.option("--rounds", type=click.IntRange(0), default=1000, show_default=True, help="Rounds of a real process.")
@click.option("--kills", type=click.IntRange(0), default=60, show_default=True, help="Kills of a real process.")
@click.option("--seeds", type=click.IntRange(0, 100), default=4, show_default=True, help="Worlds that gain pages.")
@click.option("--first-seed", type=click.IntRange(0), default=1, show_default=True, help="The first of them.")
@options.work
@options.as_json
def watch(
    sites: int, days: float, rounds: int, kills: int, seeds: int, first_seed: int, work: Path | None, as_json: bool
) -> int:
    """Whether a watch that is left running tells every change once.

    A month by a clock that is given, over sites of which one dies, one moves, one refuses and one is away for a
    while; a real process over many rounds, and one that is killed at random moments; and how soon new pages are known
    for the same number of requests.
    """
    from whimbrel.exchange.extras import MissingExtra, need

    try:
        need("notify")
    except MissingExtra as error:
        raise click.ClickException(str(error)) from error
    from whimbrel.bench import watch as bench
    from whimbrel.bench.watch_world import WatchMonth

    trial = bench.WatchTrial(WatchMonth(sites, days, seed=first_seed), rounds, kills, seeds, first_seed)
    with measuring.workplace(work) as folder:
        report = bench.run(trial, folder, measuring.say)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: "WatchReport") -> None:
    one = report.month
    click.echo(f"{one.sites} sites, {number(one.rounds)} rounds, {number(one.requests)} requests, by a given clock:")
    click.echo(f"  {number(one.rewritten)} changes, {number(one.seen)} pages seen to change, {one.late} told late")
    fates = ", ".join(f"{name} {count}" for name, count in one.fates.items())
    click.echo(f"  pages told of by the fate of their site: {fates}")
    click.echo(f"  told of sites: {', '.join(one.heard) or 'nothing'}")
    if (lasting := report.rounds) is not None:
        click.echo(f"{number(lasting.rounds)} rounds of a process: {lasting.first:.1f} MB, then {lasting.last:.1f} MB;")
        click.echo(f"  {lasting.told} of {lasting.changes} changes told, {lasting.twice} twice")
    if (killed := report.kills) is not None:
        click.echo(f"{killed.kills} kills (seed {killed.seed}), {killed.before_its_end} before the end of a round:")
        click.echo(
            f"  {killed.changes} changes, {killed.lost} lost, {killed.repeated} told again after it was confirmed,"
        )
        click.echo(f"  {killed.again} told again since a kill came before that")
    for row in report.sources:
        click.echo(f"{row.world:24}{row.planner:28}{row.delay_days:>8.2f} days{row.sooner:>8.2f} × sooner")
