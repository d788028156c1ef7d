"""PageRank: the chance to find a reader on a page who follows links at random and now and then starts anew.

Brin and Page, "The Anatomy of a Large-Scale Hypertextual Web Search Engine" (1998), §2.1, with ranks that sum to one.
A page without links sends its readers anywhere.
"""

from collections.abc import Callable

import numpy as np

from whimbrel.rank.graph import Numbers, Shares

DAMPING = 0.85
TOLERANCE = 1e-9
MOST_ROUNDS = 200


def pagerank(
    sources: Numbers, targets: Numbers, count: int, damping: float = DAMPING, tolerance: float = TOLERANCE
) -> Shares:
    """The ranks of pages 0 … count−1. Rounds end where all ranks together move by less than `tolerance`."""
    links_out = np.bincount(sources, minlength=count)
    return settled(
        links_out,
        lambda shares: np.bincount(targets, weights=shares[sources], minlength=count).astype(np.float64),
        damping=damping,
        tolerance=tolerance,
    )


def settled(
    links_out: Numbers,
    passed_on: Callable[[Shares], Shares],
    damping: float = DAMPING,
    tolerance: float = TOLERANCE,
) -> Shares:
    """The same, wherever the links are: `passed_on` tells what pages are given when each gives its share along every
    link."""
    count = len(links_out)
    if not count:
        return np.zeros(0)
    share = 1.0 / np.maximum(links_out, 1)
    dangling = links_out == 0
    ranks: Shares = np.full(count, 1.0 / count)
    for _ in range(MOST_ROUNDS):
        new = damping * (passed_on(ranks * share) + ranks[dangling].sum() / count) + (1.0 - damping) / count
        moved = np.abs(new - ranks).sum()
        ranks = new
        if moved < tolerance:
            break
    total: Shares = ranks / ranks.sum()
    return total
