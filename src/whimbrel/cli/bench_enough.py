"""`whimbrel bench enough`."""

from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import number

if TYPE_CHECKING:
    from whimbrel.bench.enough import EnoughReport, VisitsMade

SITES = ("commons-lang", "eigen")
EPILOG = f"""\b
Examples:
  whimbrel bench enough
  whimbrel bench enough --of batteries --draws 6 --seed 2 --json

{exits.LIST}"""


@click.command("enough", epilog=EPILOG)
@click.option("--of", "names", multiple=True, metavar="SITE", help=f"Which sites.  [default: {', '.join(SITES)}]")
@click.option("--draws", type=click.IntRange(1), default=3, show_default=True, help="Questions asked of each site.")
@click.option("--seed", type=int, default=1, show_default=True, help="Chooses the questions.")
@options.as_json
def enough(names: tuple[str, ...], draws: int, seed: int, as_json: bool) -> int:
    """Whether "not enough" brings the pages that were missed, and which others.

    Parts of real sites are crawled and asked; a wish of each answer is granted by a crawl, and what it brings is held
    against what the site's generator says of it. The exit code is 0 also where a goal is missed: the figures say so.
    """
    from whimbrel.bench import enough as bench
    from whimbrel.bench.structure_site import NotThatSite
    from whimbrel.cli.index import need_search

    need_search()
    unknown = [name for name in names if name not in bench.names()]
    if unknown:
        raise click.UsageError(f"there is no site {unknown[0]} here; there are {', '.join(bench.names())}.")
    try:
        with measuring.hindrances_told():
            report = bench.run(names or SITES, draws, seed, measuring.say)
    except NotThatSite as error:
        raise click.ClickException(str(error)) from error
    figures = [{"site": site.site, "precision": site.precision, "recall": site.recall} for site in report.sites]
    measuring.tell(report, bench.goals(report), _show, as_json, figures=figures)
    return exits.OK


def _show(report: "EnoughReport") -> None:
    for site in report.sites:
        click.echo(
            f"{site.site} ({site.generator}): {number(site.reachable)} pages that links lead to, seed {report.seed}"
        )
        click.echo(f"  {'question, kinds of its best answers':58}{'precision':>10}{'recall':>8}{'missing':>9}")
        for draw in site.draws:
            asked = f"{draw.query[:30]}: {', '.join(draw.kinds)}"
            click.echo(f"  {asked[:57]:58}{draw.precision:10.1%}{draw.recall:8.1%}{number(draw.missing):>9}")
            _tell("wish", draw.ours)
            _tell("plain crawl", draw.plain)
        click.echo(f"  {'mean':58}{site.precision:10.1%}{site.recall:8.1%}\n")


def _tell(name: str, made: "VisitsMade") -> None:
    counts = {"fitting": made.fitting, "stray": made.stray, "untold": made.untold, "dead": made.dead}
    told = ", ".join(f"{count} {what}" for what, count in (counts | {"redundant": made.redundant}).items())
    click.echo(f"    {name:14}{number(made.visits):>6} visits: {told}")
