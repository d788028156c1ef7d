"""`whimbrel search`."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import to_builtins

from whimbrel.cli import exits, options
from whimbrel.cli.lines import say
from whimbrel.cli.words import harmless, number

if TYPE_CHECKING:
    from whimbrel.readers.voices import Voices
    from whimbrel.search import Answer, Hit
    from whimbrel.search.ask.searcher import Searcher

MOST_HEARD = 50_000
"""Notes of readers that are gone through for one answer at the terminal."""

EPILOG = f"""\b
Examples:
  whimbrel search "thread pool"
  whimbrel search '"garbage collector" -deprecated site:docs.example.org'
  whimbrel search "release notes after:2024-06 type:pdf" --size 20
  whimbrel search "array list" --why
\b
Operators:
  site:HOST  type:html|pdf|text|feed|document|slides|sheet|image  lang:en
  shape:CLASS    kept pictures of this shape (whimbrel shapes)
  has:Product    pages that describe such a thing for machines
  before:2024-06-30  after:2024  "these words together"  -without

{exits.LIST}"""


@click.command(epilog=EPILOG)
@click.argument("words", nargs=-1, required=True, metavar="QUERY")
@click.option(
    "--page", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="Which page of results."
)
@click.option(
    "--size", type=click.IntRange(1, 100), default=10, show_default=True, metavar="N", help="Results on a page."
)
@click.option("--why", is_flag=True, help="Say why each page is found, and why at its place.")
@click.option("--hits", "by_links", is_flag=True, help="Instead: pages that others point to, and good lists of links.")
@options.repo
@options.as_json
def command(
    words: tuple[str, ...], page: int, size: int, why: bool, by_links: bool, repo: Path | None, as_json: bool
) -> int:
    """Search the kept pages.

    What was kept since the last search is indexed first. Where another process writes the index, the answer comes from
    what is there and says how many pages are missing.
    """
    from whimbrel.cli.folder import folder_of
    from whimbrel.cli.index import caught_up, need_search, settings

    need_search()
    from whimbrel.places.home.telling import with_revoked
    from whimbrel.readers.log import ReaderLog
    from whimbrel.readers.tallies import Tallies
    from whimbrel.readers.voices import Voices
    from whimbrel.search.ask.query import parse
    from whimbrel.search.ask.searcher import Searcher

    folder = folder_of(repo)
    now = time.time()
    notes = caught_up(folder)
    chosen = settings()
    with ReaderLog(folder) as log:
        voices = Voices(log, lambda url: searcher.words_on(url))
        with Searcher(folder, chosen, voices=voices) as searcher:
            if by_links:
                return _show_standings(searcher, " ".join(words), now, size, as_json)
            if chosen.reader_weight and (kept := log.size()):
                notes = (*notes, *heard(voices, kept))
            answer = with_revoked(folder, searcher.answer(parse(" ".join(words)), page, size, why=why, now=now))
        Tallies(log).record_shown(hit.key for hit in answer.hits)
    if as_json:
        click.echo(json.dumps({**to_builtins(answer), "notes": [*notes, *answer.notes]}, ensure_ascii=False))
    else:
        _show(answer, notes, why)
    return exits.OK


def heard(voices: "Voices", kept: int) -> tuple[str, ...]:
    """Works out what readers make of pages, for this one answer; says so where that would take too long."""
    if kept > MOST_HEARD:
        return (f"what readers did is left out: {kept:,} notes take too long at a terminal; `whimbrel serve` has it",)
    voices.renew()
    return ()


def _show_standings(searcher: "Searcher", words: str, now: float, size: int, as_json: bool) -> int:
    from whimbrel.search.ask.authorities import standings
    from whimbrel.search.ask.query import parse

    found = standings(searcher, parse(words), now, size)
    if as_json:
        click.echo(json.dumps(to_builtins(found), ensure_ascii=False))
        return exits.OK
    say("authority     hub  page", dim=True)
    for one in found:
        click.echo(f"{one.authority:9.4f}{one.hub:8.4f}  {harmless(one.title or one.url)}")
        say(f"{'':17}  {harmless(one.url)}{'' if one.answers else ' (a neighbour)'}", fg="green")
    return exits.OK


def _show(answer: "Answer", notes: tuple[str, ...], why: bool) -> None:
    for note in (*notes, *answer.notes):
        say(f"note: {harmless(note)}", err=True, fg="yellow")
    if answer.pending:
        say(f"note: {number(answer.pending)} kept pages are not in the index yet", err=True, fg="yellow")
    if answer.corrected:
        say(f"Showing hits for: {click.style(harmless(answer.corrected), bold=True)}")
    first = (answer.page - 1) * answer.size + 1
    for place, hit in enumerate(answer.hits, first):
        _show_hit(place, hit, why)
    if not answer.hits:
        click.echo("Nothing found." if not answer.total else "There are no more hits.")
    _show_elsewhere(answer)
    spread = {facet.name: facet.values for facet in answer.facets}
    took = f"in {answer.took_ms:.0f} ms{_sites(spread)}"
    what = "picture" if "image" in answer.query.types else "page"
    say(f"{_shown(first, len(answer.hits), answer.total, what)} {took}", dim=True, err=True)


def _show_elsewhere(answer: "Answer") -> None:
    """Pages of which only the words are here that stand out in them."""
    from whimbrel.cli.folder import moment

    if not answer.elsewhere:
        return
    pages = f"{number(answer.all_elsewhere)} {'page' if answer.all_elsewhere == 1 else 'pages'}"
    say(f"Not here, found by an index entry alone: {pages}. `whimbrel crawl URL` brings one.", bold=True)
    for hit in answer.elsewhere:
        say(f"  -  {click.style(harmless(hit.title or hit.url), bold=True)}")
        say(f"     {harmless(hit.url)}", fg="green")
        day, place = moment(hit.at)[:10], harmless(hit.place)
        revoked = f"read {day} at place {place}, revoked since; the page comes from its site when asked for"
        say(f"     {revoked if hit.revoked else f'its body is at place {place}, read {day}'}", dim=True)
        if hit.about:
            click.echo(f"     {harmless(hit.about)}")
    click.echo()


def _shown(first: int, hits: int, total: int, what: str) -> str:
    pages = f"{number(total)} {what}{'' if total == 1 else 's'}"
    if not hits or hits == total:
        return pages
    return f"{first} of {pages}" if hits == 1 else f"{first}–{first + hits - 1} of {pages}"


def _show_hit(place: int, hit: "Hit", why: bool) -> None:
    from whimbrel.cli.folder import moment

    say(f"{place:>3}. {_styled(harmless(hit.title or hit.url), bold=True)}", hang=len(str(place)) + 2)
    say(f"     {harmless(f'{hit.url}#{hit.mark}' if hit.mark else hit.url)}", fg="green")
    if hit.mark:
        say(f"     in: {harmless(hit.section)}", hang=4)
    facts = [hit.type, hit.language, moment(hit.modified_at)[:10]]
    if hit.changed_at is not None:
        facts.append(f"changed {moment(hit.changed_at)[:10]}")
    if hit.linked_from is not None:
        facts.append(f"{'shown on' if hit.type == 'image' else 'linked from'} {hit.linked_from}")
    if hit.twins:
        facts.append(f"{hit.twins} {'twin' if hit.twins == 1 else 'twins'}: {', '.join(hit.twin_urls)}")
    say(f"     {harmless(' · '.join(fact for fact in facts if fact))}", dim=True)
    if hit.snippet:
        pieces = (_styled(harmless(text), bold=True, fg="cyan") if on else harmless(text) for text, on in hit.snippet)
        say(f"     {''.join(pieces).strip()}")
    if why:
        click.echo(f"     score {hit.score:.3f}, made of")
        for part in hit.parts:
            say(f"       {part.points:6.3f}  {part.name:16} {part.reason}", hang=24)
    click.echo()


def _styled(words: str, **style: Any) -> str:
    """Word by word, so that a line may end in between."""
    return " ".join(click.style(word, **style) if word else "" for word in words.split(" "))


def _sites(spread: dict[str, tuple[tuple[str, int], ...]]) -> str:
    sites = spread.get("site", ())
    if len(sites) < 2:
        return ""
    return " · " + ", ".join(f"{harmless(site)} {number(count)}" for site, count in sites[:5])
