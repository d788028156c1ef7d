"""What a reader can do with a page (P0 ch. 6), and how much of it counts as having done it."""

from collections.abc import Mapping
from enum import IntEnum


class Action(IntEnum):
    """The paper's thirteen by its numbers, then what it names beside them. Logs keep the numbers: they never change."""

    SCROLL = 1
    COPY = 2
    FIND = 3
    BACK = 4
    OPEN = 5
    FORWARD = 6
    STOP = 7
    FAVOURITE = 8
    PRINT = 9
    SAVE = 10
    LINK = 11
    HOME = 12
    CLICK = 13
    TIME = 14
    ACTIVE = 15
    KEYS = 16
    REFRESH = 17
    STARS = 18


ONCE = 1.0
ACTIVE_SECONDS = 30.0
GOOD_STARS = 4.0


LEAST: Mapping[Action, float] = {Action.TIME: ACTIVE_SECONDS, Action.ACTIVE: ACTIVE_SECONDS, Action.STARS: GOOD_STARS}
"""From which amount on an action is an item of a reader's basket: once, where nothing else is said."""


def basket(amounts: Mapping[Action, float], least: Mapping[Action, float] = LEAST) -> frozenset[Action]:
    """What one reader did with one page, as the items that patterns are made of."""
    return frozenset(action for action, amount in amounts.items() if amount >= least.get(action, ONCE))
