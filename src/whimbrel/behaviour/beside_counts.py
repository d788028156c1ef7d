"""What is believed of pages, drawn towards how often they were opened, as far as it is unsure.

Taking the place out of clicks is right in the mean and shaky where few looked; counting them is steady and leans to
what stands first. Where both differ by less than the doubt explains, the counts hold; where they differ by more, the
place explains it (Green and Strawderman, "A James-Stein type estimator for combining unbiased and possibly biased
estimators", 1991):

    share = 1 - (pages - 2) / Σ ((believed - counted) / doubt)²       over the pages of a question
"""

import numpy as np
from numpy.typing import NDArray

from whimbrel.behaviour.appeals import FLOOR, Floats

LEAST = 0.01
"""Of what is believed is always heard: it decides between pages that were opened as often."""


def beside_counts(believed: Floats, doubt: Floats, counted: Floats, question: NDArray[np.int64]) -> Floats:
    """One of each for a pair of question and page; `counted` on the same scale as what is believed."""
    apart = np.bincount(question, (believed - counted) ** 2 / np.maximum(FLOOR, doubt**2))
    free = np.maximum(0.0, np.bincount(question) - 2.0)
    share = np.clip(1.0 - free / np.maximum(FLOOR, apart), LEAST, 1.0)[question]
    found: Floats = share * believed + (1.0 - share) * counted
    return found


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
