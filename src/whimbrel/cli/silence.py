"""`whimbrel silence`."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, options
from whimbrel.cli.words import harmless

if TYPE_CHECKING:
    from whimbrel.flows.attention.book import AttentionBook, Reach, Silence
    from whimbrel.repository.port.reader import Reader

EPILOG = f"""\b
Examples:
  whimbrel silence
  whimbrel silence 019a95c1f2b-0a1b2c3d
  whimbrel silence 019a95c1f2b-0a1b2c3d --place 2 --everywhere
  whimbrel silence https://docs.example.org/terms
  whimbrel silence --undo 3

\b
`whimbrel changes --json` gives the ids; so does the changes room of
`whimbrel serve`, where it is a click.

{exits.LIST}"""


@click.command(epilog=EPILOG)
@click.argument("what", required=False, metavar="[CHANGE|URL]")
@click.option("--place", "places", type=click.IntRange(1), multiple=True, metavar="N",
              help="Only this place of the change, of those that are listed; may be repeated.")  # fmt: skip
@click.option("--everywhere", is_flag=True, help="The same place on all pages of the site.")
@click.option("--undo", type=int, metavar="N", help="Tell of it again.")
@options.repo
@options.as_json
def command(
    what: str | None, places: tuple[int, ...], everywhere: bool, undo: int | None, repo: Path | None, as_json: bool
) -> int:
    """Do not be told of a change again, or of anything that happens to a page.

    The place is noise from then on: refreshes keep the page and tell nothing, and what was told of it before is listed
    no more, by changes, in feeds, notices, webhooks and the browser alike. What is new in kind there is told all the
    same. Taken back, earlier changes are listed again, and what is still there is told at the next visit.
    """
    from whimbrel.cli.folder import folder_of
    from whimbrel.flows.attention.book import AttentionBook
    from whimbrel.repository.engines import open_reader

    if undo is not None and (what or places or everywhere):
        raise click.UsageError("--undo takes the number of a silence and nothing else.")
    if what is None and (places or everywhere):
        raise click.UsageError("say which change: `whimbrel changes --json` names each by its id.")
    folder = folder_of(repo)
    with open_reader(folder) as reader, AttentionBook(folder) as book:
        if undo is not None:
            _undo(book, undo, as_json)
        elif what is None:
            _list(book, as_json)
        else:
            number = _silence(reader, book, what, places, "everywhere" if everywhere else "place")
            said = next(one for one in book.silences() if one.number == number)
            _say(said, as_json, "silenced")
    return exits.OK


def _silence(reader: "Reader", book: "AttentionBook", what: str, places: tuple[int, ...], reach: "Reach") -> int:
    from whimbrel.cli.folder import url_of
    from whimbrel.flows.telling.silencing import offered, silence, told_by
    from whimbrel.repository.contract import NothingThere

    if "/" in what:
        url = url_of(what)
        if places or reach != "place":
            raise click.UsageError("a URL silences the whole page: leave --place and --everywhere out.")
        listed = reader.one(url)
        if listed is None:
            raise NothingThere(f"{url} is not known here.")
        return book.silence(url, listed.title, "page", ["whatever happens to this page"], {}, time.time())
    told = told_by(reader, what)
    if isinstance(told, str):
        raise NothingThere(told)
    offer = offered(reader, told)
    number = silence(book, offer, places, reach, time.time())
    if isinstance(number, str):
        raise click.UsageError(f"{number} {told.url}" if not offer.places else number)
    return number


def _undo(book: "AttentionBook", number: int, as_json: bool) -> None:
    from whimbrel.repository.contract import NothingThere

    taken = book.undo(number)
    if taken is None:
        raise NothingThere(f"there is no silence {number}; `whimbrel silence` lists those there are")
    _say(taken, as_json, "told again")


def _list(book: "AttentionBook", as_json: bool) -> None:
    silences = book.silences()
    for one in silences:
        _say(one, as_json)
    if not silences and not as_json:
        click.echo("Nothing is silenced.")


def _say(one: "Silence", as_json: bool, done: str = "") -> None:
    if as_json:
        said = {"number": one.number, "at": one.at, "url": one.url, "reach": one.reach, "said": list(one.said)}
        click.echo(json.dumps(said | ({"done": done} if done else {}), ensure_ascii=False))
        return
    where = " and all pages of its site" if one.reach == "everywhere" else ""
    click.echo(f"{done + ' ' if done else ''}{one.number}  {harmless(one.url)}{where}")
    for line in one.said:
        click.echo(f"   {harmless(line)}")
