"""Reading time, read with care (P0 §2.4.5, §6.2.1): set against the words of the page and the reader's own pace.

A minute on a page of fifty words is an idle tab or a slow reader; on a page of five thousand it is a glance. What
counts is the share of the page that could have been read in the time the reader was active.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from statistics import fmean, variance

from msgspec import Struct

WORDS_A_SECOND = 238 / 60
"""Silent reading of English non-fiction, the mean over 190 studies (Brysbaert, "How many words do we read per
minute?", 2019)."""
PLAUSIBLE = (WORDS_A_SECOND / 4, WORDS_A_SECOND * 4)
PRIOR_PAGES = 5.0
"""So many pages of a reader's own count as much as what is known of readers in general."""
LEAST_WORDS = 30
"""On a page that says nearly nothing, time says nearly nothing."""
FEWEST_COMPARED = 20
"""Pages that it takes to tell what differs between pages from what differs between readers."""
NEUTRAL = 0.5
PRIOR_READERS = 10.0
"""So many readers say as much of a page as is known of pages in general, while it is not known whether readers of one
page agree: with less, readers who act by chance move pages whose words fit nearly alike."""


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


def readers_to_believe(shares: Collection[Sequence[float]]) -> float:
    """How many readers of a page say as much as what is usual: the spread among readers of one page by the spread
    among pages (as an analysis of variance has it), as far as that is sure. Where pages may all be read alike, as by
    chance, no number of readers is enough."""
    several = [each for each in shares if len(each) > 1]
    freedom = sum(len(each) - 1 for each in several)
    within = math.fsum((len(each) - 1) * variance(each) for each in several) / freedom if freedom else 0.0
    if len(several) < FEWEST_COMPARED:
        return PRIOR_READERS
    among = variance([fmean(each) for each in several])
    by_chance = within * fmean(1.0 / len(each) for each in several)
    between = among * (1.0 - 2.0 * math.sqrt(2.0 / (len(several) - 1))) - by_chance
    # One reader never says more than what is expected, however well others agree.
    return max(1.0, within / between) if between > 0.0 else math.inf


def found_by(shares: Sequence[float], expected: float, doubt: float = PRIOR_READERS) -> float:
    """What readers found of a page, time spent or stars: a few readers say little, so it is as if `doubt` more had
    found it as `expected`. Of many the longest and the shortest fifth are left out: what a few do by far otherwise than
    the others is not the page's."""
    if math.isinf(doubt):
        return expected
    found = sorted(shares)
    found = found[len(found) // 5 : len(found) - len(found) // 5]
    return (doubt * expected + math.fsum(found)) / (doubt + len(found))


def beside_usual(found: float, usual: float) -> float:
    """From 0 to 1, ½ being usual."""
    return found / (found + usual) if usual > 0 else NEUTRAL
