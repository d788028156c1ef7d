"""`whimbrel bench harvest`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.bench_structure import SITES, labelled_site
from whimbrel.cli.words import number

if TYPE_CHECKING:
    from whimbrel.bench.harvest import HarvestReport

EPILOG = f"""\b
Examples:
  whimbrel bench harvest
  whimbrel bench harvest --of cppreference --kind keyword --kind header --seed 2 --json

{exits.LIST}"""


@click.command("harvest", epilog=EPILOG)
@click.option("--of", "name", type=click.Choice(SITES), default=SITES[0], show_default=True, help="Which site.")
@click.option(
    "--site", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="A copy of that site.  [default: that of its package]",
)  # fmt: skip
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only these kinds.  [default: all]")
@click.option("--seed", type=int, default=1, show_default=True, help="Chooses the examples.")
@options.as_json
def harvest(name: str, site: Path | None, kinds: tuple[str, ...], seed: int, as_json: bool) -> int:
    """How many other pages a crawl for one kind of page fetches.

    Ours, breadth first and an oracle walk the links of the same files until four fifths of the kind are found. The
    exit code is 0 also where a goal is missed: the figures say so.
    """
    from whimbrel.bench import harvest as bench
    from whimbrel.bench.structure_site import NotThatSite

    whole = labelled_site(name, site)
    unknown = [kind for kind in kinds if kind not in whole.kinds]
    if unknown:
        raise click.UsageError(f"{name} has no kind {unknown[0]}; it has {', '.join(whole.kinds)}.")
    try:
        report = bench.run(whole, seed, measuring.say, kinds)
    except NotThatSite as error:
        raise click.ClickException(str(error)) from error
    measuring.tell(report, bench.goals(report), _show, as_json, **_worked_out(report))
    return exits.OK


def _worked_out(report: "HarvestReport") -> dict[str, object]:
    harvests = [
        {
            **to_builtins(one), "ratio": one.ratio,
            "shares": {"ours": one.ours.share, "breadth": one.breadth.share, "oracle": one.oracle.share},
        }
        for one in report.harvests
    ]  # fmt: skip
    return {"harvests": harvests, "ratio": report.ratio, "ratio_of_all": report.ratio_of_all}


def _show(report: "HarvestReport") -> None:
    click.echo(f"{report.site}: {number(report.reachable)} pages that links lead to, examples by seed {report.seed}\n")
    click.echo(f"{'pages fetched until 80 % are found':36}{'ours':>16}{'breadth first':>16}{'oracle':>16}{'ratio':>8}")
    for one in report.harvests:
        crawls = "".join(
            f"{number(crawl.fetched):>8}{crawl.share:8.1%}" for crawl in (one.ours, one.breadth, one.oracle)
        )
        click.echo(f"  {one.kind:20}{number(one.pages):>10} of it {crawls}{one.ratio:8.2f}  (at most {one.most:.2f})")
    click.echo(f"  mean share of ours over breadth first's, where twice is possible: {report.ratio:.2f}")
    click.echo(f"  the same over all kinds: {report.ratio_of_all:.2f}")
    click.echo(f"\n{'what the judge said of the fetched pages':42}{'precision':>10}{'recall':>10}")
    for one in report.harvests:
        click.echo(f"  {one.kind:40}{one.right:10.1%}{one.recognised:10.1%}")
    click.echo(f"\n{'ms of CPU a page':42}{'median':>10}{'p95':>10}")
    for cost in report.costs:
        click.echo(f"  {cost.name:40}{cost.median:10.2f}{cost.p95:10.2f}")
    click.echo(f"the largest request that travelled: {number(report.request_bytes)} bytes")
