"""How much of an action counts as having done it (P0 ch. 6): counts and durations become items of a basket."""

from collections.abc import Mapping

from whimbrel.records.deed import Action

ONCE = 1.0
ACTIVE_SECONDS = 30.0
GOOD_STARS = 4.0

LEAST: Mapping[Action, float] = {Action.TIME: ACTIVE_SECONDS, Action.ACTIVE: ACTIVE_SECONDS, Action.STARS: GOOD_STARS}
"""From which amount on an action is an item of a reader's basket: once, where nothing else is said."""


def basket(amounts: Mapping[Action, float], least: Mapping[Action, float] = LEAST) -> frozenset[Action]:
    """What one reader did with one page, as the items that patterns are made of."""
    return frozenset(action for action, amount in amounts.items() if amount >= least.get(action, ONCE))
