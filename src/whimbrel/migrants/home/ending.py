"""When a run is over because nothing is left that could be asked for now."""

from math import inf

from msgspec import Struct

from whimbrel.migrants.home.crew import Crew
from whimbrel.migrants.home.ledger import Ledger
from whimbrel.records.ending import Why


class RunEnd(Struct, frozen=True):
    """Why a crawl is over, in a word and in a sentence."""

    why: Why
    words: str


def limit_reached(asked_for: int | None, limit: int | None, what: str) -> RunEnd:
    """`asked_for` is how many pages of what was asked for are kept, None where everything is wanted."""
    if asked_for is not None:
        return RunEnd(Why.LIMIT, f"{asked_for} pages of what was asked for are kept: that is the limit")
    return RunEnd(Why.LIMIT, f"the limit of {limit} {what}{'' if limit == 1 else 's'} is reached")


def nothing_left(ledger: Ledger, crew: Crew, patience_seconds: float, now: float) -> RunEnd | None:
    """Why nobody has anything to do; None where something is due soon, or with a migrant that falls asleep."""
    due = ledger.next_due()
    if due is None:
        sleepers = [name for name, proxy in crew.asleep.items() if proxy.leases]
        if sleepers and crew.drowsy:
            return None
        if sleepers:
            names = ", ".join(sleepers)
            return RunEnd(Why.ASLEEP, f"all that is left is with {names}, asleep; `whimbrel migrants activate {names}`")
        return RunEnd(Why.FINISHED, "everything in scope has been visited")
    next_at, reason = due
    if next_at == inf:
        return RunEnd(Why.SESSION, reason)
    wait = next_at - now
    if wait > patience_seconds:
        why = f" ({reason})" if reason else ""
        return RunEnd(Why.WAITING, f"all that is left has to wait {_duration(wait)}{why}; run the command again then")
    return None


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{round(seconds)} s"
    return f"{round(seconds / 60)} min" if seconds < 7200 else f"{round(seconds / 3600)} h"
