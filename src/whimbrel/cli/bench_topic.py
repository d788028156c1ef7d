"""`whimbrel bench topic`."""

from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import number

if TYPE_CHECKING:
    from whimbrel.bench.topic import TopicReport

NAMES = ("python", "postgresql", "linux")

EPILOG = f"""\b
Examples:
  whimbrel bench topic
  whimbrel bench topic --of python --topics 1 --json
  whimbrel bench topic --of python --of postgresql --turns 7

{exits.LIST}"""


@click.command("topic", epilog=EPILOG)
@click.option("--of", "names", type=click.Choice(NAMES), multiple=True, help="Only these sites.  [default: all]")
@click.option(
    "--topics", type=click.IntRange(1), default=6, show_default=True, metavar="N", help="Topics of a site, at most."
)
@click.option("--seed", type=int, default=1, show_default=True, help="Draws topics and the pages that show them.")
@click.option(
    "--turns",
    type=click.IntRange(0, 100),
    default=3,
    show_default=True,
    help="Crawls of each site, plain and for a topic by turns, for the CPU time of a page; 0: none.",
)
@options.work
@options.as_json
def topic(names: tuple[str, ...], topics: int, seed: int, turns: int, work: Path | None, as_json: bool) -> int:
    """How much of a topic a crawl for it finds early, for each strategy and scorer, beside breadth first.

    On three documentations whose own tables of contents say what belongs to which subject; and what judging adds to the
    CPU time of a page. The exit code is 0 also where a goal is missed: the figures say so.
    """
    from whimbrel.cli.index import need_search

    need_search()
    from whimbrel.bench import topic as bench
    from whimbrel.bench.topic_sites import SITES

    sites = [site for site in SITES if not names or site.name in names]
    with measuring.workplace(work) as folder:
        report = bench.run(sites, seed, topics, measuring.say, turns=turns, work=folder)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: "TopicReport") -> None:
    for name, pages in report.sites:
        click.echo(f"{name}: {number(pages)} pages that links lead to")
    for package in report.absent:
        click.echo(f"left out: {package} is not installed")
    if not report.topics:
        return
    click.echo(f"\nrecall after a quarter of the pages{'pages':>23}{'breadth':>9}{'learned':>9}{'words alone':>13}")
    for topic in report.topics:
        by_way = {(run.strategy, run.scorer, run.examples): run.recall[1] for run in topic.runs}
        ours, alone = by_way.get(("learned", "learned", 3), 0.0), by_way.get(("learned", "learned", 0), 0.0)
        words = f"{topic.site}: {topic.title}"[:50]
        click.echo(f"{words:50}{topic.pages:8}{topic.breadth[1]:9.2f}{ours:9.2f}{alone:13.2f}")
    heads = f"{'recall at 10':>14}{'25':>6}{'50 %':>7}{'worst':>7}{'harvest at 25 %':>17}{'right':>7}{'taken':>7}"
    click.echo(f"\n{'on average':24}{heads}")
    breadth = [mean(topic.breadth[at] for topic in report.topics) for at in range(3)]
    worst = min(topic.breadth[1] for topic in report.topics)
    click.echo(f"{'breadth first, no judge':24}{breadth[0]:14.2f}{breadth[1]:6.2f}{breadth[2]:7.2f}{worst:7.2f}")
    for at, first in enumerate(report.topics[0].runs):
        runs = [topic.runs[at] for topic in report.topics]
        recall = [mean(run.recall[share] for run in runs) for share in range(3)]
        shown = "" if first.examples else ", words alone"
        click.echo(
            f"{f'{first.strategy}, {first.scorer}{shown}':24}{recall[0]:14.2f}{recall[1]:6.2f}{recall[2]:7.2f}"
            f"{min(run.recall[1] for run in runs):7.2f}{mean(run.harvest[1] for run in runs):17.2f}"
            f"{mean(run.right for run in runs):7.2f}{mean(run.recognised for run in runs):7.2f}"
        )
    click.echo("right: of what the judge took for relevant; taken: of what was relevant and fetched")
    click.echo(f"judging takes {report.cpu_ms:.2f} ms of CPU a page, text and links read before")
    for cost in report.costs:
        click.echo(
            f"{cost.site}, “{cost.title}”: {cost.plain_ms:.2f} ms of CPU a page plain, {cost.topic_ms:.2f} for "
            f"the topic ({cost.added:+.0%}); beside {cost.plain_once:.2f} and {cost.topic_once:.2f} s spent once"
        )
    click.echo("\nleft out as topics:")
    for site, one in report.left_out:
        click.echo(f"  {site}: {one.title} ({one.pages} pages), {one.why}")
