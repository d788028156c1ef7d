"""What a run does when it has ended: looks, for a while, for near-duplicates and rules among what it brought.

Reading a kept page and comparing it takes as much CPU as fetching it did. So a run is lengthened by a fiftieth of its
time at the most: a crawl that was polite has long been done by then, one that kept the machine busy leaves the rest to
the next run or to `whimbrel twins`. What is left is known by its sequence number, whatever ends this.
"""

import time
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from whimbrel.dedupe.dust import RuleState, redundant
from whimbrel.flows.twins.file import all_rules
from whimbrel.flows.twins.near import Near, SketchingDone
from whimbrel.repository.location import Where, located

SHARE = 0.02
LEAST_SECONDS = 0.5
BATCH = 8
LOADING_SECONDS = 20e-6
"""For each page known, before the first new one can be compared."""


class TwinsFollowed(Struct, frozen=True):
    """Pages looked at and how many are nearly another's; rules by name; events left for later."""

    pages: int = 0
    twins: int = 0
    learned: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    left: int = 0


def allowed_seconds(run_seconds: float, most_seconds: float) -> float:
    return min(most_seconds, max(LEAST_SECONDS, SHARE * run_seconds))


def follow(where: Where, seconds: float, now: float, clock: Callable[[], float] = time.monotonic) -> TwinsFollowed:
    """Follows what is new for so many seconds, a batch more at the most. Whoever interrupts it loses a batch."""
    end = clock() + seconds
    folder = located(where).beside
    before = _rules_by_state(folder)
    with Near(where) as follower:
        if follower.sketched * LOADING_SECONDS > seconds:
            return TwinsFollowed(left=follower.pending())
        caught: SketchingDone = follower.catch_up(now, enough=lambda: clock() >= end, batch=BATCH)
        left = follower.pending()
    after = _rules_by_state(folder)
    return TwinsFollowed(
        pages=caught.pages,
        twins=caught.twins,
        learned=tuple(sorted(after[RuleState.LEARNED] - before[RuleState.LEARNED])),
        withdrawn=tuple(sorted(after[RuleState.WITHDRAWN] - before[RuleState.WITHDRAWN])),
        left=left,
    )


def _rules_by_state(folder: Path) -> dict[RuleState, set[str]]:
    found: dict[RuleState, set[str]] = {RuleState.LEARNED: set(), RuleState.WITHDRAWN: set()}
    for rules in all_rules(folder).values():
        for standing in rules.standings:
            if standing.state in found and not redundant(rules, standing):
                found[standing.state].add(str(standing.rule))
    return found
