"""What is believed of pages, drawn towards how often they were opened, as far as it is unsure.

Taking the place out of clicks is right in the mean and shaky where few looked; counting them is steady and leans to
what stands first. Where both differ by less than the doubt explains, the counts hold; where they surely differ by more,
the place explains it (Green and Strawderman, "A James-Stein type estimator for combining unbiased and possibly biased
estimators", 1991):

    share = 1 - (free + 2·√(2·free)) / Σ ((believed - counted) / doubt)²      free = pages of the question - 2

Counts are first put on the scale of what is believed, question by question: that places further down are looked at less
lowers all of them, and says nothing of how pages differ. Even then they may differ much in size and not in order, and
the order is what is wanted: where text ranks well, counts order pages rightly long before the places are known. So all
of it is heard only as far as the log, over all questions, speaks against the order that counts make.
"""

import numpy as np
from numpy.typing import NDArray

from whimbrel.behaviour.appeals import FLOOR, Floats
from whimbrel.behaviour.reading import FEWEST_COMPARED

LEAST = 0.01
"""Of what is believed is always heard: it decides between pages that were opened as often."""
STANDARD_ERRORS = 2.0
"""By which more than chance would make them must pages differ from their counts."""
HALF_READERS = 5.0
"""What so many readers did is believed half, where it cannot be told how far pages differ."""
MOST_LOOKS = 1e5
"""No page is looked at as often: what is heard so faintly moves none, and orders those that are otherwise equal."""


def beside_counts(believed: Floats, doubt: Floats, counted: Floats, question: NDArray[np.int64]) -> Floats:
    """One of each for a pair of question and page."""
    sure = 1.0 / np.maximum(FLOOR, doubt**2)
    among = np.bincount(question, sure * counted**2)
    scale = np.bincount(question, sure * believed * counted) / np.maximum(FLOOR, among)
    scaled = counted * scale[question]
    apart = np.bincount(question, sure * (believed - scaled) ** 2)
    free = np.maximum(0.0, np.bincount(question) - 2.0)
    by_chance = free + STANDARD_ERRORS * np.sqrt(2.0 * free)
    share = np.clip(1.0 - by_chance / np.maximum(FLOOR, apart), 0.0, 1.0)[question]
    share = np.maximum(LEAST, share * _order_doubted(believed, sure, counted, question))
    found: Floats = share * believed + (1.0 - share) * scaled
    return found


def _order_doubted(believed: Floats, sure: Floats, counted: Floats, question: NDArray[np.int64]) -> float:
    """How far what is believed speaks against the order that counts make, over all questions together: not at all where
    it differs from what would be in that order by less than its doubt, once a question."""
    order = np.lexsort((believed, counted, question))
    against = 0.0
    for at in np.split(order, np.flatnonzero(np.diff(question[order])) + 1):
        against += float((sure[at] * (believed[at] - rising(believed[at], sure[at])) ** 2).sum())
    return max(0.0, 1.0 - len(np.unique(question)) / max(FLOOR, against))


def rising(values: Floats, weights: Floats) -> Floats:
    """What is nearest to the values and never falls: neighbours that fall are put together (Ayer and others, "An
    empirical distribution function for sampling with incomplete information", 1955)."""
    groups: list[tuple[float, float, int]] = []
    for one, weight in zip(values.tolist(), weights.tolist(), strict=True):
        mean, total, size = one, weight, 1
        while groups and groups[-1][0] >= mean:
            before, heavy, many = groups.pop()
            mean = (before * heavy + mean * total) / (heavy + total)
            total, size = heavy + total, many + size
        groups.append((mean, total, size))
    return np.repeat([mean for mean, _, _ in groups], [size for _, _, size in groups])


def opened_share(clicked: Floats, shown: Floats) -> Floats:
    """How often each page was opened of the times it was shown, nearer to what is usual where chance explains as much:
    by the spread between pages beside that which so few looks have by chance (a beta-binomial, by its moments)."""
    looks = np.maximum(FLOOR, shown)
    usual = float(clicked.sum() / looks.sum())
    by_chance = usual * (1.0 - usual)
    between = float(np.average((clicked / looks - usual) ** 2 - by_chance / looks, weights=looks))
    worth = max(0.0, by_chance / max(FLOOR, between) - 1.0)
    found: Floats = (clicked + worth * usual) / (looks + worth)
    return found


def looks_to_believe(clicked: Floats, shown: Floats, depth: Floats) -> float:
    """How many looks at a page say as much of it as what is usual: the spread of one look by the spread between pages
    that neither chance nor their `depth` explains. Where the place alone may decide which are opened, as with readers
    who click at random, hardly any number of looks is enough."""
    several = shown > 1.0 + FLOOR  # one reader who asks again and again is one look, but for rounding
    looks, deep = shown[several], depth[several]
    if len(looks) < FEWEST_COMPARED:
        return HALF_READERS
    share = clicked[several] / looks
    usual, level = np.average(share, weights=looks), np.average(deep, weights=looks)
    across = np.average((deep - level) * (share - usual), weights=looks)
    slope = across / max(FLOOR, float(np.average((deep - level) ** 2, weights=looks)))
    expected = np.clip(usual + slope * (deep - level), FLOOR, 1.0 - FLOOR)
    of_a_look = expected * (1.0 - expected)
    between = float(np.average((share - expected) ** 2 - of_a_look / looks, weights=looks))
    one_look = float(np.average(of_a_look, weights=looks))
    return max(0.0, one_look / max(between, one_look / MOST_LOOKS) - 1.0)
