"""`whimbrel bench timelines`."""

from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from whimbrel.bench import timelines as bench
from whimbrel.bench.timelines import TimelinesReport
from whimbrel.cli import exits, measuring, options

DATA = Path("../shared/data/timelines")


@click.command("timelines", epilog=exits.LIST)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=DATA, metavar="[FOLDER]")
@options.work
@options.as_json
def timelines(folder: Path, work: Path | None, as_json: bool) -> int:
    """Real pages through time, visited as a refresh visits them: changes told at their step, and alarms without one.

    FOLDER holds a file of JSON lines for each page, SERVICE-PAGE.jsonl.xz.
    """
    if not folder.is_dir():
        raise click.ClickException(f"{folder} holds no timelines; name a folder that does")
    with measuring.workplace(work) as place:
        report = bench.run(folder, place, measuring.say)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: TimelinesReport) -> None:
    console = Console(highlight=False, width=max(120, Console().width))
    methods = list(dict.fromkeys(score.method for score in report.scores))
    title = f"{report.pages} pages: changes found, alarms on unchanged steps"
    table = Table(box=None, title=title, title_justify="left")
    table.add_column("service")
    for method in methods:
        table.add_column(method, justify="right")
    for service in dict.fromkeys(score.service for score in report.scores):
        row = [score for score in report.scores if score.service == service]
        table.add_row(service, *(f"{s.found}/{s.changes}  {s.alarms}/{s.unchanged}" for s in row))
    for name, choose in (("mean", _mean), ("worst", _worst)):
        rows = [[s for s in report.scores if s.method == method and s.service != "all"] for method in methods]
        table.add_row(name, *(choose([s.recall for s in some], [s.alarmed for s in some]) for some in rows))
    console.print(table)
    console.print(f"told late, because it stayed: {report.late}; states kept: {report.versions}")
    for line in (*report.mistakes, *report.missing):
        console.print(line, soft_wrap=True)


def _mean(found: list[float], alarms: list[float]) -> str:
    return f"{sum(found) / len(found):.1%}  {sum(alarms) / len(alarms):.2%}"


def _worst(found: list[float], alarms: list[float]) -> str:
    return f"{min(found):.1%}  {max(alarms):.2%}"
