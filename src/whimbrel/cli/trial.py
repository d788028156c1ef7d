"""`whimbrel try`: crawls the bundled garden over loopback and shows what came of it."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from whimbrel.cli import exits, options
from whimbrel.cli.lines import Lines
from whimbrel.cli.words import harmless
from whimbrel.records.ending import Why

if TYPE_CHECKING:
    from rich.console import Console

    from whimbrel.api import OpenedCrawl
    from whimbrel.migrants.home.ending import RunEnd
    from whimbrel.repository.views import ListedUrl

EPILOG = f"""\b
Examples:
  whimbrel try
  whimbrel try --repo garden         # keep the folder and look around in it
  whimbrel try --json

{exits.LIST}"""

SHOWN_PAGES = (
    "/", "/birds/whimbrel.html", "/birds/wren.html", "/plants/sea-holly.html", "/seasons/autumn.html",
    "/places/shore.html", "/calendar?month=1",
)  # fmt: skip


@click.command(epilog=EPILOG)
@click.option(
    "--repo", type=click.Path(path_type=Path), metavar="DIR", help="Keep the crawl in this new folder.  [not kept]"
)
@options.as_json
def command(repo: Path | None, as_json: bool) -> int:
    """Crawl a small bundled site and show the result.

    The site, thirty pages about a garden, is served on this machine for as long as the crawl takes. Nothing leaves
    it. The crawl is the one that `whimbrel crawl` does.
    """
    from whimbrel import api
    from whimbrel.config import Crawl, Settings
    from whimbrel.testing.garden import START, garden
    from whimbrel.testing.web import TinyWeb

    lines = Lines(err=as_json)
    with _folder(repo) as folder, TinyWeb(garden()) as web:
        where = f"into {folder}" if repo else "into a folder that is removed again"
        lines.say(f"Serving a small garden on {web.url(START)} and crawling it {where}.\n")
        began = time.monotonic()
        settings = Settings(crawl=Crawl(assets=True))  # `serve` then shows the pages as they looked
        opened = api.open_crawl(settings, api.read_seeds([web.url(START)]), folder)
        try:
            ended = _run(opened, lines)
            seconds = time.monotonic() - began
        finally:
            opened.store.close()
        facts = _known(folder)
        origin = web.url("")
    if as_json:
        click.echo(json.dumps(_answer(opened, ended, seconds, facts, origin, repo)))
    else:
        _show(lines, opened, ended, seconds, facts, origin, repo)
    return {Why.FINISHED: exits.OK, Why.STOPPED: exits.OK, Why.KILLED: exits.INTERRUPTED}.get(ended.why, exits.FAILED)


@contextmanager
def _folder(repo: Path | None) -> Iterator[Path]:
    if repo is None:
        with TemporaryDirectory(prefix="whimbrel-try-") as folder:
            yield Path(folder)
    elif repo.exists() and (not repo.is_dir() or any(repo.iterdir())):
        raise click.UsageError(f"{repo} is there already. Name a new folder, or leave --repo out.")
    else:
        yield repo


def _run(opened: "OpenedCrawl", lines: Lines) -> "RunEnd":
    import uvloop

    from whimbrel.cli import crawl
    from whimbrel.cli.running import display_for

    return uvloop.run(crawl.watch(opened, display_for(opened.manager, None, lines)))


def _known(folder: Path) -> "list[ListedUrl]":
    from whimbrel.repository.engines import open_reader

    with open_reader(folder) as reader:
        return list(reader.urls())


def _first(facts: "list[ListedUrl]", outcome: str, rule: str = "") -> "ListedUrl | None":
    return next((fact for fact in facts if fact.outcome == outcome and fact.rule.startswith(rule)), None)


def _examples(facts: "list[ListedUrl]") -> dict[str, "ListedUrl | None"]:
    """One of everything that the site had in store, by the word it is shown under."""
    return {
        "copy": _first(facts, "duplicate"),
        "moved": _first(facts, "redirected"),
        "robots": _first(facts, "refused", "robots"),
        "trap": _first(facts, "refused", "trap"),
        "missing": _first(facts, "failed", "http_404"),
    }


def _answer(
    opened: "OpenedCrawl", ended: "RunEnd", seconds: float, facts: "list[ListedUrl]", origin: str, repo: Path | None
) -> dict[str, object]:
    from whimbrel.cli.page import as_object

    progress = opened.manager.progress
    shown = {origin + path for path in SHOWN_PAGES}
    return {
        "ended": ended.why,
        "repo": str(repo) if repo else None,
        "pages": progress.pages,
        "visits": progress.visits,
        "outcomes": progress.outcomes,
        "bytes": progress.bytes,
        "seconds": round(seconds, 3),
        "shown": [{"url": fact.url, "title": fact.title} for fact in facts if fact.url in shown],
        **{name: as_object(fact) if fact else None for name, fact in _examples(facts).items()},
    }


def _show(
    lines: Lines,
    opened: "OpenedCrawl",
    ended: "RunEnd",
    seconds: float,
    facts: "list[ListedUrl]",
    origin: str,
    repo: Path | None,
) -> None:
    from rich.console import Console

    from whimbrel.cli.display import summary

    summary(opened.manager, ended, seconds, lines)
    console = Console(highlight=False)
    titles: dict[str, str] = {fact.url: fact.title for fact in facts if fact.outcome == "fetched"}
    pages = [(path, titles[origin + path]) for path in SHOWN_PAGES if origin + path in titles]
    _table(console, f"Some of the {opened.manager.progress.pages} pages", pages)
    found = [(word, f"{fact.url}\n{_told(word, fact)}") for word, fact in _examples(facts).items() if fact is not None]
    bare = [(word, text.replace(origin, "").replace(origin.removeprefix("http://"), "")) for word, text in found]
    _table(console, "What else was there", bare)
    _table(console, "Try next", _next(repo))


def _told(word: str, fact: "ListedUrl") -> str:
    match word:
        case "copy":
            return f"{fact.reason} as {fact.duplicate_of}; the body is kept once"
        case "moved":
            return f"redirects {fact.reason}"
        case "robots":
            return f"not asked for; robots.txt says {fact.reason}"
        case "trap":
            return f"not followed; {fact.reason}"
        case _:
            return fact.reason


def _next(repo: Path | None) -> list[tuple[str, str]]:
    name = _name()
    look = [
        (f"{name} pages --repo {repo}", "what became of every URL"),
        (f"{name} search wader --repo {repo}", "search what is kept"),
        (f"{name} serve --repo {repo}", "search and read it in a browser"),
    ]
    return [
        *(look if repo else [(f"{name} try --repo garden", "the same, to search")]),
        (f"{name} crawl https://docs.example.org --limit 50", "a site of yours"),
        (f"{name} crawl --help", "all there is to set"),
    ]


def _name() -> str:
    """How this program is started here: a checkout has a launcher."""
    by_module = Path(sys.argv[0]).name == "__main__.py"
    checkout = Path(__file__).parents[3]
    return "./whimbrel" if by_module and (checkout / "requirements" / "core.lock").exists() else "whimbrel"


def _table(console: "Console", heading: str, rows: list[tuple[str, str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, words in rows:
        lines = "\n".join(harmless(line) for line in words.split("\n"))
        table.add_row(Text(f"  {harmless(name)}"), Text(lines))
    console.print()
    console.print(Text(heading, style="bold"))
    console.print(table)
