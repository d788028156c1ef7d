"""`whimbrel bench structure`."""

from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import number

if TYPE_CHECKING:
    from whimbrel.bench import structure_kinds
    from whimbrel.bench.structure import StructureReport, TellingWay
    from whimbrel.bench.structure_site import LabelledSite

SITES = ("rust", "cppreference")
ALL = "all"
PAGES, PAGES_OF_EACH = 5_000, 500
DRAWS, DRAWS_OF_EACH = 5, 2
SEEN_SEEDS = (*range(1, 7), *range(11, 20), *range(21, 25), *range(41, 46), *range(51, 56), *range(61, 66))
"""Their pages were judged while the rules were made or when they were done."""

EPILOG = f"""\b
Examples:
  whimbrel bench structure
  whimbrel bench structure --of cppreference
  whimbrel bench structure --of rust --seed 2 --pages 1000 --plain-pages 0 --json

{exits.LIST}"""


@click.command("structure", epilog=EPILOG)
@click.option(
    "--of", "name", type=click.Choice((ALL, *SITES)), default=ALL, show_default=True,
    help="Every site that is installed, or one closely, with times.",
)  # fmt: skip
@click.option(
    "--site", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="A copy of that site.  [default: that of its package]",
)  # fmt: skip
@click.option(
    "--pages", type=click.IntRange(100),
    help=f"Pages to judge.  [default: {number(PAGES)} of one site, {PAGES_OF_EACH} of each of all]",
)  # fmt: skip
@click.option(
    "--plain-pages", type=click.IntRange(0), default=300, show_default=True, help="Of these also by plain matching."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Chooses the examples and the pages.")
@click.option(
    "--draws", type=click.IntRange(1),
    help=f"With this seed and the next ones.  [default: {DRAWS} of one site, {DRAWS_OF_EACH} of each of all]",
)  # fmt: skip
@options.as_json
def structure(
    name: str, site: Path | None, pages: int | None, plain_pages: int, seed: int, draws: int | None, as_json: bool
) -> int:
    """How well pages of one kind are told from others, on the documentations that are installed.

    The kind is what a page's file name says. With --of: one site, where what the markup says about the kind is taken
    out first, beside plain tree matching, and how fast. The exit code is 0 also where a goal is missed: the figures say
    so.
    """
    if name == ALL:
        return _all(pages or PAGES_OF_EACH, seed, draws or DRAWS_OF_EACH, as_json)
    from whimbrel.bench import structure as bench
    from whimbrel.bench.structure_site import NotThatSite

    plan = bench.StructureTrial(labelled_site(name, site), pages or PAGES, plain_pages, seed, draws or DRAWS)
    try:
        report = bench.run(plan, measuring.say)
    except NotThatSite as error:
        raise click.ClickException(str(error)) from error
    measuring.tell(report, bench.goals(report), _show, as_json, ways=_ways(report))
    return exits.OK


def _all(pages: int, seed: int, draws: int, as_json: bool) -> int:
    from whimbrel.bench import structure_kinds

    report = structure_kinds.run(pages, seed, draws, measuring.say)
    measuring.tell(report, report.goals, _show_all, as_json)
    return exits.OK


def _show_all(report: "structure_kinds.KindsReport") -> None:
    click.echo("precision / recall; share and meet as the first sites of the other generators choose them")
    heads = f"{'nearest':>11}{'3 examples':>12}{'1 example':>11}{'purity':>8}{'groups':>8}{'share':>6}{'meet':>6}"
    for later, words in ((False, "site"), (True, "came later")):
        click.echo(f"{words:14}{'generator':11}{'kinds':>5}{heads}")
        for one in (site for site in report.sites if site.later == later):
            told = one.told
            pairs = f"{_pair(told.nearest):>11}{_pair(told.alone):>12}{_pair(told.one):>11}"
            found = f"{told.purity:8.3f}{told.groups:7.1f}x{one.share:6.3f}{one.meet:6.2f}"
            click.echo(f"{one.site:14}{one.generator:11}{one.kinds:>5}{pairs}{found}")
    click.echo(f"the first sites together choose share {report.share:.3f} and meet {report.meet:.2f}")
    for pair in (pair for pair in report.across if pair.same_generator):
        words = f"examples of {pair.examples}, pages of {pair.pages}, {pair.kinds} kinds"
        click.echo(f"{words:58}nearest {_pair(pair.nearest)}, alone {_pair(pair.alone)}")
    if others := [pair for pair in report.across if not pair.same_generator]:
        words = f"{len(others)} pairs of sites of different generators with kinds of one name, on average"
        alone = _pair((mean(pair.alone[0] for pair in others), mean(pair.alone[1] for pair in others)))
        click.echo(f"{words}: alone {alone}")
    for package in report.absent:
        click.echo(f"left out: {package} is not installed")


def _pair(pair: tuple[float, float]) -> str:
    return f"{pair[0]:.0%}/{pair[1]:.0%}".replace("%/", "/")


def labelled_site(name: str, folder: Path | None) -> "LabelledSite":
    """The site of that name, in its package's place or in another."""
    from whimbrel.bench import cppreference, rustdoc

    known = {one.name: one for one in (rustdoc.SITE, cppreference.SITE)}[name]
    site = known if folder is None else known.at(folder)
    if not site.folder.is_dir():
        raise click.ClickException(f"{site.folder} is not there. Install {site.package}, or name a copy with --site.")
    return site


def _ways(report: "StructureReport") -> list[dict[str, object]]:
    return [{**to_builtins(way), "precision": way.precision, "recall": way.recall} for way in report.ways]


def _show(report: "StructureReport") -> None:
    plain = f"plain matching {number(report.plain_judged)} of the first"
    last = report.seed + report.draws - 1
    seeds = f"seed {report.seed}" if last == report.seed else f"seeds {report.seed} to {last}"
    click.echo(f"{number(report.judged)} pages of {report.site} for each of {seeds}, {plain}")
    seen = sorted(set(range(report.seed, last + 1)).intersection(SEEN_SEEDS))
    click.echo("the constants were fitted to the other half of this site's pages;")
    click.echo(f"of these seeds, {', '.join(map(str, seen)) or 'none'} had been judged before the rules were done")
    for way in report.ways:
        _show_way(way)
    click.echo(f"\n{'ms of CPU':42}{'median':>9}{'p95':>9}")
    times = report.times
    for timing in times.timings:
        click.echo(f"{timing.name:42}{timing.median:9.2f}{timing.p95:9.2f}")
    click.echo(f"the index and a comparison with all agree on {times.same:.1%} of the pages")
    click.echo("templates, all different, from " + ", ".join(f"{name} {many}" for name, many in times.sources.items()))


def _show_way(way: "TellingWay") -> None:
    click.echo(f"\n{way.name:42}{'pages':>7}{'precision':>11}{'recall':>8}")
    for score in way.scores:
        click.echo(f"  {score.kind:40}{number(score.pages):>7}{score.precision:11.1%}{score.recall:8.1%}")
    click.echo(f"  {'on average':40}{'':7}{way.precision:11.1%}{way.recall:8.1%}")
    if len(way.draws) > 1:
        each = ", ".join(f"{precision:.0%}/{recall:.0%}" for precision, recall in way.draws)
        click.echo(f"  of each draw: {each}")
    taken = [(count, own, said) for own, row in way.mistaken.items() for said, count in row.items()]
    worst = ", ".join(f"{own} as {said} {number(count)}" for count, own, said in sorted(taken, reverse=True)[:6])
    click.echo(f"  mistaken: {worst or 'none'}")
    click.echo(f"  told by the signature alone {1 - way.by_tree:.1%}, by matching trees {way.by_tree:.1%}")
