"""Which pages of a parcel home looks at: each with the chance that is due to it, and as many as can be foreseen.

Pages lie by size, in strata of as many as one look is due to; of each stratum at most one is drawn. So large pages are
drawn in their proportion rather than by luck, and false pages of one stratum are missed less often than by a draw each.
A parcel is whole before anything of it is drawn, and each has draws of its own: whoever sees home's requests learns
nothing of what will be drawn later.
"""

from collections.abc import Sequence
from random import Random

_ROUNDING = 1e-9


def drawn(shares: Sequence[float], sizes: Sequence[int], chance: Random) -> list[int]:
    """The places of those drawn, in their order; `shares` are chances, of 1 at most."""
    found: list[int] = []
    point, filled = chance.random(), 0.0
    for place in sorted(range(len(sizes)), key=sizes.__getitem__):
        share = shares[place]
        if filled + share > 1.0 + _ROUNDING:
            point, filled = chance.random(), 0.0
        if filled <= point < filled + share:
            found.append(place)
        filled += share
    return sorted(found)
