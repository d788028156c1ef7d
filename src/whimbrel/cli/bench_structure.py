"""`whimbrel bench structure`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from whimbrel.cli import exits, options
from whimbrel.cli.words import number

if TYPE_CHECKING:
    from whimbrel.bench.structure import Report, Way
    from whimbrel.bench.structure_site import LabelledSite
    from whimbrel.bench.structure_times import Timing

SITES = ("rust", "cppreference")
SEEN_SEEDS = (*range(1, 7), *range(11, 20), *range(21, 25), *range(41, 46), *range(51, 56), *range(61, 66))
"""Their pages were judged while the rules were made or when they were done."""

EPILOG = f"""\b
Examples:
  whimbrel bench structure
  whimbrel bench structure --of cppreference
  whimbrel bench structure --seed 2 --pages 1000 --plain-pages 0 --json

{exits.LIST}"""


@click.command("structure", epilog=EPILOG)
@click.option("--of", "name", type=click.Choice(SITES), default=SITES[0], show_default=True, help="Which site.")
@click.option(
    "--site", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="A copy of that site.  [default: that of its package]",
)  # fmt: skip
@click.option("--pages", type=click.IntRange(100), default=5_000, show_default=True, help="Pages to judge.")
@click.option(
    "--plain-pages", type=click.IntRange(0), default=300, show_default=True, help="Of these also by plain matching."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Chooses the examples and the pages.")
@click.option("--draws", type=click.IntRange(1), default=5, show_default=True, help="With this seed and the next ones.")
@options.as_json
def structure(name: str, site: Path | None, pages: int, plain_pages: int, seed: int, draws: int, as_json: bool) -> int:
    """How well and how fast pages of one kind are told from others.

    The kind is what a page's file name, place or other pages say; what the markup says about it is taken out first. The
    exit code is 0 also where a goal is missed: the figures say so.
    """
    from whimbrel.bench import structure as bench
    from whimbrel.bench.structure_site import NotThatSite

    plan = bench.Plan(labelled_site(name, site), pages, plain_pages, seed, draws)
    try:
        report = bench.run(plan, lambda words: click.echo(words, err=True))
    except NotThatSite as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps(_as_object(report)))
    else:
        _show(report)
    return exits.OK


def labelled_site(name: str, folder: Path | None) -> "LabelledSite":
    """The site of that name, in its package's place or in another."""
    from whimbrel.bench import cppreference, rustdoc

    known = {one.name: one for one in (rustdoc.SITE, cppreference.SITE)}[name]
    site = known if folder is None else known.at(folder)
    if not site.folder.is_dir():
        raise click.ClickException(f"{site.folder} is not there. Install {site.package}, or name a copy with --site.")
    return site


def _as_object(report: "Report") -> dict[str, object]:
    ways = [
        {**to_builtins(way), "precision": way.precision, "recall": way.recall, "reached": way.reached}
        for way in report.ways
    ]
    timings = [{**to_builtins(timing), "reached": timing.reached} for timing in report.times.timings]
    return {**to_builtins(report), "ways": ways, "times": {**to_builtins(report.times), "timings": timings}}


def _show(report: "Report") -> None:
    plain = f"plain matching {number(report.plain_judged)} of the first"
    last = report.seed + report.draws - 1
    seeds = f"seed {report.seed}" if last == report.seed else f"seeds {report.seed} to {last}"
    click.echo(f"{number(report.judged)} pages of {report.site} for each of {seeds}, {plain}")
    seen = sorted(set(range(report.seed, last + 1)).intersection(SEEN_SEEDS))
    click.echo("the constants were fitted to the other half of this site's pages;")
    click.echo(f"of these seeds, {', '.join(map(str, seen)) or 'none'} had been judged before the rules were done")
    for way in report.ways:
        _show_way(way)
    click.echo(f"\n{'ms of CPU':42}{'median':>9}{'p95':>9}  goal")
    times = report.times
    for timing in times.timings:
        click.echo(f"{timing.name:42}{timing.median:9.2f}{timing.p95:9.2f}  {_timing_goal(timing)}")
    click.echo(f"the index and a comparison with all agree on {times.same:.1%} of the pages")
    click.echo("templates, all different, from " + ", ".join(f"{name} {many}" for name, many in times.sources.items()))


def _show_way(way: "Way") -> None:
    click.echo(f"\n{way.name:42}{'pages':>7}{'precision':>11}{'recall':>8}")
    for score in way.scores:
        click.echo(f"  {score.kind:40}{number(score.pages):>7}{score.precision:11.1%}{score.recall:8.1%}")
    click.echo(f"  {'on average':40}{'':7}{way.precision:11.1%}{way.recall:8.1%}{_goal(way)}")
    if len(way.draws) > 1:
        each = ", ".join(f"{precision:.0%}/{recall:.0%}" for precision, recall in way.draws)
        click.echo(f"  of each draw: {each}")
    taken = [(count, own, said) for own, row in way.mistaken.items() for said, count in row.items()]
    worst = ", ".join(f"{own} as {said} {number(count)}" for count, own, said in sorted(taken, reverse=True)[:6])
    click.echo(f"  mistaken: {worst or 'none'}")
    click.echo(f"  told by the signature alone {1 - way.by_tree:.1%}, by matching trees {way.by_tree:.1%}")


def _goal(way: "Way") -> str:
    return "" if way.goal is None else f"  goal {way.goal:.0%}: {'reached' if way.reached else 'missed'}"


def _timing_goal(timing: "Timing") -> str:
    if timing.goal is None:
        return "-"
    p95 = f", p95 {timing.goal_p95:g}" if timing.goal_p95 is not None else ""
    return f"{timing.goal:g}{p95}: {'reached' if timing.reached else 'missed'}"
