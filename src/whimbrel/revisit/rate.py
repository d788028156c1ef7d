"""How often a page changes, from visits at irregular times that only say whether it did.

Changes are taken to come as a Poisson process of rate λ. A visit after a gap g finds the page unchanged with
probability e^(−λg), however many changes there were: maximum likelihood over the gaps (Cho and Garcia-Molina,
"Estimating frequency of change", TOIT 2003). With few visits the maximum lies at nought or at infinity, so a Gamma
prior stands in until visits outweigh it; the estimate is the posterior's mode over log λ, and its curvature there says
how sure it is.

What has to be kept is small: unchanged gaps only count by their sum, changed ones are gathered by their power of two.
"""

from math import exp, expm1, log, log2

from msgspec import Struct

from whimbrel.revisit.classes import WEEK

MEMORY = 0.97
"""What a visit's weight keeps with each later one. Rates drift: one of a hundred visits ago counts for a twentieth."""

_FORGOTTEN = 1e-3
_STEPS = 40


class Belief(Struct, frozen=True, array_like=True):
    """A Gamma distribution of a rate: as if `shape` changes had been counted in `seconds`."""

    shape: float
    seconds: float

    @property
    def rate(self) -> float:
        """Changes a second."""
        return self.shape / self.seconds


WEEKLY = Belief(0.7, 0.7 * WEEK)
"""Of a page of which nothing is known: about once a week, and easily convinced."""


class Gaps(Struct, frozen=True, array_like=True):
    """What is kept of the visits: the sum of unchanged gaps, and changed ones as (power of two, weight, seconds)."""

    quiet_seconds: float = 0.0
    changed: tuple[tuple[int, float, float], ...] = ()


NO_GAPS = Gaps()


def observed(gaps: Gaps, seconds: float, changed: float, memory: float = MEMORY) -> Gaps:
    """With one more visit, `seconds` after the one before. `changed` is 1, 0, or how likely it is that it did."""
    seconds = max(seconds, 1.0)
    kept = {power: (weight * memory, total * memory) for power, weight, total in gaps.changed}
    if changed > 0:
        power = int(log2(seconds))
        weight, total = kept.get(power, (0.0, 0.0))
        kept[power] = (weight + changed, total + changed * seconds)
    bins = tuple((power, weight, total) for power, (weight, total) in sorted(kept.items()) if weight > _FORGOTTEN)
    return Gaps(gaps.quiet_seconds * memory + (1.0 - changed) * seconds, bins)


def believed(gaps: Gaps, prior: Belief = WEEKLY) -> Belief:
    """What the visits say about the rate."""
    bins = [(weight, total / weight) for _, weight, total in gaps.changed]
    exposed = prior.seconds + gaps.quiet_seconds
    rate = _mode(prior.shape, exposed, bins)
    curvature = rate * exposed - sum(weight * _slope(rate * gap) for weight, gap in bins)
    return Belief(curvature, curvature / rate)


def _mode(shape: float, exposed: float, bins: list[tuple[float, float]]) -> float:
    """Where `shape + Σ w·x/(eˣ−1) = λ·exposed`, x = λ·gap, by Newton's steps over log λ, bisected where they leave."""
    low = log(shape / exposed)
    high = log((shape + sum(weight for weight, _ in bins)) / exposed)
    at = high if not bins else (low + high) / 2
    for _ in range(_STEPS):
        rate = exp(at)
        excess = shape + sum(weight * _seen(rate * gap) for weight, gap in bins) - rate * exposed
        if excess > 0:
            low = at
        else:
            high = at
        steepness = rate * exposed - sum(weight * _slope(rate * gap) for weight, gap in bins)
        step = at + excess / steepness
        if abs(step - at) < 1e-6:
            return exp(step)
        at = step if low < step < high else (low + high) / 2
    return exp(at)


def _seen(x: float) -> float:
    """How many changes a changed gap tells of: one where it is short, none where any rate would have changed it."""
    return x / expm1(x) if 1e-9 < x < 700 else float(x <= 1e-9)


def _slope(x: float) -> float:
    """Of `_seen` over log x; never positive."""
    if x < 1e-4:
        return -x / 2
    if x > 300:
        return 0.0
    grown = expm1(x)
    return x / grown * (1.0 - x * (grown + 1.0) / grown)
