"""Links as two arrays, prepared once for many rounds of adding up."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.int64]
Shares: TypeAlias = NDArray[np.float64]


def distinct(sources: Numbers, targets: Numbers, count: int) -> tuple[Numbers, Numbers]:
    """Every link once, without those from a page to itself: a page does not vouch for itself, or twice."""
    apart = sources != targets
    both = np.unique(sources[apart] * count + targets[apart])
    return both // count, both % count
