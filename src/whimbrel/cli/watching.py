"""Round after round: what is due is visited again, made searchable, and told."""

import ctypes
import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

import click

from whimbrel.cli import exits, hooks, notices
from whimbrel.cli.following import Following
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
_STORES_AT_MOST = -8
"""M_ARENA_MAX of malloc.h."""


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
    """`visit` makes one round and says how it ended; it calls what it is given after each commit. `rounds` is how many
    there are, None for no end."""

    folder: Path
    wish: "RefreshWish"
    telling: Telling
    visit: "Callable[[RefreshWish, Callable[[], None] | None], RunEnd]"
    rounds: int | None
    as_json: bool


def keep_at_it(plan: WatchPlan) -> int:
    """Round after round until Ctrl-C or SIGTERM; between two rounds the folder is free for others."""
    from whimbrel.cli.running import Interrupts

    share_one_store()
    with Interrupts(gently=True) as interrupts:
        try:
            with _listening(plan.folder) as told, Following(plan.folder) as index:
                return _rounds(plan, interrupts, told, index)
        except KeyboardInterrupt:
            return exits.INTERRUPTED  # the second one


@contextmanager
def _listening(folder: Path) -> "Iterator[Event]":
    """What is set when a place tells of changes; where no place has joined, never."""
    from whimbrel.api.travelling import has_places
    from whimbrel.exchange.extras import is_installed

    if not has_places(folder) or not is_installed("places"):
        yield Event()
        return
    from whimbrel.places.home.listening import Listening

    with Listening(folder) as listening:
        yield listening.told


def _rounds(plan: WatchPlan, interrupts: "Interrupts", told: "Event", index: Following) -> int:
    from msgspec.structs import replace

    from whimbrel.repository.contract import FolderBusy

    seconds, share = round_of(plan.wish)
    left, regular = plan.rounds, 0.0
    while True:
        words, began = "", time.monotonic()
        early = began < regular
        told.clear()
        try:
            # What else is due has its time; a page that was told of is not to wait for it.
            ended = plan.visit(replace(share, told=True), index.soon) if early else plan.visit(share, None)
            index.now()
            tell(plan.folder, plan.telling, 1)
            if ended.why in (Why.STOPPED, Why.KILLED):
                return exit_code(ended)
        except FolderBusy as busy:
            words = f"{busy} "
        give_back()
        left = left - 1 if left is not None else None
        if left != 0 and not interrupts.heard:
            now = time.monotonic()
            regular = regular if early else now + seconds
            coming = duration(max(0.0, regular - now))
            click.echo(f"{words}the next round is in {coming}; Ctrl-C ends the watch", err=plan.as_json)
            if early:  # whoever tells of changes all the time has home ask for half of it at most
                interrupts.wait(min(now - began, regular - now))
            interrupts.wait(regular - time.monotonic(), told)
        if left == 0 or interrupts.heard:
            return exits.OK


def share_one_store() -> None:
    """Lets all threads take memory from one store, of which all that is free can be given back: of the stores that the
    GNU C library keeps for threads beside it, it gives back some."""
    if choose := getattr(ctypes.CDLL(None), "mallopt", None):
        choose(_STORES_AT_MOST, 1)


def give_back() -> None:
    """Returns to the system what a round has left behind: in 400 rounds it came to a tenth of all memory."""
    # A round sets aside what is there when it begins, for speed: what is garbage among that goes too.
    gc.unfreeze()
    gc.collect()
    # The GNU C library keeps freed pieces between others that are in use; other libraries have no such call.
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)


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


def tell(folder: Path, telling: Telling, tries: int) -> bool:
    """Whether all of them took it; what stood in the way is said."""
    problem = ""
    if telling.hook is not None:
        problem = hooks.words(hooks.deliver(folder, telling.hook.url, None, telling.hook.since, tries=tries))
        if problem:
            warn(problem)
    return not notices.tell(folder, telling.notices, telling.settings) and not problem
