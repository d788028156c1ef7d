"""Reading time, read with care (P0 §2.4.5, §6.2.1): set against the words of the page and the reader's own pace.

A minute on a page of fifty words is an idle tab or a slow reader; on a page of five thousand it is a glance. What
counts is the share of the page that could have been read in the time the reader was active.
"""

import math
from collections.abc import Iterable

from msgspec import Struct

WORDS_A_SECOND = 238 / 60
"""Silent reading of English non-fiction, the mean over 190 studies (Brysbaert, "How many words do we read per
minute?", 2019)."""
PLAUSIBLE = (WORDS_A_SECOND / 4, WORDS_A_SECOND * 4)
PRIOR_PAGES = 5.0
"""So many pages of a reader's own count as much as what is known of readers in general."""
LEAST_WORDS = 30
"""On a page that says nearly nothing, time says nearly nothing."""
NEUTRAL = 0.5


class Stay(Struct, frozen=True):
    """A reader's time on a page: seconds in which something moved, and the words that the page has."""

    active_seconds: float
    words: int


def pace(stays: Iterable[Stay]) -> float:
    """Words a second of one reader. Stays that nobody reads at are left out: glances and tabs that were forgotten."""
    weight, total = PRIOR_PAGES, PRIOR_PAGES * math.log(WORDS_A_SECOND)
    for stay in stays:
        if stay.words < LEAST_WORDS or stay.active_seconds <= 0:
            continue
        speed = stay.words / stay.active_seconds
        if PLAUSIBLE[0] <= speed <= PLAUSIBLE[1]:
            weight += 1.0
            total += math.log(speed)
    return math.exp(total / weight)


def share_read(stay: Stay, words_a_second: float) -> float | None:
    """How much of the page there was time for, 1 at most; None where time says nothing."""
    if stay.words < LEAST_WORDS or not math.isfinite(stay.active_seconds) or stay.active_seconds < 0:
        return None
    return min(1.0, stay.active_seconds * words_a_second / stay.words)


def time_value(shares: Iterable[float], usual: float, prior_readers: float = 3.0) -> float:
    """What time spent says of a page, from 0 to 1, ½ being usual: each reader's share against what is usual here.

    A few readers say little: the prior stands for so many who found the page as usual as any.
    """
    read = list(shares)
    if not read or usual <= 0:
        return NEUTRAL
    mean = (prior_readers * usual + math.fsum(read)) / (prior_readers + len(read))
    return mean / (mean + usual)
