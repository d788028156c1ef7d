"""`whimbrel bench relevance`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import number

if TYPE_CHECKING:
    from whimbrel.bench.relevance import RelevanceReport

EPILOG = f"""\b
Examples:
  whimbrel bench relevance
  whimbrel bench relevance --set my-collection.jsonl.gz --json

{exits.LIST}"""


@click.command("relevance", epilog=EPILOG)
@click.option(
    "--set", "paths", type=click.Path(path_type=Path, dir_okay=False), multiple=True, metavar="FILE",
    help="A collection, gzipped JSON lines; repeatable.  [default: those under ../shared/data/relevance]",
)  # fmt: skip
@click.option("--meaning", is_flag=True, help="Also with vectors, which the extra `meaning` brings.")
@options.work
@options.as_json
def relevance(paths: tuple[Path, ...], meaning: bool, work: Path | None, as_json: bool) -> int:
    """How well questions are answered, beside BM25.

    Documents of collections with judged answers are served as pages, crawled, indexed and asked for over HTTP.
    """
    from whimbrel.cli.index import need_search

    need_search(meaning=meaning)
    from whimbrel.bench import relevance as bench
    from whimbrel.bench import relevance_sets as sets

    chosen = paths or tuple(sets.SHARED / f"{name}.jsonl.gz" for name in sets.NAMES)
    absent = [str(path) for path in chosen if not path.is_file()]
    if absent:
        raise click.ClickException(f"{', '.join(absent)}: not there. Name collections with --set.")
    with measuring.workplace(work) as folder:
        report = bench.run(chosen, folder, measuring.say, meaning=meaning)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: "RelevanceReport") -> None:
    click.echo(f"nDCG@10     {'documents':>10}{'questions':>10}{'ours':>8}{'BM25':>8}{'no answer':>11}{'vectors':>9}")
    for one in report.collections:
        click.echo(
            f"{one.name:12}{number(one.documents):>10}{number(one.questions):>10}{one.ours:8.3f}{one.bm25:8.3f}"
            f"{one.unanswered:11}{_figure(one.meaning):>9}"
        )
    click.echo(f"{'on average':32}{report.ours:8.3f}{report.bm25:8.3f}{'':11}{_figure(report.meaning):>9}")
    click.echo(f"Weights were chosen on {report.tuned_on}.")


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
