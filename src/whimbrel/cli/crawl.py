"""`whimbrel crawl`."""

import gc
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click
from msgspec import to_builtins

from whimbrel.cli import exits, options
from whimbrel.cli.afterwards import follow, tell_sitemaps
from whimbrel.cli.lines import Lines
from whimbrel.cli.words import harmless

if TYPE_CHECKING:
    from whimbrel.api import Opened
    from whimbrel.cli.display import Display
    from whimbrel.config import Settings
    from whimbrel.migrants.manager import Ended
    from whimbrel.records.url import Url
    from whimbrel.records.visit import Visit

EPILOG = f"""\b
Examples:
  whimbrel crawl https://docs.example.org --limit 5000
  whimbrel crawl https://a.example https://b.example --scope domain --depth 3
  whimbrel crawl --seeds list.txt --scope list
  whimbrel crawl https://shop.example --like https://shop.example/item/7
  whimbrel crawl https://docs.example.org --serve
  whimbrel crawl                          # go on where the folder stands

{exits.LIST}"""


@click.command(epilog=EPILOG)
@click.argument("urls", nargs=-1, metavar="[URL]...")
@click.option("--seeds", "seeds_file", metavar="FILE|-", help="More seeds, one a line; - reads standard input.")
@options.repo
@options.config
@click.option("--limit", type=int, metavar="N", help="Pages kept in the folder, in all.")
@click.option("--depth", type=int, metavar="N", help="Links followed from the nearest seed.")
@click.option("--delay", "delay_seconds", metavar="S", help="Seconds between requests to a host.  [1; loopback 0]")
@click.option("--migrants", metavar="N|LOW-HIGH|auto", help="Crawling processes.  [default: auto, with the load]")
@click.option("--order", metavar="ORDER", help="breadth, depth, coverage or priority.  [default: breadth]")
@click.option("--scope", metavar="host|domain|prefix|list", help="How far from the seeds.  [default: host]")
@click.option("--include", multiple=True, metavar="RE", help="Only URLs that match one of these.")
@click.option("--exclude", multiple=True, metavar="RE", help="No URL that matches one of these.")
@click.option("--like", multiple=True, metavar="URL", help="Keep only pages of the kind that these show.")
@click.option("--types", metavar="KIND,...", help="Kinds kept: html, text, pdf, office, feed, any.")
@click.option("--assets", is_flag=True, default=None, help="Keep same-site style sheets and images of kept pages.")
@click.option("--user-agent", metavar="TEXT", help="The name we go by.")
@click.option("--contact", metavar="TEXT", help="How a webmaster reaches you; goes into the user agent.")
@click.option("--header", "headers", multiple=True, metavar="'NAME: VALUE'", help="Sent with every request.")
@click.option("--auth", metavar="USER:PASSWORD", help="Basic authentication, to the seeds' hosts only.")
@click.option("--proxy", metavar="URL", help="Fetch through this proxy.")
@click.option("--allow-network", "allow_networks", multiple=True, metavar="NET", help="A private network to crawl.")
@click.option("--time-limit", "time_limit_seconds", metavar="TIME", help="End cleanly after this time (90s, 10m, 2h).")
@click.option("--twins-time", "twins_seconds", metavar="TIME", help="For near-duplicates afterwards (30s; 0: none).")
@click.option("--max-size", "max_size_bytes", metavar="SIZE", help="Largest document, decoded (32MB).")
@click.option("--serve", is_flag=True, help="Show the folder in a browser meanwhile: search, pages, the crawl itself.")
@click.option("--dry-run", is_flag=True, help="Say what would be done; fetch and write nothing.")
@click.option("--log-file", metavar="FILE", help="One JSON line a visit, appended.")
@options.as_json
def command(
    urls: tuple[str, ...],
    seeds_file: str | None,
    repo: Path | None,
    config: Path | None,
    serve: bool,
    dry_run: bool,
    log_file: str | None,
    as_json: bool,
    headers: tuple[str, ...],
    types: str | None,
    **given: object,
) -> int:
    """Crawl sites into a folder, or crawl a folder on.

    Polite by default: robots.txt, Crawl-delay and 429 are obeyed, a host is asked once a second, one request at a
    time. A killed crawl goes on with the same command and loses nothing.
    """
    # Loading and crawling make few cycles but a great many objects, among which the collector would look for some.
    gc.set_threshold(100_000, 50, 100)
    from whimbrel import api
    from whimbrel.config import load

    flags = _flags(given, headers, types, repo, log_file)
    folder = Path(load(config, os.environ, flags).repository.path)
    stored = None if urls or seeds_file else _stored(folder)
    settings = load(config, os.environ, flags, stored)
    try:
        seeds = api.read_seeds([*(urls or (() if seeds_file else settings.crawl.seeds)), *_lines(seeds_file)])
    except api.SeedError as error:
        raise click.UsageError(str(error)) from error
    if not seeds and not (folder / "crawl.sqlite").exists():
        raise click.UsageError(
            f"no seed given, and {folder} holds no crawl to go on with. Name one: whimbrel crawl https://example.org"
        )
    if dry_run:
        return _say(settings, seeds, folder, as_json)
    with _served(folder, as_json) if serve else nullcontext():
        return _crawl(settings, seeds, folder, as_json)


@contextmanager
def _served(folder: Path, as_json: bool) -> Iterator[None]:
    """The folder's pages in a browser for as long as the crawl runs."""
    from whimbrel.exchange.extras import MissingExtra, need

    try:
        need("search", "starlette")
        need("search", "tantivy")
    except MissingExtra as error:
        raise click.ClickException(str(error)) from error
    from whimbrel.web.server import Background, Opened, PortTaken
    from whimbrel.web.settings import Door

    folder.mkdir(parents=True, exist_ok=True)
    try:
        opened = Opened(folder, Door())
    except PortTaken as error:
        raise click.UsageError(f"{error} Serve the folder apart: whimbrel serve --port 0 --repo {folder}") from error
    with Background(opened):
        click.echo(f"{opened.address} shows this crawl while it runs; `whimbrel serve` does afterwards.", err=as_json)
        yield


def _flags(
    given: dict[str, object], headers: tuple[str, ...], types: str | None, repo: Path | None, log_file: str | None
) -> dict[str, object]:
    from whimbrel.api import flags_of

    flags = flags_of({name: value for name, value in given.items() if value is not None and value != ()})
    if headers:
        flags["fetch.headers"] = dict(_header(text) for text in headers)
    if types:
        flags["crawl.types"] = [kind.strip() for kind in types.split(",")]
    if repo is not None:
        flags["repository.path"] = str(repo)
    if log_file is not None:
        flags["log.file"] = log_file
    return flags


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise click.UsageError(f"--header {text!r} is not a header. Write it like --header 'Accept-Language: en'.")
    return name.strip(), value.strip()


def _lines(file: str | None) -> Iterable[str]:
    if file is None:
        return []
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"--seeds {file} cannot be read: {error}") from error
    return [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def _stored(folder: Path) -> dict[str, object] | None:
    """What the folder remembers of its last crawl; a bare `crawl` goes on with that."""
    from whimbrel.repository.embedded.opening import DATABASE, open_database

    if not (folder / DATABASE).exists():
        return None
    database = open_database(folder)
    row = database.execute("SELECT value FROM meta WHERE name = 'settings'").fetchone()
    database.close()
    return json.loads(row[0]) if row else None


def _say(settings: "Settings", seeds: "list[Url]", folder: Path, as_json: bool) -> int:
    from whimbrel import api

    brief = api.brief_for(settings, seeds, [])
    said = {
        "repo": str(folder),
        "seeds": list(seeds),
        "scope": settings.crawl.scope,
        "limit": settings.crawl.limit,
        "depth": settings.crawl.depth,
        "order": "structure" if settings.crawl.like else settings.crawl.order,
        "filters": brief.filters,
        "types": list(settings.crawl.types),
        "user_agent": brief.fetch.user_agent,
        "delay_seconds": brief.politeness.delay_seconds,
        "migrants": settings.crawl.migrants,
    }
    if as_json:
        click.echo(json.dumps(said))
    else:
        click.echo("Nothing is fetched. A crawl would run with:")
        for name, value in said.items():
            click.echo(f"  {name:14} {harmless(str(value))}")
    return exits.OK


def _crawl(settings: "Settings", seeds: "list[Url]", folder: Path, as_json: bool) -> int:
    import uvloop

    from whimbrel import api
    from whimbrel.cli.display import summary
    from whimbrel.cli.running import display_for

    gc.freeze()
    lines = Lines(err=as_json)
    log = _open_log(settings.log.file)
    try:
        opened = api.open_crawl(settings, seeds, folder)
    except api.SeedError as error:  # an example of `--like` that shows no kind of page
        raise click.UsageError(str(error)) from error
    began = time.monotonic()
    try:
        for note in opened.store.notes:
            lines.say(f"recovered: {note}", "yellow")
        ended = uvloop.run(watch(opened, display_for(opened.manager, opened.manager.limit, lines), log))
    finally:
        opened.store.close()
        if log is not None:
            log.close()
    seconds, cpu_seconds = time.monotonic() - began, time.process_time()
    if not as_json:
        summary(opened.manager, ended, seconds, lines)
    tell_sitemaps(folder, time.time() - seconds, lines)
    near = follow(folder, ended.why, seconds, settings.crawl.twins_seconds, lines)
    if as_json:
        progress = opened.manager.progress
        answer = {
            "ended": ended.why, "words": ended.words, "pages": progress.pages, "visits": progress.visits,
            "outcomes": progress.outcomes, "beside": progress.beside, "errors": progress.errors,
            "bytes": progress.bytes, "near": to_builtins(near), "seconds": round(seconds, 3),
            "cpu_seconds": {"home": round(cpu_seconds, 3), "migrants": round(progress.migrant_cpu_seconds, 3)},
        }  # fmt: skip
        click.echo(json.dumps(answer))
    return _exit_code(opened.manager.progress.outcomes, ended.why)


def _exit_code(outcomes: "dict[str, int]", why: str) -> int:
    """A run in which every single visit failed has failed, and so has one that could not even begin."""
    if why == "killed":
        return exits.INTERRUPTED
    bad = outcomes.get("failed", 0) + outcomes.get("unreachable", 0)
    fruitless = bad == sum(outcomes.values())
    return exits.FAILED if fruitless and (why == "waiting" or (why == "finished" and bad)) else exits.OK


async def watch(opened: "Opened", display: "Display", log: TextIO | None) -> "Ended":
    """Runs the crawl under a display, and ends it cleanly at the first Ctrl-C."""
    from whimbrel.cli.running import under

    manager = opened.manager
    if log is not None:
        manager.on_visits = _logger(log)
    return await under(display, manager, manager.run(opened.settings.crawl.time_limit_seconds))


def _open_log(file: str | None) -> TextIO | None:
    if not file:
        return None
    try:
        return Path(file).open("a", encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"the log {file} cannot be written: {error.strerror}") from error


def _logger(log: TextIO):  # type: ignore[no-untyped-def]
    async def write(visits: "list[Visit]") -> None:
        for visit in visits:
            line = {
                "at": round(visit.at, 3), "url": visit.url, "outcome": visit.outcome, "status": visit.status,
                "rule": visit.rule, "reason": visit.reason, "bytes": visit.received_bytes,
            }  # fmt: skip
            log.write(json.dumps(line) + "\n")
        log.flush()

    return write
