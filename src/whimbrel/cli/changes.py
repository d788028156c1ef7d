"""`whimbrel changes`."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from whimbrel.cli import exits, hooks, options

if TYPE_CHECKING:
    from whimbrel.flows.telling.news import NewsFilter
    from whimbrel.repository.port.reader import Reader

EPILOG = f"""\b
Examples:
  whimbrel changes
  whimbrel changes --since yesterday --site docs.example.org
  whimbrel changes --since '3 days' --kind new,gone --json
  whimbrel changes --since 1w --degree medium
  whimbrel changes --since 2026-03-01 --until 2026-04-01 --words price
  whimbrel changes --since 1w --unseen --mark-seen
  whimbrel changes --since 1w --atom changes.xml
  whimbrel changes --since 1h --webhook https://example.org/hook

\b
Kinds, by what happened: new, changed, moved, gone, restored, missing; of sites: away, answers;
and of changes: structural, content, presentation, behavioural, image.
Degrees: trivial (no word, link or picture), small (under a third), medium,
large (two thirds or more), complete.

{exits.LIST}"""


@click.command(epilog=EPILOG)
@click.option("--since", default="yesterday", show_default=True, metavar="TIME",
              help="yesterday, a date, or an age like '3 days' or 12h (UTC).")  # fmt: skip
@click.option("--until", metavar="TIME", help="Only what was seen before this moment.")
@click.option("--site", metavar="HOST", help="Only this host (HOST:PORT for one port).")
@click.option("--kind", "kinds", multiple=True, metavar="KIND,…", help="Only these kinds; see below.")
@click.option("--degree", metavar="DEGREE", help="Changes of this degree at least; see below.")
@click.option("--unread", is_flag=True, help="Also changes that nobody reads: scripts, styles and looks alone.")
@click.option("--words", default="", metavar="WORDS", help="Only where all of these words came or went.")
@click.option("--unseen", is_flag=True, help="Only what was not marked as seen.")
@click.option("--silenced", is_flag=True, help="Only what `whimbrel silence` keeps quiet.")
@click.option("--mark-seen", is_flag=True, help="Mark these as seen, also those beyond --limit.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, metavar="N",
              help="How many to list; --json lists all.")  # fmt: skip
@click.option("--atom", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write an Atom feed.")
@click.option("--private", is_flag=True, help="Also private pages in the feed: those fetched with credentials.")
@click.option("--reader", metavar="URL", help="Where `whimbrel serve` shows this folder: the feed links there.")
@click.option(
    "--webhook",
    metavar="URL",
    help="Post the changes there as JSON, each once; --since is where the first post begins.",
)
@options.repo
@options.as_json
def command(
    since: str, until: str | None, site: str | None, kinds: tuple[str, ...], degree: str | None, unread: bool,
    words: str, unseen: bool, silenced: bool, mark_seen: bool, limit: int, atom: Path | None, private: bool,
    reader: str | None, webhook: str | None, repo: Path | None, as_json: bool,
) -> int:  # fmt: skip
    """Tell what changed, the newest first: new, changed, moved, gone and restored pages, with the words.

    Noise (dates, counters, tokens, what the site repeats) is no change, nor is what was there when a site was first
    crawled: that is counted. What nobody reads (scripts, styles, looks) is told with --unread, or where its kind is
    named. A page that changed only because it now shows another one, as a start page does with a new post, is named
    under it. A page that was missing at its last visit is listed until another visit shows whether it is gone.
    """
    from whimbrel.cli.folder import folder_of
    from whimbrel.flows.telling.news import choice_of
    from whimbrel.repository.engines import open_reader

    folder = folder_of(repo)
    named = {"since": since, "until": until or "", "site": site or "", "kind": ",".join(kinds), "degree": degree or ""}
    flags = {"unread": unread, "unseen": unseen, "silenced": silenced}
    named |= {"words": words} | {name: "yes" if given else "" for name, given in flags.items()}
    wanted = choice_of(named, time.time())
    if isinstance(wanted, str):
        raise click.UsageError(f"--{wanted}")
    if webhook is not None:
        _refuse_filters(until, kinds, degree, words, unseen, silenced)
    with open_reader(folder) as news:
        if atom is not None:
            _write_feed(news, replace(wanted, private=private), atom, reader)
        elif webhook is not None:
            pass
        elif as_json:
            _list(news, wanted)
        else:
            from whimbrel.cli.changes_screen import show

            show(news, wanted, since, until, limit)
        if mark_seen:
            _mark_seen(news, wanted)
    if webhook is not None and (
        problem := hooks.words(hooks.deliver(folder, hooks.checked(webhook), wanted.site, wanted.since))
    ):
        raise click.ClickException(problem)
    return exits.OK


def _refuse_filters(
    until: str | None, kinds: tuple[str, ...], degree: str | None, words: str, unseen: bool, silenced: bool
) -> None:
    """A hook remembers how far it came, not what it was asked to leave out."""
    given = {
        "--until": until,
        "--kind": kinds,
        "--degree": degree,
        "--words": words,
        "--unseen": unseen,
        "--silenced": silenced,
    }
    for name, value in given.items():
        if value:
            raise click.UsageError(f"{name} does not go with --webhook, which posts every change once. Leave it out.")


def _mark_seen(news: "Reader", choice: "NewsFilter") -> None:
    from whimbrel.flows.attention.book import AttentionBook
    from whimbrel.flows.telling.news import chosen

    with AttentionBook(news.location) as book:
        book.see([item.id for item in chosen(news, choice)], time.time())


def _list(news: "Reader", choice: "NewsFilter") -> None:
    from whimbrel.flows.telling.news import chosen, pending
    from whimbrel.flows.telling.saying import item_object

    for source in (pending, chosen):
        for item in source(news, choice):
            click.echo(json.dumps(item_object(item), ensure_ascii=False))


def _write_feed(news: "Reader", choice: "NewsFilter", file: Path, reader: str | None) -> None:
    from whimbrel.flows.telling.feed import atom, entries, feed_of
    from whimbrel.flows.telling.news import chosen

    if reader is not None and not reader.startswith(("http://", "https://")):
        raise click.UsageError(f"--reader {reader!r} is no http(s) URL. Write it like --reader http://127.0.0.1:8765.")
    feed = feed_of(news, choice, reader or "")
    file.write_text(atom(entries(chosen(news, choice)), feed), encoding="utf-8")
