"""`whimbrel diff`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, options
from whimbrel.cli.words import harmless

if TYPE_CHECKING:
    from whimbrel.change.version import Version as Compared
    from whimbrel.flows.differing import Paragraph
    from whimbrel.records.url import Url
    from whimbrel.repository.embedded.reader import Reader
    from whimbrel.repository.views import Version

EPILOG = f"""\b
Examples:
  whimbrel diff https://docs.example.org/terms
  whimbrel diff https://docs.example.org/terms 1 3
  whimbrel diff https://docs.example.org/terms --html terms.html

Versions are counted from 1, the oldest that is kept; -1 is the newest.

{exits.LIST}"""

_STYLES = {" ": "", "-": "red strike", "+": "green"}
_MARKS = {" ": "", "-": "-", "+": "+"}


@click.command(epilog=EPILOG, context_settings={"ignore_unknown_options": True})
@click.argument("url", metavar="URL")
@click.argument("first", type=int, required=False, metavar="[V1")
@click.argument("second", type=int, required=False, metavar="V2]")
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write a web page.")
@click.option("--all", "everything", is_flag=True, help="Also show the paragraphs that stayed.")
@options.repo
@options.as_json
def command(
    url: str, first: int | None, second: int | None, html: Path | None, everything: bool, repo: Path | None,
    as_json: bool,
) -> int:  # fmt: skip
    """Show what differs between two kept versions of a page, by paragraph: the last two unless others are named."""
    from whimbrel.cli.folder import folder_of, moment, url_of
    from whimbrel.flows.differing import page, paragraphs
    from whimbrel.repository.embedded.reader import Reader

    named = url_of(url)
    with Reader(folder_of(repo)) as reader:
        versions = reader.versions(named)
        before = _chosen(versions, first if first is not None else -2, named, reader)
        after = _chosen(versions, second if second is not None else -1, named, reader)
        old, new = _read(reader, named, before), _read(reader, named, after)
    shown = [one for one in paragraphs(old, new) if everything or one.sign != "same"]
    if html is not None:
        names = (f"{moment(before.at)} UTC", f"{moment(after.at)} UTC")
        html.write_text(page(named, names, shown), encoding="utf-8")
        click.echo(f"{html} written", err=True)
    elif as_json:
        for one in shown:
            words = [{"sign": run.sign, "text": run.text} for run in one.words]
            click.echo(json.dumps({"sign": one.sign, "place": one.place, "words": words}))
    else:
        _show(shown, f"{moment(before.at)} → {moment(after.at)} UTC")
    return exits.OK


def _chosen(versions: "list[Version]", number: int, url: "Url", reader: "Reader") -> "Version":
    from whimbrel.repository.contract import NothingThere

    if not versions:
        raise NothingThere(f"no copy of {url} is kept in {reader.folder}. `whimbrel pages --match RE` finds what is.")
    place = number - 1 if number > 0 else len(versions) + number
    if not 0 <= place < len(versions) or number == 0:
        kept = "one version is" if len(versions) == 1 else f"{len(versions)} versions are"
        raise NothingThere(f"{kept} kept of {url}: there is no version {number} to compare.")
    return versions[place]


def _read(reader: "Reader", url: "Url", version: "Version") -> "Compared":
    from whimbrel.flows.copies import kept_copy
    from whimbrel.repository.contract import RepositoryError

    copy = kept_copy(reader.body(url, version))
    if copy is None:
        raise RepositoryError(f"the kept copy of {url} cannot be decoded; restore the folder from a copy.")
    if not version.mime.startswith(("text/", "application/xhtml")):
        raise click.ClickException(f"{url} is {version.mime}: only pages and texts can be compared by paragraph.")
    return copy.version()


def _show(shown: "list[Paragraph]", heading: str) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    console.print(heading, style="dim", markup=False)
    if not shown:
        console.print("the words are the same")
    for one in shown:
        console.print(Text(harmless(one.place), style="dim"), soft_wrap=True)
        line = Text("  ")
        for run in one.words:
            text = harmless(run.text)
            marked = text if console.is_terminal else f"{_MARKS[run.sign]}[{text}]" if run.sign != " " else text
            line.append(marked, style=_STYLES[run.sign])
            line.append(" ")
        console.print(line, soft_wrap=True)
