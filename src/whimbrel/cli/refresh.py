"""`whimbrel refresh`."""

import gc
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
from msgspec import to_builtins

from whimbrel.cli import exits, hooks, options
from whimbrel.cli.afterwards import follow, missed, tell_missing, tell_sitemaps, tell_unseen
from whimbrel.cli.lines import Lines
from whimbrel.cli.words import duration, number, size
from whimbrel.records.ending import Why

if TYPE_CHECKING:
    from whimbrel.api import Refreshing
    from whimbrel.cli.running import Interrupts
    from whimbrel.config import Settings
    from whimbrel.flows.refresh.course import RefreshWish, Savings
    from whimbrel.migrants.home.manager import RunEnd

EPILOG = f"""\b
Examples:
  whimbrel refresh
  whimbrel refresh --all --repo my-folder
  whimbrel refresh --all --confirm
  whimbrel refresh --budget 500 --time-limit 10m
  whimbrel refresh --watch --budget 600

{exits.LIST}"""

ROUND_SECONDS = 300.0
HOUR_SECONDS = 3600.0
_WORDS = {
    "not modified": "unchanged, as the server said",
    "same bytes": "fetched, and the same to the byte",
    "noise": "fetched, only noise differed",
    "unread": "fetched, only what nobody reads differed",
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
    help="Longest search for near-duplicates afterwards (30s; 0: none).",
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
    has earned it calls unchanged. A killed refresh goes on with the same command and loses nothing.
    """
    from whimbrel.api import flags_of, from_flags, stored_seeds, stored_settings, wish_for
    from whimbrel.config import load

    flags = flags_of({name: value for name, value in given.items() if value is not None})
    if repo is not None:
        flags["repository.path"] = str(repo)
    folder = Path(load(config, os.environ, flags).repository.path)
    settings = load(config, os.environ, flags, stored_settings(folder))
    settings = from_flags(settings, auth, headers, cookies, stored_seeds(folder))
    wish = wish_for(settings, everything=everything, budget=budget, confirm=confirm)
    hook = HookWanted(hooks.checked(webhook), time.time()) if webhook is not None else None
    if watch:
        return _keep_at_it(settings, folder, wish, hook, as_json)
    code = _exit_code(once(settings, folder, wish, as_json))
    if hook is not None and _post(folder, hook, hooks.TRIES):
        return code or exits.FAILED
    return code


class HookWanted(NamedTuple):
    """Where changes are posted, and from when on the first time."""

    url: str
    since: float


def _post(folder: Path, hook: HookWanted, tries: int) -> str:
    """What stood in the way, already said."""
    problem = hooks.words(hooks.deliver(folder, hook.url, None, hook.since, tries=tries))
    if problem:
        click.secho(problem, fg="yellow", err=True)
    return problem


def _keep_at_it(settings: "Settings", folder: Path, wish: "RefreshWish", hook: HookWanted | None, as_json: bool) -> int:
    """Round after round until Ctrl-C or SIGTERM; between two rounds the folder is free for others."""
    from whimbrel.cli.running import Interrupts

    with Interrupts() as interrupts:
        try:
            return _rounds(settings, folder, wish, hook, as_json, interrupts)
        except KeyboardInterrupt:
            return exits.OK  # no run was under way


def _rounds(
    settings: "Settings",
    folder: Path,
    wish: "RefreshWish",
    hook: HookWanted | None,
    as_json: bool,
    interrupts: "Interrupts",
) -> int:
    from whimbrel.repository.contract import FolderBusy

    seconds, share = round_of(wish)
    while True:
        words = ""
        try:
            ended = once(settings, folder, share, as_json)
            if hook is not None:
                _post(folder, hook, 1)
            if ended.why in (Why.STOPPED, Why.KILLED):
                return _exit_code(ended)
        except FolderBusy as busy:
            words = f"{busy} "
        if interrupts.heard:  # and caught by what follows a run
            return exits.OK
        click.echo(f"{words}the next round is in {duration(seconds)}; Ctrl-C ends the watch", err=as_json)
        time.sleep(seconds)


def round_of(wish: "RefreshWish") -> "tuple[float, RefreshWish]":
    """How long a round takes, and its part of an hour's budget."""
    from msgspec.structs import replace

    if wish.budget is None:
        return ROUND_SECONDS, wish
    seconds = max(ROUND_SECONDS, HOUR_SECONDS / wish.budget)
    return seconds, replace(wish, budget=max(1, int(wish.budget * seconds / HOUR_SECONDS)))


def _exit_code(ended: "RunEnd") -> int:
    if ended.why == Why.SESSION:
        return exits.FAILED
    return exits.INTERRUPTED if ended.why == Why.KILLED else exits.OK


def once(settings: "Settings", folder: Path, wish: "RefreshWish", as_json: bool) -> "RunEnd":
    """One refresh, from the lock to the summary."""
    import uvloop

    from whimbrel import api

    gc.freeze()
    lines = Lines(err=as_json)
    refreshing = api.open_refresh(settings, folder, wish)
    store, manager = refreshing.opened.store, refreshing.opened.manager
    began = time.monotonic()
    try:
        for note in store.notes:
            lines.say(f"recovered: {note}", "yellow")
        for warning in refreshing.opened.warnings:
            lines.say(warning, "yellow")
        if refreshing.course.left:
            lines.say(f"going on with {number(refreshing.course.left)} visits left from before")
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
        f"received {size(saved.received_bytes)}; fetching all {number(saved.recrawl_pages)} pages anew takes "
        f"{size(saved.recrawl_bytes)}: {f'{spared:.0%}' if spared > 0 else 'nothing'} saved"
    )
    if not saved.asked:
        when = f"; the next page is due in {duration(next_due - time.time())}" if next_due else ""
        lines.say(f"nothing is due{when}. `whimbrel refresh --all` asks for everything.")
    elif ended.why not in (Why.FINISHED, Why.WAITING):
        lines.say(ended.words)
