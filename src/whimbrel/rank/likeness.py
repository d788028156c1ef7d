"""How like the others a page is in the words of a query, and by its links: the ordering of Siddiqui and Singh.

A term weighs w = (½ + ½ f / max f) · log((N + 1) / df), after Salton and Buckley; the 1 keeps a term alive that is on
every page. With W the sum of a page's weights, two pages are alike by S = WxWy / (Wx² + Wy² − WxWy). A page's content
score is .7 ΣS over all pages, itself included, its structure score .3 ΣsimRank, its total both.

What it cannot do shows in every table of it: a page without the term still weighs half of log((N + 1) / df), and being
like all others is not being about the query. `bm25` stands beside it.
"""

import numpy as np
from numpy.typing import NDArray

from whimbrel.rank.graph import Numbers, Shares

CONTENT, STRUCTURE = 0.7, 0.3
SATURATION, LENGTH = 1.2, 0.75
"""k1 and b of BM25, as Lucene has them."""

_ROWS = 256
_CURVE = 512


def query_weights(counts: NDArray[np.int64], most: Numbers) -> Shares:
    """W of each page. `counts` has a row a page and a column a term; `most` is how often a page says its commonest
    word."""
    known = counts[:, (counts > 0).any(axis=0)]
    rarity = np.log((len(counts) + 1) / np.maximum((known > 0).sum(axis=0), 1))
    weights: Shares = ((0.5 + 0.5 * known / np.maximum(most, 1)[:, None]) * rarity).sum(axis=1)
    return weights


def likeness_sums(weights: Shares) -> Shares:
    """ΣS of each page over all pages."""
    values, which, pages = np.unique(weights, return_inverse=True, return_counts=True)
    found: Shares = _sums(values, values, pages)[which]
    return found


def likeness_among(weights: Shares, others: Shares) -> Shares:
    """ΣS of each weight over the pages with these others. Many weights are read off a curve: it bends slowly."""
    values, pages = np.unique(others, return_counts=True)
    at: Shares = np.unique(weights)
    if len(at) > _CURVE:
        at = np.linspace(at[0], at[-1], _CURVE)
    return np.interp(weights, at, _sums(at, values, pages)) if len(at) else np.zeros(0)


def _sums(own_values: Shares, values: Shares, pages: Numbers) -> Shares:
    sums: Shares = np.zeros(len(own_values))
    for first in range(0, len(own_values), _ROWS):
        own = own_values[first : first + _ROWS, None]
        both = own * values
        below = own * own + values * values - both
        sums[first : first + _ROWS] = np.divide(both, below, out=np.zeros_like(both), where=below > 0) @ pages
    return sums


def bm25(counts: NDArray[np.int64], lengths: Numbers) -> Shares:
    """Robertson and others, "Okapi at TREC-3" (1994), with a logarithm that is never negative."""
    if not len(counts):
        return np.zeros(0)
    holding = (counts > 0).sum(axis=0)
    rarity = np.log(1 + (len(counts) - holding + 0.5) / (holding + 0.5))
    long = 1 - LENGTH + LENGTH * lengths / max(1.0, float(lengths.mean()))
    scores: Shares = (rarity * counts * (SATURATION + 1) / (counts + SATURATION * long[:, None])).sum(axis=1)
    return scores
