"""How much pages may appeal, and how frequent each degree of it is before anybody clicked: what all ways to read clicks
share.

Text has one number, how much rarer good pages are further down. It is not known beforehand whether text ranks well at
all, so both are tried: a text that does, and one that puts pages anywhere.
"""

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEVELS = np.geomspace(0.02, 0.95, 14)
"""The appeals that pages may have: a grid, fine enough for an order."""
LEAP = 0.25
FLOOR = 1e-6


class TextBelief(Struct, frozen=True):
    """How far text is believed to put good pages first before anything is known: the best level is e⁻ʳᵃⁿᵏˢ as frequent,
    beside the worst, with every doubling of the place; `doubt` is how much less likely it is held to be."""

    ranks: float
    doubt: float


SPREAD = 0.5
"""How sure a belief in text is."""
BELIEFS = (TextBelief(2.0, 0.0), TextBelief(0.0, 3.0))


def prior(rarer: float, belief: TextBelief) -> float:
    """The logarithm of how likely it is that good pages are so much rarer further down."""
    away = (rarer - belief.ranks) / SPREAD
    return -away * away / 2 - belief.doubt


def shares(depth: Floats, frequent: Floats, rarer: float) -> Floats:
    """How frequent each level is among pages so far down."""
    goodness = np.linspace(0.0, 1.0, len(LEVELS))
    found = frequent - rarer * np.outer(depth, goodness)
    found = np.exp(found - found.max(axis=1, keepdims=True))
    told: Floats = np.maximum(FLOOR, found / found.sum(axis=1, keepdims=True))
    return told


def moved(held: Floats, depth: Floats, frequent: Floats, rarer: float, belief: TextBelief) -> tuple[Floats, float]:
    """A step towards the shares of levels that make what is held of pages likeliest: by scaling, and by Newton's
    method."""
    goodness = np.linspace(0.0, 1.0, len(LEVELS))
    before = shares(depth, frequent, rarer)
    wanted, had = held.sum(axis=0) + 1.0, before.sum(axis=0) + 1.0
    mean = before @ goodness
    slope = float(depth @ (mean - held @ goodness)) - (rarer - belief.ranks) / SPREAD**2
    bend = float(depth**2 @ (before @ goodness**2 - mean**2)) + 1.0 / SPREAD**2
    # Both move at once, so neither may leap: far from where they meet a step would lead further away.
    return frequent + np.log(wanted / had), rarer + min(LEAP, max(-LEAP, slope / bend))
