"""One score from several reasons, and the reasons kept apart.

    score = text + meaning + link + freshness + reader + topic + profile + cited,   each a weight × a value from 0 to 1

    text       the page's text score ÷ the best text score among the candidates of the query
    meaning    how near the page's vector is to the question's ÷ the nearest of all pages; 0 without vectors
    link       log(1 + n·rank) ÷ log(1 + n·highest rank), n pages: PageRank spans orders of magnitude
    freshness  ½ ^ (age ÷ half-life)
    reader     what readers make of the page; ½, that is neutral, for a page nobody has read
    topic      how near the page is to the topic of the crawl; ½ without a topic
    profile    how near the page is to what interests the one who asks; 0 for who said nothing of it
    cited      how many pages link to it, and how well those of them fit that answer; 0 where that is not asked

A sum, so that each part can be shown and argued about by itself; text first, because a page that does not say what was
asked for is no answer however many link to it.
"""

import math

import numpy as np
from msgspec import Struct

from whimbrel.rank.graph import Shares

NEUTRAL = 0.5
SECONDS_A_DAY = 86_400.0


class Weights(Struct, frozen=True):
    text: float
    meaning: float
    link: float
    freshness: float
    reader: float
    topic: float
    profile: float = 0.0
    cited: float = 0.0


class Values(Struct, frozen=True):
    """The values of one page, each between 0 and 1."""

    text: float
    meaning: float
    link: float
    freshness: float
    reader: float = NEUTRAL
    topic: float = NEUTRAL
    profile: float = 0.0
    cited: float = 0.0


class Columns(Struct, frozen=True):
    """The same of many pages at once; a number is the value of all of them."""

    text: Shares
    meaning: Shares
    link: Shares
    freshness: Shares
    reader: Shares | float = NEUTRAL
    topic: Shares | float = NEUTRAL
    profile: Shares | float = 0.0
    cited: Shares | float = 0.0


PARTS = Values.__struct_fields__


def points(values: Values, weights: Weights) -> dict[str, float]:
    """What each part adds, in the order of the formula."""
    return {name: getattr(weights, name) * getattr(values, name) for name in PARTS}


def scores(columns: Columns, weights: Weights) -> Shares:
    """The scores of many pages."""
    total: Shares = np.zeros(len(columns.text))
    for name in PARTS:
        total += getattr(weights, name) * getattr(columns, name)
    return total


def link_values(ranks: Shares, highest: float, pages: int) -> Shares:
    if highest <= 0.0:
        return np.zeros(len(ranks))
    values: Shares = np.minimum(1.0, np.log1p(pages * np.maximum(ranks, 0.0)) / math.log1p(pages * highest))
    return values


def freshness_values(ages_seconds: Shares, half_life_days: float) -> Shares:
    """1 for what was changed now, one half after a half-life; what claims to come from the future counts as new."""
    values: Shares = 0.5 ** (np.maximum(0.0, ages_seconds) / (half_life_days * SECONDS_A_DAY))
    return values
