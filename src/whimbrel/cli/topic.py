"""`whimbrel topic`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec import to_builtins

from whimbrel.cli import exits, options
from whimbrel.cli.lines import say
from whimbrel.cli.words import harmless, number

if TYPE_CHECKING:
    from whimbrel.api.topics import TopicView

EPILOG = f"""\b
Examples:
  whimbrel topic "event loop"
  whimbrel topic "event loop" --save loop.toml
  whimbrel topic --terms loop.toml
  whimbrel crawl https://docs.example.org --terms loop.toml

{exits.LIST}"""
SHOWN = 20


@click.command(epilog=EPILOG)
@click.argument("subject", metavar="[WORDS]", default="")
@click.option("--examples", multiple=True, metavar="URL", help="A kept page that shows the topic (repeatable).")
@click.option("--terms", metavar="FILE", help="Keywords that you have edited.")
@click.option(
    "--save", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write the keywords here."
)
@options.repo
@options.as_json
def command(
    subject: str, examples: tuple[str, ...], terms: str | None, save: Path | None, repo: Path | None, as_json: bool
) -> int:
    """Show a topic as a crawl for it would see it, and what each of its keywords keeps of what is here.

    The pages that show it are those given, or the best answers of the folder's index. Nothing is fetched.
    """
    from whimbrel.cli.folder import folder_of
    from whimbrel.cli.index import caught_up, need_search

    if not subject and not terms:
        raise click.UsageError('say what it is about, like: whimbrel topic "solar power"')
    need_search()
    from whimbrel import api
    from whimbrel.api.topics import view
    from whimbrel.config import load
    from whimbrel.topic.termfile import written

    folder = folder_of(repo)
    for note in caught_up(folder):
        say(f"note: {harmless(note)}", err=True, fg="yellow")
    settings = load(None, {}, api.flags_of({"subject": subject or None, "examples": list(examples), "terms": terms}))
    try:
        found = view(folder, settings)
    except api.SeedError as error:
        raise click.ClickException(harmless(str(error))) from error
    if save is not None:
        save.write_text(written(found.tables, settings.topic.threshold), "utf-8")
        click.echo(f"{save} holds {len(found.tables.keywords)} keywords; edit it, then --terms {save}", err=True)
    if as_json:
        click.echo(json.dumps(to_builtins(found), ensure_ascii=False))
    else:
        _show(found)
    return exits.OK


def _show(found: "TopicView") -> None:
    made = found.tables
    say(f"D-table: {number(len(made.d_table))} terms of {number(found.seeds)} pages", bold=True)
    click.echo(
        "  " + (", ".join(f"{harmless(one.word)} {one.frequency:.3f}" for one in made.d_table[:SHOWN]) or "none")
    )
    say("combination table: what stands for a keyword or goes with it", bold=True)
    for word, others in made.combination.items():
        click.echo(f"  {harmless(word)}: {harmless(', '.join(others))}")
    if not made.combination:
        click.echo("  nothing is known to go with them")
    say("keyword table, which travels with the migrants", bold=True)
    say(f"  {'keyword':22} {'weight':>6} {'pages':>6} {'keeps':>6} {'drops':>6}  related to", dim=True)
    for one in found.effects:
        click.echo(
            f"  {harmless(one.word)[:22]:22} {one.weight:6.2f} {number(one.pages):>6} {number(one.keeps):>6} "
            f"{number(one.drops):>6}  {harmless(one.of)}"
        )
    say(
        f"Of {number(found.read)} pages here {number(found.kept)} would be kept ({found.threshold:.3f} is needed). "
        "keeps, drops: pages that only this keyword keeps, or keeps out.", dim=True,
    )  # fmt: skip
