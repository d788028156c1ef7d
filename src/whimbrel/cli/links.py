"""`whimbrel links`."""

import csv
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from whimbrel.cli import exits, options
from whimbrel.cli.lines import say
from whimbrel.cli.words import harmless, number
from whimbrel.records.ending import Why

if TYPE_CHECKING:
    from whimbrel.api import OpenedCrawl
    from whimbrel.config import Settings
    from whimbrel.flows.linking.bad_links import BadLink, LinkReport
    from whimbrel.flows.linking.standing import BadKind
    from whimbrel.migrants.home.ending import RunEnd
    from whimbrel.repository.port.reader import Reader
    from whimbrel.repository.views import Site

EPILOG = f"""\b
Examples:
  whimbrel links --dead
  whimbrel links --dead --external --probe
  whimbrel links --dead --kind missing,fragment --fail
  whimbrel links --dead --csv dead.csv

\b
Kinds: missing (404, 410, gone), soft (an error page that answers 200), moved
(for good), unreachable (no answer), error (the server fails), fragment (a
place that the page does not have).

{exits.with_line(exits.BAD_LINKS, "bad links were found, where --fail asks for it")}"""

SHOWN_HOLDERS = 5
_COLUMNS = ("url", "kind", "reason", "leads_to", "since", "copy", "copy_at", "page", "words")


@click.command(epilog=EPILOG)
@click.option("--dead", is_flag=True, help="List the links that are bad, with the pages that hold them.")
@click.option("--kind", "kinds", multiple=True, metavar="KIND,…", help="Only these kinds; see below.")
@click.option("--site", metavar="HOST", help="Only links on pages of this host (HOST:PORT for one port).")
@click.option("--external", is_flag=True, help="Also ask the addresses outside the scope of the crawl, politely.")
@click.option("--probe", is_flag=True, help="Also ask each site for pages it cannot have, to know its error pages.")
@click.option("--delay", "delay_seconds", metavar="S", help="Seconds between requests to a host.")
@click.option("--time-limit", "time_limit_seconds", metavar="TIME", help="Ask no longer than this (90s, 10m, 2h).")
@click.option("--fail", is_flag=True, help="Exit with 6 where a link is bad.")
@click.option("--csv", "table", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), metavar="FILE|-",
              help="Write a table, a row for each page that holds one.")  # fmt: skip
@options.repo
@options.config
@options.as_json
def command(
    dead: bool, kinds: tuple[str, ...], site: str | None, external: bool, probe: bool, fail: bool, table: Path | None,
    repo: Path | None, config: Path | None, as_json: bool, **given: object,
) -> int:  # fmt: skip
    """Tell which links lead nowhere any more: dead and moved ones, with the pages and words that hold them.

    From what the last visits found, without asking anybody: `whimbrel refresh` looks again. --external and --probe ask,
    by robots.txt and with delays as a crawl does; what was asked within a day is not asked again.
    """
    from whimbrel.api import flags_of, stored_settings
    from whimbrel.cli.folder import site_named
    from whimbrel.config import load
    from whimbrel.flows.linking.bad_links import bad_links
    from whimbrel.flows.linking.probing import soft_pages
    from whimbrel.repository.engines import open_reader

    wanted = _kinds(kinds)
    named = site_named(site)
    flags = flags_of({name: value for name, value in given.items() if value is not None})
    if repo is not None:
        flags["repository.path"] = str(repo)
    folder = Path(load(config, os.environ, flags).repository.path)
    settings = load(config, os.environ, flags, stored_settings(folder))
    if external or probe:
        _ask(settings, folder, named, external, probe)
    with open_reader(folder) as reader, _elsewhere(folder) as elsewhere:
        soft = soft_pages(reader, elsewhere, named) if elsewhere is not None else {}
        report = bad_links(reader, elsewhere, soft, wanted, named)
    if table is not None:
        _write_table(report, table)
    elif as_json:
        _as_json(report, dead)
    else:
        _show(report, dead)
    return exits.BAD_LINKS if fail and report.bad else exits.OK


def _kinds(given: tuple[str, ...]) -> "set[BadKind]":
    from whimbrel.flows.linking.standing import KINDS

    named = {part.strip().lower() for text in given for part in text.split(",") if part.strip()}
    for strange in sorted(named.difference(KINDS)):
        raise click.UsageError(f"--kind {strange!r} is no kind. There are {', '.join(KINDS)}.")
    return {kind for kind in KINDS if kind in named or not named}


@contextmanager
def _elsewhere(folder: Path) -> "Iterator[Reader | None]":
    """What was asked for links alone; None where nothing was."""
    from whimbrel.api.elsewhere import FOLDER
    from whimbrel.repository.engines import exists, open_reader

    if not exists(folder / FOLDER):
        yield None
        return
    with open_reader(folder / FOLDER) as reader:
        yield reader


def _ask(settings: "Settings", folder: Path, site: "Site | None", external: bool, probe: bool) -> None:
    """First what was asked before and may have changed, then what is new."""
    from whimbrel.api import run_crawl, run_refresh
    from whimbrel.api.elsewhere import open_again, open_elsewhere, whose
    from whimbrel.flows.linking.bad_links import linked_outside
    from whimbrel.flows.linking.probing import probes
    from whimbrel.repository.engines import open_reader

    with open_reader(folder) as reader:
        asked = probes(reader, site) if probe else []
        ours, theirs = whose(reader, asked)
        theirs += linked_outside(reader, site) if external else []
    again = open_again(settings, folder, time.time())
    if again is not None:
        _run(again.opened, run_refresh(again), f"asking again for what was asked in {folder}")
    for urls, by_page, where in ((ours, False, "on the sites crawled"), (theirs, True, "on other sites")):
        opened = open_elsewhere(settings, folder, urls, named_by_pages=by_page) if urls else None
        if opened is not None:
            _run(opened, run_crawl(opened), _asking(len(urls), where))


def _asking(count: int, where: str) -> str:
    return f"asking for {number(count)} address{'' if count == 1 else 'es'} {where}, each host at its pace"


def _run(opened: "OpenedCrawl", work: "Awaitable[RunEnd]", words: str) -> None:
    import uvloop

    from whimbrel.cli.lines import Lines
    from whimbrel.cli.running import display_for, under

    lines = Lines(err=True)
    lines.say(words)
    try:
        ended = uvloop.run(under(display_for(opened.manager, None, lines), opened.manager, work))
    finally:
        opened.store.close()
    if ended.why in (Why.STOPPED, Why.KILLED):
        raise click.exceptions.Abort


def _objects(link: "BadLink") -> dict[str, object]:
    from whimbrel.flows.telling.saying import moment

    moments = {
        name: moment(at) if at is not None else None for name, at in (("since", link.since), ("copy_at", link.copy_at))
    }
    return {
        "url": link.url, "kind": link.kind, "reason": link.reason, "leads_to": link.leads_to, "since": moments["since"],
        "copy": link.copy, "copy_at": moments["copy_at"],
    }  # fmt: skip


def _as_json(report: "LinkReport", dead: bool) -> None:
    """A line a link, then one that counts."""
    for link in report.bad if dead else ():
        pages = [{"page": holder.page, "words": holder.words} for holder in link.holders]
        click.echo(json.dumps({**_objects(link), "pages": pages}, ensure_ascii=False))
    looked_at = report.looked_at
    counts = Counter(link.kind for link in report.bad)
    click.echo(json.dumps({
        "pages": looked_at.pages, "links": looked_at.links, "bad": dict(counts), "unasked": looked_at.unasked,
    }))  # fmt: skip


def _write_table(report: "LinkReport", path: Path) -> None:
    from whimbrel.exchange.tables import guarded

    def write(stream: "IO[str]") -> None:
        rows = csv.writer(stream)
        rows.writerow(_COLUMNS)
        for link in report.bad:
            told = list(_objects(link).values())
            for holder in link.holders:
                rows.writerow(["" if one is None else guarded(str(one)) for one in (*told, holder.page, holder.words)])

    if str(path) == "-":
        write(sys.stdout)
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        write(file)
    click.echo(f"{path} written", err=True)


def _show(report: "LinkReport", dead: bool) -> None:
    from whimbrel.cli.folder import many
    from whimbrel.flows.linking.standing import KINDS, WORDS

    for link in report.bad if dead else ():
        _show_link(link)
    counts = Counter(link.kind for link in report.bad)
    looked_at = report.looked_at
    say(f"{many(looked_at.pages, 'page')} with links to {number(looked_at.links)} others")
    for kind in KINDS:
        if counts[kind]:
            say(f"{number(counts[kind]):>8}  {kind}: {WORDS[kind]}", hang=len(number(counts[kind])) + 2)
    for rule, count in sorted(looked_at.unasked.items(), key=lambda one: -one[1]):
        say(f"{number(count):>8}  not asked: {_UNASKED.get(rule, rule)}", hang=len(number(count)) + 2)
    if report.bad and not dead:
        say("--dead lists the bad ones")


_UNASKED = {
    "scope": "outside the scope of the crawl (--external asks)",
    "robots": "robots.txt asks so",
    "nofollow": "pages ask not to follow them",
    "waiting": "not visited yet (`whimbrel crawl` goes on)",
}
"""By the rule that kept a link from being asked for; other rules go by their names."""


def _show_link(link: "BadLink") -> None:
    from whimbrel.cli.folder import moment

    say(f"{click.style(link.kind, fg=_COLOURS.get(link.kind, 'red'))}  {harmless(link.url)}")
    facts = [harmless(link.reason)]
    facts += [f"since {moment(link.since)[:10]}"] if link.since is not None else []
    facts += (
        [f"our copy is of {moment(link.copy_at)[:10]}"] if link.copy_at is not None and link.kind != "fragment" else []
    )
    say(f"    {' · '.join(facts)}", dim=True)
    for holder in link.holders[:SHOWN_HOLDERS]:
        words = f" “{harmless(holder.words)[:80]}”" if holder.words else ""
        say(f"    on {harmless(holder.page)}{words}", hang=3)
    if len(link.holders) > SHOWN_HOLDERS:
        say(f"    and on {number(len(link.holders) - SHOWN_HOLDERS)} more pages", dim=True)


_COLOURS = {"moved": "yellow", "fragment": "yellow", "soft": "magenta"}
