"""`whimbrel bench readers`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, measuring, options
from whimbrel.cli.words import number

if TYPE_CHECKING:
    from whimbrel.bench.readers import ReadersReport
    from whimbrel.bench.readers_interleaving import Preferred

EPILOG = f"""\b
Examples:
  whimbrel bench readers
  whimbrel bench readers --site /usr/share/doc/postgresql-doc-15/html --events 0      only what it is worth
  whimbrel bench readers --seed 7 --json

{exits.LIST}"""


@click.command("readers", epilog=EPILOG)
@click.option(
    "--site", "sites", type=click.Path(path_type=Path, file_okay=False), multiple=True, metavar="DIR",
    help="A folder of HTML pages (repeatable).  [default: openjdk-17-doc and postgresql-doc-15]",
)  # fmt: skip
@click.option("--questions", type=click.IntRange(2), default=30, show_default=True, help="Questions of each site.")
@click.option(
    "--events", type=click.IntRange(0), default=200_000, show_default=True,
    help="Notes sent over HTTP; 0 measures none of the costs.",
)  # fmt: skip
@click.option("--seed", type=int, default=1, show_default=True, help="Chooses the questions and the readers.")
@options.work
@options.as_json
def readers(sites: tuple[Path, ...], questions: int, events: int, seed: int, work: Path | None, as_json: bool) -> int:
    """What ranking by readers is worth, on simulated readers, and what it costs.

    The readers and what they wish for are made up and known; questions and answers are those of real manuals. All of it
    takes some fifteen minutes of one core. The exit code is 0 also where a goal is missed: the figures say so.
    """
    from whimbrel.cli.index import need_search

    need_search()
    from whimbrel.bench import readers as bench

    with measuring.workplace(work) as folder:
        plan = bench.ReadersTrial(sites or bench.DEFAULT_SITES, questions, seed, events, folder)
        report = bench.run(plan, measuring.say)
    measuring.tell(report, bench.goals(report), _show, as_json)
    return exits.OK


def _show(report: "ReadersReport") -> None:
    from whimbrel.bench.readers import MANY
    from whimbrel.bench.readers_judging import WAYS

    click.echo(
        f"seed {report.seed}, reader_weight {report.weight:g}; a page is tried elsewhere in {report.explore:.0%}"
        " of the answers"
    )
    click.echo(f"\nAfter {MANY} looks at each question: γ of plain counts and of ours, and nDCG@10")
    click.echo(f"{'':62}{'counts':>8}{'ours':>7}" + "".join(f"{way:>16}" for way in WAYS))
    for one in [*report.worlds, *report.at_random]:
        if one.looks == MANY:
            scores = "".join(f"{one.ndcg[way].mean:10.3f} ±{one.ndcg[way].within:.2f}" for way in WAYS)
            click.echo(f"{f'{one.site}: {one.world.name}':62}{one.raw:8.3f}{one.ours:7.3f}{scores}")
    click.echo(f"\nThe same where the order follows the readers: γ of plain counts and of ours after {MANY} looks")
    for one in report.following:
        click.echo(f"{f'{one.site}: {one.world.name}':62}{one.raw:8.3f}{one.ours:7.3f}")
    click.echo("\nStars of what was opened, with the loop off and on (95 % intervals)")
    for loop in report.loops:
        off, on = (f"{each.mean:.2f} ±{each.within:.2f}" for each in (loop.off, loop.on))
        click.echo(f"{f'{loop.site}: {loop.world.name}':62}{off:>14}{on:>14}  n {number(loop.on.n)}")
    click.echo("\nLooks won by the order with a weight, less those won by the order without (team draft)")
    _show_preferred("worlds to choose with", report.tried)
    _show_preferred("worlds to judge by", report.judged)
    click.echo(f"chosen: {report.chosen_weight:g}")
    if report.taken is not None:
        taken = report.taken
        click.echo(
            f"\n{number(taken.events)} notes of {taken.readers} readers over HTTP: {taken.cpu_seconds:.1f} s of CPU,"
            f" {number(round(taken.a_cpu_second))} a second of it; {taken.seconds:.1f} s in all"
        )


def _show_preferred(words: str, preferred: "list[Preferred]") -> None:
    for each in preferred:
        click.echo(
            f"{words:26}{each.weight:6g}{each.won.mean:+9.3f} ±{each.won.within:.3f}  n {number(each.won.n)}"
            + (f"  lost to chance {each.lost:.4f}" if each.lost else "")
        )
