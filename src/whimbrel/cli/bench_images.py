"""`whimbrel bench images`."""

from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options

if TYPE_CHECKING:
    from whimbrel.bench.images import ImagesReport

EPILOG = f"""\b
Examples:
  whimbrel bench images
  whimbrel bench images --seed 2 --json

{exits.LIST}"""


@click.command("images", epilog=EPILOG)
@click.option("--seed", type=int, default=1, show_default=True, help="Chooses how copies are altered.")
@options.as_json
def images(seed: int, as_json: bool) -> int:
    """Shapes of pictures told, and labels that contradict them.

    Drawings of Open Clip Art and characters of the font Symbola. The exit code is 0 also where a goal is missed.
    """
    from whimbrel.cli.index import need_search

    need_search()
    from whimbrel.bench import images as bench

    with measuring.hindrances_told():
        report = bench.run(seed, measuring.say)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: "ImagesReport") -> None:
    click.echo(f"{'':44}{'numbers':>9}{'chain code':>12}")
    for what, ours, code in (
        (f"class found of {report.copies} altered copies", report.copies_found, report.copies_found_by_code),
        ("unseen pictures of the same source", report.unseen, report.unseen_by_code),
        ("glyphs, by clip art", report.other_source, report.other_source_by_code),
    ):
        click.echo(f"{what:44}{ours:9.1%}{code:12.1%}")
    click.echo(f"wrong labels flagged {report.wrong_labels_flagged:.1%}, right ones {report.right_labels_flagged:.1%}")
    click.echo(
        f"the most frequent class alone {report.chance:.1%}; {report.cpu_milliseconds:.0f} ms of CPU a picture\n"
    )
    names = list(report.confusion)
    click.echo(f"{'taken for':10}" + "".join(f"{name:>10}" for name in names))
    for name in names:
        click.echo(f"{name:10}" + "".join(f"{report.confusion[name].get(other, 0):10}" for other in names))
