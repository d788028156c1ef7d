"""`whimbrel forget`."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel import __version__
from whimbrel.cli import exits, options
from whimbrel.cli.words import harmless, number, size

if TYPE_CHECKING:
    from whimbrel.repository.upkeep import ForgetTarget, Losses

EPILOG = f"""\b
Examples:
  whimbrel forget https://example.org/private.html
  whimbrel forget --site old.example.org --dry-run
  whimbrel forget --site old.example.org --yes
  whimbrel forget --allow-again https://example.org/private.html
  whimbrel forget --request 2

{exits.LIST}"""


@click.command(epilog=EPILOG)
@click.argument("urls", nargs=-1, metavar="[URL]...")
@click.option("--site", metavar="HOST", help="Everything of this host (HOST:PORT for one port).")
@click.option("--request", type=int, metavar="N", help="Withdraw a request of crawl --like; its pages stay.")
@click.option("--allow-again", is_flag=True, help="Later crawls may fetch it again; lifts an earlier refusal.")
@click.option("--dry-run", is_flag=True, help="Say what would go; erase nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.repo
@options.as_json
def command(
    urls: tuple[str, ...],
    site: str | None,
    request: int | None,
    allow_again: bool,
    dry_run: bool,
    yes: bool,
    repo: Path | None,
    as_json: bool,
) -> int:
    """Erase URLs or a site from a folder, for good; or withdraw a request.

    Everything known of them goes: rows, texts, and the bytes in the archive files, which are written anew. A twin
    that stays takes over what it shared. Later crawls refuse what was forgotten. What other pages say about a
    forgotten page, links included, is theirs and stays.
    """
    from whimbrel.cli.folder import folder_of, many, site_named, url_of
    from whimbrel.documents import papers
    from whimbrel.flows.attention.book import AttentionBook
    from whimbrel.flows.entries import EntryBook
    from whimbrel.records.picturing import CLASSES_FILE
    from whimbrel.repository.engines import erase, open_reader, survey
    from whimbrel.repository.upkeep import ForgetTarget

    if [bool(urls), bool(site), request is not None].count(True) != 1:
        raise click.UsageError("name what to forget: either URLs, or --site HOST, or --request N.")
    folder = folder_of(repo)
    if request is not None:
        return _withdraw(folder, request, as_json)
    target = ForgetTarget(tuple(url_of(text) for text in urls), site_named(site))
    losses = survey(folder, target)
    if dry_run:
        _say(losses, as_json, dry_run=True)
        return exits.OK
    if not yes:
        _confirm(losses, target)
    erased = erase(folder, target, time.time(), f"whimbrel/{__version__}", allow_again=allow_again)
    with open_reader(folder) as reader:
        papers.forget(folder, reader.digests)
    if (folder / CLASSES_FILE).exists():
        from whimbrel.flows.picture_classes import forget_pictures

        forget_pictures(folder, target.covers)
    with AttentionBook(folder) as book:
        book.forget(target.covers)
    EntryBook(folder).forget(target.covers)
    if as_json:
        said = {"records": erased.records, "files": erased.files, "freed_bytes": erased.freed_bytes}
        _say(losses, True, dry_run=False, **said, notes=list(erased.notes))
        return exits.OK
    _say(losses, False, dry_run=False)
    click.echo(f"{many(erased.files, 'archive file')} written anew, {size(max(0, erased.freed_bytes))} freed")
    for note in erased.notes:
        click.echo(harmless(note))
    return exits.OK


def _withdraw(folder: Path, request: int, as_json: bool) -> int:
    from whimbrel.api import withdraw
    from whimbrel.repository.contract import NothingThere
    from whimbrel.repository.engines import open_reader

    with open_reader(folder):  # a folder that is not there must not be made
        pass
    if not withdraw(folder, request):
        raise NothingThere(f"there is no open request {request}; `whimbrel status` shows those that are")
    click.echo(json.dumps({"request": request}) if as_json else f"request {request} is withdrawn; what it found stays")
    return exits.OK


def _confirm(losses: "Losses", target: "ForgetTarget") -> None:
    named = ", ".join(target.patterns()[:3]) + (" …" if len(target.patterns()) > 3 else "")
    question = f"Erase {harmless(named)} for good: {_words(losses)}?"
    try:
        sure = click.confirm(question, err=True)
    except click.Abort as unanswered:
        raise click.UsageError(
            "nobody answered, so nothing was erased; add --yes to erase without asking."
        ) from unanswered
    if not sure:
        raise click.UsageError("nothing was erased.")


def _say(losses: "Losses", as_json: bool, *, dry_run: bool, **more: object) -> None:
    if as_json:
        said = {"urls": losses.urls, "pages": losses.pages, "versions": losses.versions, "heirs": losses.heirs}
        click.echo(json.dumps({"dry_run": dry_run, **said, **more}))
        return
    click.echo(f"{'would be forgotten' if dry_run else 'forgotten'}: {_words(losses)}")
    if losses.heirs:
        click.echo(
            f"pages with the same text that {'would take' if dry_run else 'took'} the place of what goes: "
            f"{number(losses.heirs)}"
        )


def _words(losses: "Losses") -> str:
    from whimbrel.cli.folder import many

    copies = f"{number(losses.versions)} {'copy' if losses.versions == 1 else 'copies'}"
    return f"{many(losses.urls, 'URL')} ({many(losses.pages, 'kept page')}, {copies})"
