"""`whimbrel bench schedule`."""

from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import number

if TYPE_CHECKING:
    from whimbrel.bench.schedule import Figure, Scene, ScheduleReport
    from whimbrel.bench.schedule_places import PlacesReport

EPILOG = f"""\b
Examples:
  whimbrel bench schedule
  whimbrel bench schedule --seeds 5 --first-seed 100 --migrants 16 --json
  whimbrel bench schedule --places        # four unequal places with ways home

{exits.LIST}"""

COLUMNS = {
    "crawled": "crawled", "saved": "saved", "duplicates": "duplicates", "on the spot": "on the spot",
    "evenness": "Jain index", "makespan": "all done s", "site seconds": "a site s",
}  # fmt: skip


@click.command("schedule", epilog=EPILOG)
@click.option("--seeds", type=click.IntRange(2), default=20, show_default=True, help="Worlds of each kind.")
@click.option("--first-seed", type=int, default=1, show_default=True, help="The first of them.")
@click.option(
    "--migrants", type=click.IntRange(2), multiple=True, default=(4, 8), show_default=True,
    help="Size of the crew; may be repeated.",
)  # fmt: skip
@click.option("--places", is_flag=True, help="Four places, each with a way home, and choices made again.")
@options.as_json
def schedule(seeds: int, first_seed: int, migrants: tuple[int, ...], places: bool, as_json: bool) -> int:
    """Which way of choosing a migrant gets most done, in a simulation.

    Unequal migrants, one of which fails and comes back, in three kinds of worlds; every way of choosing gets the same
    worlds. Nothing is fetched.
    """
    if places:
        return _places(seeds, first_seed, as_json)
    from whimbrel.bench import schedule as bench

    report = bench.run(bench.ScheduleTrial(seeds, first_seed, migrants), measuring.say)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _places(seeds: int, first_seed: int, as_json: bool) -> int:
    from whimbrel.bench import schedule_places as bench

    report = bench.run(seeds, first_seed, measuring.say)
    measuring.tell(report, bench.goals(report), _show_places, as_json)
    return exits.OK


def _show_places(report: "PlacesReport") -> None:
    click.echo(
        f"Simulated, seeds {report.first_seed} to {report.first_seed + report.seeds - 1}; means ± 95 %. "
        "Counted at home after 10 minutes; all done and a site: seconds."
    )
    for scene in report.scenes:
        heads = "".join(f"{head:>14}" for head in COLUMNS.values())
        click.echo(f"\n{f'{scene.shape}, {scene.ways}':54}{heads}{'moves':>8}")
        for name, row in scene.rows.items():
            mark = "*" if name in scene.winners else " "
            cells = (_figure(row[column], 2 if column == "evenness" else 0) for column in COLUMNS)
            click.echo(f"{mark} {name:52}" + "".join(f"{cell:>14}" for cell in cells) + f"{scene.moves[name]:>8.1f}")
        click.echo("* most saved" + (", not to be told apart" if len(scene.winners) > 1 else ""))
    click.echo("\nsaved, as a multiple of host hash in the same world, all scenes:")
    for name, ratio in report.against_hash.items():
        click.echo(f"  {name:52}{_figure(ratio, 3):>16}")
    for name, (with_ahp, without) in report.paper.items():
        click.echo(f"the paper: {name} {number(with_ahp)} with AHP, {number(without)} without")


def _show(report: "ScheduleReport") -> None:
    click.echo(
        f"Simulated, {report.seeds} seeds; means ± 95 %. Counted after 10 minutes; all done and a site: seconds."
    )
    for scene in report.scenes:
        _show_scene(scene)
    click.echo(f"\n{'all scenes, against the mean of all ways':54}{'saved':>16}{'a site':>16}{'Jain index':>16}")
    for one in report.standings:
        cells = (_figure(one.saved, 3), _figure(one.site_seconds, 3), _figure(one.evenness, 3))
        behind = f"  behind by {COLUMNS[one.behind]}" if one.behind else ""
        click.echo(f"{one.way:54}" + "".join(f"{cell:>16}" for cell in cells) + behind)
    click.echo(f"\nrecommended: {_advice(report)}\n")
    for name, (with_ahp, without) in report.paper.items():
        click.echo(f"the paper, four machines: {name} {number(with_ahp)} with AHP, {number(without)} without")
    click.echo(f"the simulation took {report.cpu_seconds:.0f} s of CPU")


def _show_scene(scene: "Scene") -> None:
    what = f"{scene.migrants} migrants, {scene.shape}: {scene.sites:.0f} sites, {scene.pages:.0f} links"
    click.echo(f"\n{what:54}" + "".join(f"{head:>14}" for head in COLUMNS.values()))
    for line in scene.lines:
        cells = (_figure(line.figures[name], 2 if name == "evenness" else 0) for name in COLUMNS)
        mark = "*" if line.way in scene.winners else " "
        click.echo(f"{mark} {line.way:52}" + "".join(f"{cell:>14}" for cell in cells))
    told = "most saved" if len(scene.winners) == 1 else "most saved, not to be told apart"
    click.echo(f"* {told}")


def _figure(value: "Figure", digits: int) -> str:
    return f"{value.mean:.{digits}f} ± {value.within:.{digits}f}"


def _advice(report: "ScheduleReport") -> str:
    equal = [one.way for one in report.standings[1:] if not one.behind]
    like = f"; as good within the spread: {', '.join(equal)}" if equal else ""
    return f"{report.advice}{like}"
