"""How much of an action counts as having done it (P0 ch. 6): counts and durations become items of a basket."""

from collections.abc import Mapping

from msgspec import Struct, field

from whimbrel.behaviour.patterns import MIN_CONFIDENCE, MIN_SUPPORT
from whimbrel.records.deed import Action

ONCE = 1.0
ACTIVE_SECONDS = 30.0
GOOD_STARS = 4.0

LEAST: Mapping[Action, float] = {Action.TIME: ACTIVE_SECONDS, Action.ACTIVE: ACTIVE_SECONDS, Action.STARS: GOOD_STARS}
"""From which amount on an action is an item of a reader's basket: once, where nothing else is said."""


TIMES = frozenset({Action.TIME, Action.ACTIVE})
ORDINARY_WORDS = 480
"""Of a page that takes two minutes. The least of times holds for such a page, and for others by their length."""
TOP_QUERIES = 20
"""For so many questions, those asked most often, patterns are looked for by themselves, as the paper does."""


class MiningSettings(Struct, frozen=True):
    """A support that is a whole number is a count of readers, a fraction a share of them."""

    min_support: float = MIN_SUPPORT
    min_confidence: float = MIN_CONFIDENCE
    least: dict[Action, float] = field(default_factory=lambda: dict(LEAST))
    top_queries: int = TOP_QUERIES


USUAL = MiningSettings()


def basket(amounts: Mapping[Action, float], least: Mapping[Action, float] = LEAST, words: int = 0) -> frozenset[Action]:
    """What one reader did with one page of so many words (0: not known), as the items that patterns are made of."""
    longer = words / ORDINARY_WORDS if words > 0 else 1.0
    return frozenset(
        action
        for action, amount in amounts.items()
        if amount >= least.get(action, ONCE) * (longer if action in TIMES else 1.0)
    )
