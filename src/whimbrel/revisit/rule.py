"""The selective incremental crawler's rule (P2 §3.2–3.3): a count of rounds that halves its distance to what was seen.

A page is visited every `fr_max` rounds; `fr` counts down to the visit. A page that did not change is still expanded
when enough of its known children changed; that threshold moves with what is found.
"""

from msgspec import Struct

ROUND_SECONDS = 86_400.0
RECORDS = 20
"""How many of the last visits count."""

FIRST_THRESHOLD = 0.4
LEAST_THRESHOLD, MOST_THRESHOLD = 0.1, 0.9


class Countdown(Struct, frozen=True, array_like=True):
    """`fr_max` rounds lie between two visits, `fr` are left."""

    fr_max: int = 1
    fr: int = 1


def next_fr_max(fr_max: int, records: int, changed: int, limit: int = RECORDS) -> int:
    """`changed` of the last min(records, limit) visits saw a change; with none, the page rests for as many rounds."""
    seen = min(records, limit)
    rest = seen / changed if changed else float(seen)
    return max(1, int((fr_max + rest) / 2))


def visited(countdown: Countdown, records: int, changed: int, limit: int = RECORDS) -> Countdown:
    fr_max = next_fr_max(countdown.fr_max, records, changed, limit)
    return Countdown(fr_max, fr_max)


def expands(changed: bool, children_changed: int, children: int, threshold: float = FIRST_THRESHOLD) -> bool:
    """Whether the links of a visited page are followed this round."""
    return changed or (children > 0 and children_changed / children >= threshold)


def moved_threshold(threshold: float, children_changed: int, children: int) -> float:
    """Half way to the share of children found changed; a page without known children teaches nothing."""
    if children <= 0:
        return threshold
    halfway = (threshold + children_changed / children) / 2
    return min(MOST_THRESHOLD, max(LEAST_THRESHOLD, halfway))
