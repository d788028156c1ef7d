"""`whimbrel refresh`."""

import gc
import json
import os
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
from msgspec import to_builtins

from whimbrel.cli import exits, hooks, notices, options
from whimbrel.cli.afterwards import follow, missed, tell_missing, tell_sitemaps, tell_unseen
from whimbrel.cli.folder import many
from whimbrel.cli.lines import Lines
from whimbrel.cli.page_filters import need_page_filter
from whimbrel.cli.watching import HookWanted, Telling, WatchPlan, exit_code, keep_at_it, tell
from whimbrel.cli.words import duration, number, size
from whimbrel.records.ending import Why

if TYPE_CHECKING:
    from collections.abc import Callable

    from whimbrel.api import Refreshing
    from whimbrel.config import Settings
    from whimbrel.flows.refresh.course import RefreshWish
    from whimbrel.flows.refresh.saving import Savings
    from whimbrel.migrants.home.ending import RunEnd
    from whimbrel.records.visit import Visit

EPILOG = f"""\b
Examples:
  whimbrel refresh
  whimbrel refresh --all --repo my-folder
  whimbrel refresh --all --confirm
  whimbrel refresh --budget 500 --time-limit 10m
  whimbrel refresh --watch --budget 600

{exits.LIST}"""

_WORDS = {
    "not modified": "unchanged, as the server said",
    "same bytes": "fetched, and the same to the byte",
    "noise": "fetched, only noise differed",
    "unread": "fetched, only what nobody reads differed",
    "looked at": "asked for once more: a place differed that had differed before",
    "changed": "changed",
    "moved": "moved",
    "missing": "missing or in doubt, asked again before they count as gone",
    "gone": "gone",
    "still gone": "still gone",
    "restored": "back again",
    "refused": "now ask not to be kept",
    "away": "not reached, kept as they are",
    "listed": "sitemaps read",
}


@click.command(epilog=EPILOG)
@click.option("--all", "everything", is_flag=True, help="Every page, due or not.")
@click.option("--budget", type=click.IntRange(1), metavar="N", help="At most N visits, where they are worth most.")
@click.option("--confirm", is_flag=True, help="Ask again now for pages that are missing; takes a minute longer.")
@click.option("--watch", is_flag=True, help="Keep at it; the budget then is one for each hour.")
@click.option("--delay", "delay_seconds", metavar="S", help="Seconds between requests to a host.")
@click.option("--keep-noise", is_flag=True, default=None, help="Also keep versions that differ in noise only.")
@click.option("--tell-unread", is_flag=True, default=None, help="Also tell of scripts, styles and looks alone.")
@click.option("--migrants", metavar="N|LOW-HIGH|auto", help="How many crawling processes.")
@click.option("--time-limit", "time_limit_seconds", metavar="TIME", help="End cleanly after this time (90s, 10m, 2h).")
@options.credentials
@click.option("--webhook", metavar="URL", help="Post the changes there as JSON, each at least once.")
@click.option(
    "--twins-time",
    "twins_seconds",
    metavar="TIME",
    help="Longest search for near-twins afterwards (30s; 0: none).",
)
@options.repo
@options.config
@options.as_json
def command(
    everything: bool,
    budget: int | None,
    confirm: bool,
    watch: bool,
    webhook: str | None,
    auth: tuple[str, ...],
    headers: tuple[str, ...],
    cookies: tuple[str, ...],
    repo: Path | None,
    config: Path | None,
    as_json: bool,
    **given: object,
) -> int:
    """Visit pages again, fetch what changed, and say what that saved.

    Asks for what is due by each page's own rate of change, with conditional requests, and skips what a sitemap that
    has earned it calls unchanged. A killed refresh goes on with the same command and loses nothing. Who is to be told
    of changes stands in [[notify]] tables of the settings.
    """
    flags = RefreshFlags(everything, budget, confirm, webhook, auth, headers, cookies, repo, config, as_json, given)
    if watch:
        return watch_for(flags, None)
    settings, folder, wish = flags.understood()
    telling = flags.telling(settings, folder)
    code = exit_code(once(settings, folder, wish, as_json))
    return code if tell(folder, telling, hooks.TRIES) else code or exits.FAILED


class RefreshFlags(NamedTuple):
    """What was typed, for one refresh or for a watch."""

    everything: bool
    budget: int | None
    confirm: bool
    webhook: str | None
    auth: tuple[str, ...]
    headers: tuple[str, ...]
    cookies: tuple[str, ...]
    repo: Path | None
    config: Path | None
    as_json: bool
    given: dict[str, object]

    def understood(self) -> "tuple[Settings, Path, RefreshWish]":
        from whimbrel.api import flags_of, from_flags, stored_seeds, stored_settings, wish_for
        from whimbrel.config import load

        flags = flags_of({name: value for name, value in self.given.items() if value is not None})
        if self.repo is not None:
            flags["repository.path"] = str(self.repo)
        folder = Path(load(self.config, os.environ, flags).repository.path)
        settings = load(self.config, os.environ, flags, stored_settings(folder))
        settings = from_flags(settings, self.auth, self.headers, self.cookies, stored_seeds(folder))
        need_page_filter(settings)
        return (
            settings,
            folder,
            wish_for(settings, everything=self.everything, budget=self.budget, confirm=self.confirm),
        )

    def telling(self, settings: "Settings", folder: Path) -> Telling:
        hook = HookWanted(hooks.checked(self.webhook), time.time()) if self.webhook is not None else None
        return Telling(hook, notices.wanted_by(settings, folder), settings)


def watch_for(flags: RefreshFlags, rounds: int | None) -> int:
    from msgspec.structs import replace

    settings, folder, wish = flags.understood()
    telling = flags.telling(settings, folder)

    def visit(wish: "RefreshWish", committed: "Callable[[], None] | None") -> "RunEnd":
        return once(settings, folder, wish, flags.as_json, committed)

    return keep_at_it(WatchPlan(folder, replace(wish, unattended=True), telling, visit, rounds, flags.as_json))


def once(
    settings: "Settings", folder: Path, wish: "RefreshWish", as_json: bool,
    committed: "Callable[[], None] | None" = None,
) -> "RunEnd":  # fmt: skip
    """One refresh, from the lock to the summary; `committed` is called whenever visits have become durable."""
    import uvloop

    from whimbrel import api

    gc.freeze()
    lines = Lines(err=as_json)
    refreshing = api.open_refresh(settings, folder, wish)
    store, manager = refreshing.opened.store, refreshing.opened.manager
    if committed is not None:
        manager.listen(partial(_committed, committed))
    began = time.monotonic()
    try:
        for note in store.notes:
            lines.say(f"recovered: {note}", "yellow")
        for warning in refreshing.opened.warnings:
            lines.say(warning, "yellow")
        if refreshing.course.left:
            lines.say("going on with a refresh that was cut off; the next one begins anew")
        ended = uvloop.run(_watched(refreshing, lines))
        saved = api.saved_by(refreshing)
        next_due = refreshing.course.next_due
    finally:
        store.close()
    seconds = time.monotonic() - began
    unseen = missed(folder, manager.progress.pages).unseen
    if not as_json:
        _summary(saved, ended, seconds, next_due, lines)
        tell_unseen(unseen, lines)
    missing = tell_missing(folder, lines)
    tell_sitemaps(folder, time.time() - seconds, lines)
    near = follow(folder, ended.why, seconds, settings.crawl.twins_seconds, lines)
    if as_json:
        click.echo(
            json.dumps(
                as_object(saved, ended, seconds, next_due)
                | {"unseen": to_builtins(unseen), "missing": missing, "near": to_builtins(near)}
            )
        )
    return ended


async def _committed(tell: "Callable[[], None]", visits: "list[Visit]") -> None:
    tell()


async def _watched(refreshing: "Refreshing", lines: Lines) -> "RunEnd":
    """Under a display, ended cleanly at the first Ctrl-C."""
    from whimbrel import api
    from whimbrel.cli.running import display_for, under

    manager = refreshing.opened.manager
    return await under(display_for(manager, None, lines), manager, api.run_refresh(refreshing))


def as_object(saved: "Savings", ended: "RunEnd", seconds: float, next_due: float | None) -> dict[str, object]:
    return {
        "ended": ended.why,
        "words": ended.words,
        "asked": saved.asked,
        "found": {name.replace(" ", "_"): saved.standings.get(name, 0) for name in _WORDS},
        "new": saved.new,
        "skipped": saved.skipped,
        "copies": saved.copies,
        "because": saved.because,
        "bytes": saved.received_bytes,
        "recrawl": {"pages": saved.recrawl_pages, "bytes": saved.recrawl_bytes},
        "next_due_at": next_due,
        "seconds": round(seconds, 3),
    }


def _summary(saved: "Savings", ended: "RunEnd", seconds: float, next_due: float | None, lines: Lines) -> None:
    rows = [(number(saved.asked), f"asked in {duration(seconds)}")]
    for name, words in _WORDS.items():
        if count := saved.standings.get(name, 0):
            rows.append((number(count), words))
    if saved.new:
        rows.append((number(saved.new), "visited for the first time, or never kept"))
    if saved.skipped:
        rows.append((number(saved.skipped), "skipped: a sitemap that was right so far says unchanged"))
    if saved.copies:
        rows.append(
            (number(saved.copies), "left out: copies of pages that are kept, by a learned rule (`whimbrel twins`)")
        )
    rows += [(number(count), f"asked besides: {words}") for words, count in saved.because.items()]
    lines.table(rows)
    spared = 1 - saved.received_bytes / saved.recrawl_bytes if saved.recrawl_bytes else 0.0
    lines.say(
        f"received {size(saved.received_bytes)}; fetching all that is kept anew "
        f"({many(saved.recrawl_pages, 'document')}) takes {size(saved.recrawl_bytes)}: "
        f"{f'{spared:.0%}' if spared > 0 else 'nothing'} saved"
    )
    if not saved.asked:
        when = f"; the next page is due in {duration(next_due - time.time())}" if next_due else ""
        lines.say(f"nothing is due{when}. `whimbrel refresh --all` asks for everything.")
    elif ended.why not in (Why.FINISHED, Why.WAITING):
        lines.say(ended.words)
