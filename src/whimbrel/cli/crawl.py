"""`whimbrel crawl`."""

import gc
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import to_builtins

from whimbrel.cli import exits, options
from whimbrel.cli.afterwards import follow, missed, tell_named, tell_sitemaps, tell_unseen
from whimbrel.cli.lines import Lines
from whimbrel.cli.page_filters import need_page_filter
from whimbrel.cli.seed_files import seeds_in
from whimbrel.cli.words import harmless
from whimbrel.records.ending import Why

if TYPE_CHECKING:
    from whimbrel.api import OpenedCrawl
    from whimbrel.api.seeds import Named
    from whimbrel.cli.display import Display
    from whimbrel.config import Settings
    from whimbrel.migrants.home.ending import RunEnd
    from whimbrel.records.url import Url

EPILOG = f"""\b
Examples:
  whimbrel crawl https://docs.example.org --limit 5000
  whimbrel crawl https://a.example https://b.example --scope domain --depth 3
  whimbrel crawl --seeds list.txt --scope list
  whimbrel crawl --seeds bookmarks.html --scope list --assets
  whimbrel crawl https://shop.example --like https://shop.example/item/7
  whimbrel crawl https://docs.example.org --keep 'page.language == "de"'
  whimbrel crawl https://docs.example.org --collection 500
  whimbrel crawl https://docs.example.org --topic "event loop"
  whimbrel crawl https://docs.example.org --serve
  whimbrel crawl                          # go on where the folder stands

{exits.LIST}"""


_SECTIONS = {
    "Where to begin, how far to go": (
        "--seeds", "--limit", "--scope", "--depth", "--include", "--exclude", "--time-limit", "--collection",
    ),
    "What to keep": ("--types", "--assets", "--only", "--max-size", "--keep", "--like", "--shows", "--exhaustive"),
    "Pages about a topic": ("--topic", "--examples", "--terms", "--strategy", "--threshold", "--judges"),
    "How to ask": (
        "--delay", "--order", "--query", "--migrants", "--user-agent", "--contact", "--proxy", "--allow-network",
    ),
    "Logging in": ("--auth", "--header", "--cookies"),
}  # fmt: skip


@click.command(cls=options.SectionedCommand, sections=_SECTIONS, epilog=EPILOG)
@click.argument("urls", nargs=-1, metavar="[URL]...")
@click.option(
    "--seeds",
    "seeds_file",
    metavar="FILE|-",
    help="More seeds, one a line, or a browser's bookmarks (HTML); - reads standard input.",
)
@options.repo
@options.config
@click.option("--limit", type=int, metavar="N", help="Stop at N pages in the folder, in all.")
@click.option(
    "--collection", type=int, metavar="N", help="Hold N pages: the least important makes room for a more important one."
)
@click.option("--depth", type=int, metavar="N", help="How many links away from the seeds to go.")
@click.option(
    "--delay", "delay_seconds", metavar="S", help="Seconds between requests to a host.  [1; on this machine 0]"
)
@click.option("--migrants", metavar="N", help="How many crawling processes: a number, LOW-HIGH, or auto (default).")
@click.option(
    "--order", metavar="ORDER", help="What comes first: breadth (default), depth, coverage, priority, similarity."
)
@click.option("--query", metavar="WORDS", help="With --order similarity: the words by which pages are alike.")
@click.option(
    "--scope", metavar="SCOPE", help="How far from the seeds links may lead: host (default), domain, prefix, list."
)
@click.option("--include", multiple=True, metavar="RE", help="Only URLs that match one of these.")
@click.option("--exclude", multiple=True, metavar="RE", help="No URL that matches one of these.")
@click.option("--keep", metavar="CEL", help="Keep only pages for which this holds, as `page.words > 200`.")
@click.option("--like", multiple=True, metavar="URL", help="Keep only pages built like this one (repeatable).")
@click.option(
    "--shows", multiple=True, metavar="CLASS", help="Keep only pages that show a picture of this class (repeatable)."
)
@click.option("--topic", "subject", metavar="WORDS", help="Keep only pages about this, the most promising links first.")
@click.option("--examples", multiple=True, metavar="URL", help="A page that shows the topic (repeatable).")
@click.option("--terms", metavar="FILE", help="Keywords of the topic, as `whimbrel topic --save` writes them.")
@click.option(
    "--strategy",
    metavar="NAME",
    help="With --topic: learned (default), best, shark, fish, hits, pagerank, breadth, depth.",
)
@click.option("--threshold", type=float, metavar="0-1", help="Relevance needed to be kept.  [default: found out]")
@click.option(
    "--judges",
    metavar="RULE",
    help="With --like and --topic together: any (default), all, or a rule as `topic and not language:de`.",
)
@click.option("--types", metavar="KIND,...", help="What to keep: html, text, pdf, office, feed, any.")
@click.option("--assets", is_flag=True, default=None, help="Keep same-site style sheets and images of kept pages.")
@click.option(
    "--only",
    type=click.Choice(["images"]),
    metavar="images",
    help="Keep pictures alone, and the pages that show them; --limit counts them.",
)
@click.option("--exhaustive", is_flag=True, default=None, help="Ask also for kinds of URLs that never brought a page.")
@click.option("--user-agent", metavar="TEXT", help="The name that servers see.")
@click.option("--contact", metavar="TEXT", help="How a webmaster reaches you; goes into the user agent.")
@options.credentials
@click.option(
    "--allow-network", "allow_networks", multiple=True, metavar="NET", help="A private network that may be crawled."
)
@click.option("--time-limit", "time_limit_seconds", metavar="TIME", help="End cleanly after this time (90s, 10m, 2h).")
@click.option(
    "--twins-time",
    "twins_seconds",
    metavar="TIME",
    help="Longest search for near-twins afterwards (30s; 0: none).",
)
@click.option("--max-size", "max_size_bytes", metavar="SIZE", help="Largest document to keep, unpacked (32MB).")
@click.option("--serve", is_flag=True, help="Show the folder in a browser meanwhile: search, pages, the crawl itself.")
@click.option("--from-browser", is_flag=True, hidden=True)  # whoever filled the form in may not be the owner
@click.option("--dry-run", is_flag=True, help="Say what would be done; fetch and write nothing.")
@click.option("--log-file", metavar="FILE", help="Add a JSON line to this file for every visit.")
@options.as_json
def command(
    urls: tuple[str, ...],
    seeds_file: str | None,
    repo: Path | None,
    config: Path | None,
    serve: bool,
    from_browser: bool,
    dry_run: bool,
    log_file: str | None,
    as_json: bool,
    auth: tuple[str, ...],
    headers: tuple[str, ...],
    cookies: tuple[str, ...],
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
    from whimbrel.repository.engines import exists

    flags = _flags(given, types, repo, log_file)
    folder = Path(load(config, os.environ, flags).repository.path)
    stored = None if urls or seeds_file else _stored(folder, flags)
    settings = load(config, os.environ, flags, stored)
    try:
        named = api.read_named([*(urls or (() if seeds_file else settings.crawl.seeds)), *seeds_in(seeds_file)])
    except api.SeedError as error:
        raise click.UsageError(str(error)) from error
    seeds = named.seeds
    settings = api.from_flags(settings, auth, headers, cookies, seeds or api.stored_seeds(folder))
    somebody_knows = given.get("subject") and settings.topic.search_url
    if not seeds and not exists(folder) and not somebody_knows:
        raise click.UsageError(
            f"no seed given, and {folder} holds no crawl to go on with. Name one: whimbrel crawl https://example.org"
        )
    need_page_filter(settings)
    if given.get("query") and settings.crawl.order != "similarity":
        raise click.UsageError("--query goes with --order similarity. To keep only pages about something: --topic.")
    if settings.places.entries_first:
        from whimbrel.exchange.extras import need

        need("search")  # entries are found by stems
    if settings.crawl.collection is not None or settings.crawl.order == "similarity":
        from whimbrel.exchange.extras import need

        need("search", "numpy")  # ranks and likeness are worked out by it
    if settings.crawl.shows:
        from whimbrel.exchange.extras import need

        need("search", "numpy", "PIL")
    elsewhere = False
    if settings.topic.subject or settings.topic.terms:
        named, elsewhere = _for_topic(settings, named, folder, bool(given.get("subject")))
    if dry_run:
        return _say(settings, seeds, folder, as_json)
    with _served(folder, as_json) if serve else nullcontext():
        return _crawl(settings, named, folder, as_json, from_browser, elsewhere)


@contextmanager
def _served(folder: Path, as_json: bool) -> Iterator[None]:
    """The folder's pages in a browser for as long as the crawl runs."""
    from whimbrel.cli.index import need_search

    need_search()
    from whimbrel.web.server import Background, OpenedServer, PortTaken
    from whimbrel.web.settings import Door

    folder.mkdir(parents=True, exist_ok=True)
    try:
        opened = OpenedServer(folder, Door())
    except PortTaken as error:
        raise click.UsageError(f"{error} Serve the folder apart: whimbrel serve --port 0 --repo {folder}") from error
    with Background(opened):
        click.echo(f"{opened.address} shows this crawl while it runs; `whimbrel serve` does afterwards.", err=as_json)
        yield


def _flags(given: dict[str, object], types: str | None, repo: Path | None, log_file: str | None) -> dict[str, object]:
    from whimbrel.api import flags_of

    flags = flags_of({name: value for name, value in given.items() if value is not None and value != ()})
    if types:
        flags["crawl.types"] = [kind.strip() for kind in types.split(",")]
    if repo is not None:
        flags["repository.path"] = str(repo)
    if log_file is not None:
        flags["log.file"] = log_file
    return flags


def _stored(folder: Path, flags: dict[str, object]) -> dict[str, Any] | None:
    """What the folder remembers of its last crawl; a bare `crawl` goes on with that. How many pages it may hold is said
    in one of two ways: the one that is given now takes the other's place. What showed a topic shows no other."""
    from whimbrel import api
    from whimbrel.repository.engines import exists

    stored = api.stored_settings(folder) if exists(folder) else None
    for given, other in (("limit", "collection"), ("collection", "limit")):
        if stored is not None and f"crawl.{given}" in flags:
            stored.get("crawl", {}).pop(other, None)
    topic = stored.get("topic", {}) if stored is not None else {}
    if flags.get("topic.subject", topic.get("subject")) != topic.get("subject"):
        for name in ("examples", "terms", "threshold"):
            topic.pop(name, None)
    return stored


def _say(settings: "Settings", seeds: "list[Url]", folder: Path, as_json: bool) -> int:
    from whimbrel import api

    brief = api.brief_for(settings, seeds, [])
    said = {
        "repo": str(folder),
        "seeds": list(seeds),
        "scope": settings.crawl.scope,
        "limit": settings.crawl.limit,
        "collection": settings.crawl.collection,
        "depth": settings.crawl.depth,
        "order": _order(settings),
        "filters": brief.filters,
        "keep": settings.crawl.keep,
        "only": settings.crawl.only,
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


def _for_topic(settings: "Settings", named: "Named", folder: Path, given: bool) -> "tuple[Named, bool]":
    """What a topic needs is made importable; without seeds it begins where our own index answers best, then where the
    endpoint of the settings does. Also whether that one was asked."""
    from whimbrel import api
    from whimbrel.cli.index import caught_up, need_search
    from whimbrel.repository.engines import exists

    need_search()
    from whimbrel.api.topics import hits, wish_of

    if named.seeds or not given:
        return named, False
    if exists(folder):
        caught_up(folder)
    most, subject = settings.topic.seed_pages, wish_of(settings).subject
    try:
        found = [url for url, _ in hits(folder, subject, settings)]
        asked = len(found) < most and settings.topic.search_url is not None
        if asked:
            from whimbrel.api.endpoint import asked_elsewhere

            found += asked_elsewhere(settings, subject, most - len(found))
    except api.SeedError as error:
        raise click.UsageError(str(error)) from error
    if not found:
        raise click.UsageError(
            f"no URL given, and {'neither ' if asked else ''}the index of {folder} "
            f"{'nor the search endpoint ' if asked else ''}has {'a' if asked else 'no'} page about "
            f"{settings.topic.subject!r} to begin with. Name a URL to begin at."
        )
    return api.read_named(found), asked


def _order(settings: "Settings") -> str:
    if settings.topic.subject or settings.topic.terms:
        return f"topic, {settings.topic.strategy}"
    return "structure" if settings.crawl.like else settings.crawl.order


def _crawl(
    settings: "Settings", given: "Named", folder: Path, as_json: bool, from_browser: bool, elsewhere: bool = False
) -> int:
    import uvloop

    from whimbrel import api
    from whimbrel.cli.display import summary
    from whimbrel.cli.running import display_for
    from whimbrel.flows.telling.fates import fates, in_vain

    gc.freeze()
    lines = Lines(err=as_json)
    try:
        opened = api.open_crawl(
            settings, given.seeds, folder, from_browser=from_browser, found_elsewhere=elsewhere, assumed=given.assumed
        )
    except api.SeedError as error:  # an example of `--like` that shows no kind of page, or of `--topic` that is not it
        raise click.UsageError(str(error)) from error
    began = time.monotonic()
    try:
        for note in opened.store.notes:
            lines.say(f"recovered: {note}", "yellow")
        for warning in opened.warnings:
            lines.say(warning, "yellow")
        ended = uvloop.run(watch(opened, display_for(opened.manager, opened.manager.limit, lines)))
        named = fates(given.seeds, opened.store)
    finally:
        opened.store.close()
    seconds, cpu_seconds = time.monotonic() - began, time.process_time()
    not_here = missed(folder, opened.manager.progress.pages)
    if not as_json:
        summary(opened.manager, ended, seconds, lines)
        tell_unseen(not_here.unseen, lines)
    tell_named(named, lines)
    tell_sitemaps(folder, time.time() - seconds, lines)
    near = follow(folder, ended.why, seconds, settings.crawl.twins_seconds, lines)
    if as_json:
        progress = opened.manager.progress
        answer = {
            "ended": ended.why, "words": ended.words, "pages": progress.pages, "visits": progress.visits,
            "outcomes": progress.outcomes, "beside": progress.beside, "errors": progress.errors,
            "bytes": progress.bytes, "unseen": to_builtins(not_here.unseen), "named": to_builtins(named),
            "near": to_builtins(near),            "seconds": round(seconds, 3),
            "cpu_seconds": {"home": round(cpu_seconds, 3), "migrants": round(progress.migrant_cpu_seconds, 3)},
        }  # fmt: skip
        click.echo(json.dumps(answer))
    outcomes = opened.manager.progress.outcomes
    if named and ended.why not in (Why.KILLED, Why.SESSION):
        return exits.FAILED if not_here.shells or in_vain(named, outcomes["fetched"], ended.why) else exits.OK
    return exits.FAILED if not_here.shells else _exit_code(outcomes, ended.why)


def _exit_code(outcomes: "dict[str, int]", why: str) -> int:
    """A run in which every single visit failed has failed, and so has one that could not even begin."""
    if why == Why.KILLED:
        return exits.INTERRUPTED
    if why == Why.SESSION:
        return exits.FAILED
    bad = outcomes.get("failed", 0) + outcomes.get("unreachable", 0)
    fruitless = bad == sum(outcomes.values())
    return exits.FAILED if fruitless and (why == Why.WAITING or (why == Why.FINISHED and bad)) else exits.OK


async def watch(opened: "OpenedCrawl", display: "Display") -> "RunEnd":
    """Runs the crawl under a display, and ends it cleanly at the first Ctrl-C."""
    from whimbrel import api
    from whimbrel.cli.running import under

    return await under(display, opened.manager, api.run_crawl(opened))
