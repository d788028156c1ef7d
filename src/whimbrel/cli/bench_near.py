"""`whimbrel bench near`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import number, size

if TYPE_CHECKING:
    from whimbrel.bench.near import NearReport, NearScore, Real

RELEASES = Path("../shared/data/site-versions")
"""Where a checkout for developers has releases of a manual."""

EPILOG = f"""\b
Examples:
  whimbrel bench near
  whimbrel bench near --documents 50000 --json

{exits.LIST}"""


@click.command("near", epilog=EPILOG)
@click.option(
    "--site", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
    help="HTML pages that give the words.  [default: the API of openjdk-17-doc]",
)  # fmt: skip
@click.option("--documents", type=click.IntRange(100), default=1_000_000, show_default=True, help="How many to make.")
@click.option(
    "--peer-documents",
    type=click.IntRange(0),
    default=20_000,
    show_default=True,
    help="Of these SimHash judges so many.",
)
@click.option("--real-pages", type=click.IntRange(0), default=3_000, show_default=True, help="Real pages to compare.")
@click.option(
    "--copies",
    type=click.IntRange(0),
    default=800,
    show_default=True,
    help="Pages of each release of real manuals to compare; 0 leaves them out.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Chooses the real pages.")
@options.as_json
def near(
    site: Path | None, documents: int, peer_documents: int, real_pages: int, copies: int, seed: int, as_json: bool
) -> int:
    """How well and how cheaply near-duplicates are found.

    Documents are made from the words of real pages, with edited copies and with siblings that are no copies. The exit
    code is 0 also where a goal is missed: the figures say so.
    """
    from whimbrel.bench import crawl
    from whimbrel.bench import near as bench

    folder = site or crawl.SITE
    if not folder.is_dir():
        raise click.ClickException(
            f"{folder} is not there. Install {crawl.SITE_PACKAGE}, or name HTML pages with --site."
        )
    plan = bench.NearTrial(folder, documents, peer_documents, real_pages, seed, copies, RELEASES)
    try:
        report = bench.run(plan, measuring.say)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: "NearReport") -> None:
    from whimbrel.bench.near_documents import EDITS

    click.echo(f"{number(report.ours.documents)} documents of {report.words:.0f} words on average\n")
    edits = "".join(f"{share:>8.0%}" for share in EDITS)
    click.echo(f"{'':30}{'documents':>10}{'linked':>9}{'precision':>11}{'ms':>8}   recall at edited words{'':4}")
    click.echo(f"{'':68}{edits}")
    for found in filter(None, (report.ours, report.simhash)):
        _show_found(found)
    stages = ", ".join(f"{stage} {spent:.3f}" for stage, spent in report.stages.items())
    click.echo(f"\nCPU ms a document: {stages} (making the text not counted)")
    click.echo(
        f"memory: index {size(report.index_bytes)}; the process grew by {size(report.growth_bytes)} resident, "
        f"by {size(report.peak_bytes)} at its largest"
    )
    sketches = ", ".join(f"{name} {spent:.3f}" for name, spent in report.sketches_ms.items())
    missing = "" if "rensa" in report.sketches_ms else " (rensa is not installed)"
    click.echo(f"sketch of a real page, CPU ms: {sketches}{missing}")
    if report.real is not None:
        _show_real(report.real)
    _show_copies(report)


def _show_found(found: "NearScore") -> None:
    from whimbrel.bench.near_documents import EDITS

    recall = "".join(f"{found.recall(share):8.1%}" for share in EDITS)
    click.echo(
        f"{found.name:30}{number(found.documents):>10}{number(found.linked):>9}{found.precision:11.2%}"
        f"{found.milliseconds:8.3f}{recall}"
    )


def _show_real(real: "Real") -> None:
    click.echo(
        f"{number(real.pages)} real pages of {real.site}: {number(real.linked)} linked, "
        f"{number(real.wrong)} to a page of another file name"
    )
    for example in real.examples:
        click.echo(f"  {example}")


def _show_copies(report: "NearReport") -> None:
    if report.copies:
        click.echo("\nThe same pages in two releases; right where all that is seen is alike to 0.6, 0.8")
        click.echo(f"{'':42}{'pages':>7}{'linked':>8}{'right':>9}{'':>9}{'elsewhere':>11}{'pairs':>7}{'recall':>9}")
    for copies in report.copies:
        clearly = copies.clearly_right / copies.linked if copies.linked else 1.0
        click.echo(
            f"{copies.name:42}{number(copies.pages):>7}{number(copies.linked):>8}{copies.precision:9.2%}{clearly:9.2%}"
            f"{number(copies.elsewhere):>11}{number(copies.pairs):>7}{copies.recall:9.1%}"
        )
    if report.copies:
        recalls = [copies.recall for copies in report.copies]
        click.echo(f"recall: mean {sum(recalls) / len(recalls):.1%}, worst {min(recalls):.1%}")
    for absent in report.absent:
        click.echo(f"absent: {absent}")
