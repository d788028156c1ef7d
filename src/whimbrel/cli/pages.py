"""`whimbrel pages`."""

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, options
from whimbrel.cli.lines import say
from whimbrel.cli.words import harmless, number, size
from whimbrel.records.visit import Outcome
from whimbrel.revisit.classes import INTERVALS

if TYPE_CHECKING:
    from whimbrel.repository.views import ListedUrl, Selection

EPILOG = f"""\b
Examples:
  whimbrel pages --limit 20
  whimbrel pages --outcome failed --outcome unreachable
  whimbrel pages --rule robots --site docs.example.org
  whimbrel pages --class daily
  whimbrel pages --match '/api/.*[.]html' --json
  whimbrel pages --twins
  whimbrel pages https://docs.example.org/index.html
  whimbrel pages --like https://docs.example.org/an-example-page
  whimbrel pages --shape cat.png
  whimbrel pages --shape cat               # a class, see `whimbrel shapes`
  whimbrel pages --why https://docs.example.org/some-page
\b
Outcomes:
  {", ".join(list(Outcome)[:5])},
  {", ".join(list(Outcome)[5:])}

{exits.LIST}"""

KEPT = (Outcome.FETCHED, Outcome.UNCHANGED)


@click.command(epilog=EPILOG)
@click.argument("url", required=False, metavar="[URL]")
@click.option("--outcome", "outcomes", multiple=True, metavar="NAME", help="What became of them (repeatable).")
@click.option("--rule", "rules", multiple=True, metavar="RULE", help="The rule that refused them, or how they failed.")
@click.option("--site", metavar="HOST", help="Only this host (HOST:PORT for one port).")
@click.option("--match", metavar="RE", help="Only URLs in which this is found.")
@click.option("--class", "pace", type=click.Choice(list(INTERVALS)), help="Only pages that change about so often.")
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="List at most N.")
@click.option("--twins", is_flag=True, help="Duplicates, with the page that is kept and why.")
@click.option("--assets", is_flag=True, help="Style sheets and pictures instead of pages.")
@click.option("--like", "likes", multiple=True, metavar="URL", help="Kept pages built like this one (repeatable).")
@click.option(
    "--shape", metavar="FILE|CLASS", help="Kept pictures, those shaped like this one, or like this class, first."
)
@click.option("--why", metavar="URL", help="Which kind of page this is; with --like, how like those.")
@options.repo
@options.as_json
def command(
    url: str | None,
    outcomes: tuple[str, ...],
    rules: tuple[str, ...],
    site: str | None,
    match: str | None,
    pace: str | None,
    limit: int | None,
    twins: bool,
    assets: bool,
    likes: tuple[str, ...],
    shape: str | None,
    why: str | None,
    repo: Path | None,
    as_json: bool,
) -> int:
    """List URLs and what became of them; or show all that is known of one URL.

    Without a choice, the kept pages are listed, nearest to a seed first. Works while a crawl is running.
    """
    from whimbrel.cli.choosing import matching
    from whimbrel.cli.folder import folder_of, site_named, url_of
    from whimbrel.repository.engines import open_reader
    from whimbrel.repository.views import Selection

    if (likes or why) and (url or outcomes or rules or twins or assets or pace):
        raise click.UsageError(
            "--like and --why look at kept pages: beside them only --site, --match and --limit choose."
        )
    if twins:
        outcomes = (*outcomes, Outcome.DUPLICATE)
    selection = Selection(
        outcomes=_known(outcomes) or (() if rules else KEPT),
        rules=rules,
        site=site_named(site),
        match=matching(match),
        assets=assets if assets or not (outcomes or rules) else None,
        limit=None if pace else limit,
    )
    if shape is not None:
        if url or outcomes or rules or twins or pace or likes or why:
            raise click.UsageError("--shape looks at kept pictures: beside it only --site, --match and --limit choose.")
        from whimbrel.cli.shape import show_shapes

        chosen = Selection(outcomes=KEPT, site=site_named(site), match=matching(match))
        folder = folder_of(repo)
        with open_reader(folder) as reader:
            return show_shapes(reader, folder, shape, chosen, limit, as_json)
    wanted = url_of(url) if url is not None else None
    examples = [url_of(text) for text in likes]
    asked = url_of(why) if why is not None else None
    with open_reader(folder_of(repo)) as reader:
        if examples or asked is not None:
            from whimbrel.cli.like import show_like, show_why

            if asked is not None:
                return show_why(reader, asked, examples, selection, as_json)
            return show_like(reader, examples, selection, as_json)
        if wanted is not None:
            from whimbrel.cli.page import show

            return show(reader, wanted, as_json)
        from whimbrel.flows.telling.site_figures import paces

        with_paces = paces(reader, reader.urls(selection))
        listed = islice((one for one in with_paces if pace in (None, one[1])), limit)
        if as_json:
            _lines(listed)
        else:
            _table(listed, selection, twins)
    return exits.OK


def _known(outcomes: tuple[str, ...]) -> tuple[str, ...]:
    for outcome in outcomes:
        if outcome not in list(Outcome):
            raise click.UsageError(f"there is no outcome {outcome!r}. The outcomes are: {', '.join(Outcome)}.")
    return outcomes


def _lines(listed: "Iterable[tuple[ListedUrl, str]]") -> None:
    import sys

    import msgspec

    from whimbrel.cli.page import as_object

    out = sys.stdout.buffer
    for one, pace in listed:
        out.write(msgspec.json.encode({**as_object(one), "class": pace}) + b"\n")
    out.flush()


def _table(listed: "Iterable[tuple[ListedUrl, str]]", selection: "Selection", twins: bool) -> None:
    """A URL on a line of its own, what is known of it below: rows with a URL in them fit no terminal."""
    why = twins or bool(selection.rules) or any(outcome not in KEPT for outcome in selection.outcomes)
    count = 0
    for one, pace in listed:
        count += 1
        say(harmless(one.url), fg="green")
        for line in _below(one, why):
            say(f"    {harmless(line)}")
        say(f"    {_facts(one, pace)}", dim=True)
    say(f"{number(count)} listed", dim=True, err=True)


def _below(one: "ListedUrl", why: bool) -> list[str]:
    lines = [one.title] if one.title else []
    if one.private:
        lines.append("private: fetched with credentials")
    if one.duplicate_of is not None:
        lines.append(f"twin of {one.duplicate_of}: {one.reason}")
    elif why:
        lines.append(": ".join(part for part in (one.outcome, one.rule, one.reason) if part))
    return lines


def _facts(one: "ListedUrl", pace: str) -> str:
    from whimbrel.cli.folder import moment

    visited = f"visited {moment(one.visited_at)}" if one.visited_at is not None else "not visited"
    answer = f"status {one.status}" if one.status else ""
    kept = f"{one.mime}, {size(one.size)}" if one.mime else ""
    often = f"changes: {pace}" if pace else ""
    return " · ".join(filter(None, (visited, answer, kept, f"depth {one.depth}", often)))
