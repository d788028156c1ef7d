"""`whimbrel bench questions`."""

import json
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from whimbrel.cli import exits, options
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
@click.option("--work", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Where to work.")
@options.as_json
def questions(meaning: bool, work: Path | None, as_json: bool) -> int:
    """Whether questions of a manual find the pages that its answers link to.

    The pages that ask are left out. Python's FAQ asks questions, PostgreSQL's release notes say sentences.
    """
    from whimbrel.cli.index import need_search

    need_search(meaning=meaning)
    from whimbrel.bench import questions as bench
    from whimbrel.bench.machine import MissingTool

    try:
        with tempfile.TemporaryDirectory(prefix="whimbrel-bench-", dir=work) as folder:
            say = partial(click.echo, err=True)
            report = bench.run(bench.MANUALS, Path(folder), say, meaning=meaning)
    except (MissingTool, OSError) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        click.echo(json.dumps({**to_builtins(report), "goals": to_builtins(bench.goals(report))}))
    else:
        _show(report)
    return exits.OK


def _show(report: "QuestionsReport") -> None:
    from whimbrel.bench.goals import lines
    from whimbrel.bench.questions import goals

    click.echo(f"{'':26}{'questions':>10}{'MRR':>8}{'first':>8}{'in five':>9}")
    for one in report.manuals:
        name = f"{one.manual}, with vectors" if one.meaning else one.manual
        click.echo(f"{name:26}{number(one.questions):>10}{one.reciprocal_rank:8.3f}{one.first:8.1%}{one.in_five:9.1%}")
    seen = ", ".join(dict.fromkeys(one.manual for one in report.manuals if one.seen))
    click.echo(f"Weights were chosen on {seen} among others.")
    for line in lines(goals(report)):
        click.echo(line)
