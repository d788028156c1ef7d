"""Which sitemaps and lists of changes a refresh asks for, before any page: they tell where to go."""

from whimbrel.flows.listing import USUAL_PLACE_RULE, change_lists, offered_by
from whimbrel.flows.refresh.again import HERE
from whimbrel.flows.refresh.leading import Leading
from whimbrel.records.visit import Link
from whimbrel.repository.contract import RobotsCopy, Visited
from whimbrel.repository.port.writer import Writer
from whimbrel.revisit.classes import HOUR, YEAR

SITEMAPS_REST_SECONDS = HOUR
MISSING_SITEMAPS_REST_SECONDS = YEAR / 12
SITEMAPS_SHARE = 0.25
"""Of a budget, at most: the way to which they lead has to be paid too."""


def is_list_due(one: Visited, now: float) -> bool:
    rest = SITEMAPS_REST_SECONDS if one.outcome in HERE else MISSING_SITEMAPS_REST_SECONDS
    return now - one.visited_at >= rest


def leading_to_most(due: list[Visited], leading: Leading, budget: int, now: float) -> list[Visited]:
    """What a part of the budget pays for."""
    best = sorted(due, key=lambda one: -leading.worth(one, now))
    return best[: max(1, int(SITEMAPS_SHARE * budget))]


def lists_to_discover(store: Writer, known: set[int], budget: int | None) -> list[tuple[Link, str]]:
    """Those that robots files name, the usual place where they name none, and where lists of changes would be; each
    with the rule by which it is tried."""
    copies = [RobotsCopy(origin, 0.0, status, body) for origin, status, body in store.past.origins()]
    named, guessed = offered_by(copies, guessing=True)
    lists = {link.key: link for link in change_lists(copies) if link.key not in known}
    looked_for = store.known(lists)
    unasked = [link for key, link in lists.items() if key not in looked_for]
    guessed += unasked[: None if budget is None else int(SITEMAPS_SHARE * budget)]
    found = {link.key: (link, USUAL_PLACE_RULE) for link in guessed} | {link.key: (link, "") for link in named}
    fresh = found.keys() - known
    return [found[key] for key in fresh - store.known(fresh).keys()]
