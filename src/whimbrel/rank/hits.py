"""HITS: a good hub links to good authorities, a good authority is linked from good hubs.

Kleinberg, "Authoritative Sources in a Hyperlinked Environment" (1999), on a set of results and their neighbours. Both
weights sum to one.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from whimbrel.rank.graph import Numbers, Shares

TOLERANCE = 1e-9
MOST_ROUNDS = 1_000


def hits(sources: Numbers, targets: Numbers, count: int, tolerance: float = TOLERANCE) -> tuple[Shares, Shares]:
    """Hub and authority weights of pages 0 … count−1; without any link all weigh the same."""
    if not count:
        return np.zeros(0), np.zeros(0)
    hubs: Shares = np.full(count, 1.0 / count)
    authorities: Shares = np.full(count, 1.0 / count)
    if not len(sources):
        return hubs, authorities
    for _ in range(MOST_ROUNDS):
        before = hubs
        authorities = _shares(np.bincount(targets, weights=hubs[sources], minlength=count))
        hubs = _shares(np.bincount(sources, weights=authorities[targets], minlength=count))
        if np.abs(hubs - before).sum() < tolerance:
            break
    return hubs, authorities


def _shares(weights: NDArray[Any]) -> Shares:
    shares: Shares = weights / weights.sum()
    return shares
