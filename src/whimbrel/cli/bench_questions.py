"""`whimbrel bench questions`."""

from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import number

if TYPE_CHECKING:
    from whimbrel.bench.questions import QuestionsReport

EPILOG = f"""\b
Examples:
  whimbrel bench questions
  whimbrel bench questions --meaning --json

{exits.LIST}"""


@click.command("questions", epilog=EPILOG)
@click.option("--meaning", is_flag=True, help="Also with vectors, which the extra `meaning` brings.")
@options.work
@options.as_json
def questions(meaning: bool, work: Path | None, as_json: bool) -> int:
    """Whether questions of a manual find the pages that its answers link to.

    The pages that ask are left out. FAQs ask questions, release notes say sentences.
    """
    from whimbrel.cli.index import need_search

    need_search(meaning=meaning)
    from whimbrel.bench import questions as bench

    with measuring.workplace(work) as folder:
        report = bench.run(bench.MANUALS, folder, measuring.say, meaning=meaning)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: "QuestionsReport") -> None:
    click.echo(f"{'':26}{'questions':>10}{'MRR':>8}{'first':>8}{'in five':>9}")
    for one in report.manuals:
        name = f"{one.manual}, with vectors" if one.meaning else one.manual
        click.echo(f"{name:26}{number(one.questions):>10}{one.reciprocal_rank:8.3f}{one.first:8.1%}{one.in_five:9.1%}")
    for meaning in dict.fromkeys(one.meaning for one in report.manuals):
        unseen = report.unseen(meaning=meaning)
        if not unseen:
            continue
        mean, worst = fmean(one.reciprocal_rank for one in unseen), min(unseen, key=lambda one: one.reciprocal_rank)
        way = "with vectors" if meaning else "words alone"
        click.echo(f"{way}, manuals not chosen on: MRR {mean:.3f}, worst {worst.reciprocal_rank:.3f} ({worst.manual})")
    seen = ", ".join(dict.fromkeys(one.manual for one in report.manuals if one.seen))
    if seen:
        click.echo(f"Weights were chosen on {seen} among others.")
