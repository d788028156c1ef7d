"""`whimbrel diff`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import to_builtins

from whimbrel.cli import exits, options
from whimbrel.cli.lines import Lines
from whimbrel.cli.words import harmless

if TYPE_CHECKING:
    from rich.console import Console

    from whimbrel.flows.telling.differing import Difference, DifferingPlace
    from whimbrel.records.url import Url
    from whimbrel.repository.port.reader import Reader
    from whimbrel.repository.views import Version

EPILOG = f"""\b
Examples:
  whimbrel diff https://docs.example.org/terms
  whimbrel diff https://docs.example.org/terms 1 3
  whimbrel diff https://docs.example.org/terms --html terms.html
  whimbrel diff https://docs.example.org/terms --why

Versions are counted from 1, the oldest that is kept; -1 is the newest.

{exits.LIST}"""

_MOST_HELD = 10


@click.command(epilog=EPILOG, context_settings={"ignore_unknown_options": True})
@click.argument("url", metavar="URL")
@click.argument("first", type=int, required=False, metavar="[V1")
@click.argument("second", type=int, required=False, metavar="V2]")
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write a web page.")
@click.option("--all", "everything", is_flag=True, help="Also show the paragraphs that stayed.")
@click.option("--why", is_flag=True, help="Also say what simpler ways of comparing make of it.")
@options.repo
@options.as_json
def command(
    url: str, first: int | None, second: int | None, html: Path | None, everything: bool, why: bool,
    repo: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Show what differs between two kept versions of a page: the last two unless others are named.

    First what raised the alarm: words, links, pictures, elements, looks, code. Then what was held for noise, and why.
    """
    from whimbrel.cli.folder import folder_of, moment, url_of
    from whimbrel.flows.telling.differing import difference
    from whimbrel.flows.telling.differing_page import page
    from whimbrel.flows.telling.second_opinions import opinions_on
    from whimbrel.records.response import Failure
    from whimbrel.repository.contract import RepositoryError
    from whimbrel.repository.engines import open_reader

    named = url_of(url)
    with open_reader(folder_of(repo)) as reader:
        versions = reader.versions(named)
        before = _chosen(versions, first if first is not None else -2, named, reader)
        after = _chosen(versions, second if second is not None else -1, named, reader)
        found = difference(reader, named, before, after)
        others = opinions_on(reader, named, before, after) if why else []
    if isinstance(found, Failure):
        raise RepositoryError(f"{found.detail}; restore the folder from a copy.")
    if html is not None:
        names = (f"{moment(before.at)} UTC", f"{moment(after.at)} UTC")
        html.write_text(page(named, names, found, everything=everything), encoding="utf-8")
        click.echo(f"{html} written", err=True)
    elif as_json:
        for line in [*_objects(found, everything), *({"opinion": to_builtins(one)} for one in others)]:
            click.echo(json.dumps(line, ensure_ascii=False))
    else:
        _show(found, named, everything)
        if others:
            click.echo("\nwhat simpler ways of comparing make of it:")
            Lines().table([(f"{one.way}: {one.says}", one.detail) for one in others])
    return exits.OK


def _chosen(versions: "list[Version]", number: int, url: "Url", reader: "Reader") -> "Version":
    from whimbrel.repository.contract import NothingThere

    if not versions:
        raise NothingThere(f"no copy of {url} is kept in {reader.location}. `whimbrel pages --match RE` finds what is.")
    place = number - 1 if number > 0 else len(versions) + number
    if not 0 <= place < len(versions) or number == 0:
        if len(versions) == 1:
            raise NothingThere(
                f"one version is kept of {url}: there is nothing to compare it with. When `whimbrel refresh` finds the "
                "page changed, there are two."
            )
        raise NothingThere(
            f"{len(versions)} versions are kept of {url}: there is no version {number}. They are counted from 1."
        )
    return versions[place]


def _objects(found: "Difference", everything: bool) -> "list[dict[str, Any]]":
    """A line a place: those that counted, then the noise, then what stayed, then what else is to be said."""
    lines: list[dict[str, Any]] = [_object(place) for place in (*found.counted, *found.held)]
    if everything:
        lines += ({"sign": "same", "counted": False, "place": one.place, "words": [{"sign": " ", "text": one.text}]}
                  for one in found.stayed)  # fmt: skip
    return [*lines, {"note": found.note}] if found.note else lines


def _object(place: "DifferingPlace") -> dict[str, Any]:
    spot = place.spot
    parts = [
        {"what": part.what, "words": [{"sign": run.sign, "text": run.text} for run in part.words]}
        for part in place.parts
    ]
    words = next((part["words"] for part in parts if part["what"] == "words"), [])
    return {
        "sign": spot.what, "counted": not spot.reason, "place": spot.place, "kinds": list(spot.kinds),
        "amount": round(spot.share, 4), "words": words, "parts": parts, "reason": spot.reason,
    }  # fmt: skip


def _show(found: "Difference", url: "Url", everything: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    from whimbrel.cli.folder import moment
    from whimbrel.flows.telling.saying import percent

    console = Console(highlight=False)
    console.print(Text(harmless(url), style="bold"), soft_wrap=True)
    line = f"{moment(found.before.at)} → {moment(found.after.at)} UTC"
    if found.change.changed:
        line += f" · {percent(found.change.amount)} changed: {', '.join(found.change.kinds)}"
    elif found.held:
        line += " · noise alone (what changes by itself)"
    console.print(Text(line, style="dim"), soft_wrap=not console.is_terminal)
    for place in found.counted:
        console.print()
        _show_place(console, place)
    if found.note:
        console.print(f"\n{harmless(found.note)}", markup=False)
    if found.held:
        console.print(Text("\ntaken for noise (what changes by itself) and not told:", style="dim"))
        for place in found.held if everything else found.held[:_MOST_HELD]:
            console.print()
            _show_place(console, place)
        if len(found.held) > _MOST_HELD and not everything:
            console.print(Text(f"\nand {len(found.held) - _MOST_HELD} more; --all shows them", style="dim"))
    if everything:
        console.print(Text("\nas it was:", style="dim"))
        for one in found.stayed:
            console.print(Text(f"  {harmless(one.text)}"), soft_wrap=True)


def _show_place(console: "Console", place: "DifferingPlace") -> None:
    from rich.padding import Padding
    from rich.text import Text

    from whimbrel.cli.coloured import coloured

    spot = place.spot
    reason = f" ({spot.reason})" if spot.reason not in ("", spot.place) else ""
    style = _HEADS[spot.what] if not spot.reason else "dim"
    console.print(Text.assemble((spot.what, style), (harmless(f" {spot.place}{reason}"), "dim")), soft_wrap=True)
    for part in place.parts:
        line = Text.assemble((f"{part.what}: " if part.what != "words" else "", "dim"), coloured(part.words, console))
        console.print(
            Padding(line, (0, 0, 0, 2)) if console.is_terminal else Text("  ") + line, soft_wrap=not console.is_terminal
        )


_HEADS = {"added": "green", "removed": "red", "changed": "yellow", "moved": "cyan"}
