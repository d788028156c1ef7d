"""Round after round: what is due is visited again, made searchable, and told."""

import gc
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from whimbrel.cli import exits, hooks, notices
from whimbrel.cli.journal import warn
from whimbrel.cli.words import duration
from whimbrel.records.ending import Why

if TYPE_CHECKING:
    from whimbrel.cli.running import Interrupts
    from whimbrel.config import Settings
    from whimbrel.flows.refresh.course import RefreshWish
    from whimbrel.flows.telling.notices import NoticeWanted
    from whimbrel.migrants.home.ending import RunEnd

ROUND_SECONDS = 300.0
HOUR_SECONDS = 3600.0


class HookWanted(NamedTuple):
    """Where changes are posted, and from when on the first time."""

    url: str
    since: float


class Telling(NamedTuple):
    """Who is told of changes."""

    hook: HookWanted | None
    notices: "list[NoticeWanted]"
    settings: "Settings"


class WatchPlan(NamedTuple):
    """`visit` makes one round and says how it ended; `rounds` is how many there are, None for no end."""

    folder: Path
    wish: "RefreshWish"
    telling: Telling
    visit: "Callable[[RefreshWish], RunEnd]"
    rounds: int | None
    as_json: bool


def keep_at_it(plan: WatchPlan) -> int:
    """Round after round until Ctrl-C or SIGTERM; between two rounds the folder is free for others."""
    from whimbrel.cli.running import Interrupts

    with Interrupts(gently=True) as interrupts:
        try:
            return _rounds(plan, interrupts)
        except KeyboardInterrupt:
            return exits.INTERRUPTED  # the second one


def _rounds(plan: WatchPlan, interrupts: "Interrupts") -> int:
    from whimbrel.repository.contract import FolderBusy

    seconds, share = round_of(plan.wish)
    left = plan.rounds
    while True:
        words = ""
        try:
            ended = plan.visit(share)
            make_searchable(plan.folder)
            tell(plan.folder, plan.telling, 1)
            if ended.why in (Why.STOPPED, Why.KILLED):
                return exit_code(ended)
        except FolderBusy as busy:
            words = f"{busy} "
        # A round sets aside what is there when it begins, for speed: after it, what is garbage among that goes too.
        gc.unfreeze()
        gc.collect()
        left = left - 1 if left is not None else None
        if left != 0 and not interrupts.heard:
            click.echo(f"{words}the next round is in {duration(seconds)}; Ctrl-C ends the watch", err=plan.as_json)
            interrupts.wait(seconds)
        if left == 0 or interrupts.heard:
            return exits.OK


def round_of(wish: "RefreshWish") -> "tuple[float, RefreshWish]":
    """How long a round takes, and its part of an hour's budget."""
    from msgspec.structs import replace

    if wish.budget is None:
        return ROUND_SECONDS, wish
    seconds = max(ROUND_SECONDS, HOUR_SECONDS / wish.budget)
    return seconds, replace(wish, budget=max(1, int(wish.budget * seconds / HOUR_SECONDS)))


def exit_code(ended: "RunEnd") -> int:
    if ended.why == Why.SESSION:
        return exits.FAILED
    return exits.INTERRUPTED if ended.why == Why.KILLED else exits.OK


def make_searchable(folder: Path) -> None:
    """What came in goes into the index, where somebody ever asked for search."""
    from whimbrel.exchange.extras import is_installed

    if is_installed("search"):
        from whimbrel.cli.index import caught_up

        for note in caught_up(folder):
            warn(note)


def tell(folder: Path, telling: Telling, tries: int) -> bool:
    """Whether all of them took it; what stood in the way is said."""
    problem = ""
    if telling.hook is not None:
        problem = hooks.words(hooks.deliver(folder, telling.hook.url, None, telling.hook.since, tries=tries))
        if problem:
            warn(problem)
    return not notices.tell(folder, telling.notices, telling.settings) and not problem
