"""What a visit now would buy: the marginal freshness of a page, by which any budget is spent best.

A page of importance μ and rate Δ, fetched every T, is fresh for (1 − e^(−ΔT))/(ΔT) of the time. The worth of fetching
it τ after the last time is what the cycle that ends here has collected, less its length times the present chance to be
fresh: V(τ) = (μ/Δ)·(1 − (1 + Δτ)·e^(−Δτ)). Always fetching the page of highest V is optimal in the long run (Azar and
others, PNAS 2018; Kolobov and others, SIGIR 2019).

Where the rate is only believed, V is averaged over the belief, in closed form: doubt raises the worth of a page that
may rest, so that one hasty estimate does not condemn it for ever.

With signals of changes (Busa-Fekete and others, WWW 2025): unannounced changes come at rate α, signals at rate γ of
which a share p is true. After τ and n signals the page is fresh with probability e^(−s), s = ατ − n·ln(1 − p), and the
same sentence gives its worth, over cycles that end when s is reached.
"""

from math import exp, expm1, log1p

from msgspec import Struct

from whimbrel.revisit.rate import Belief

MOST_TERMS = 24
_SMALL = 1e-4


class SignalRates(Struct, frozen=True):
    """How the changes of a page are announced. Rates are per second."""

    unannounced: float
    signals: float
    precision: float

    @property
    def rate(self) -> float:
        """Of all changes."""
        return self.unannounced + self.precision * self.signals

    @property
    def recall(self) -> float:
        return self.precision * self.signals / self.rate

    @property
    def doubt(self) -> float:
        """What one signal adds to s."""
        return -log1p(-min(self.precision, 0.999_999))


def freshness(rate: float, interval: float) -> float:
    """The share of time a page is up to date when it is fetched every `interval`."""
    changes = rate * interval
    return -expm1(-changes) / changes if changes > 1e-12 else 1.0


def worth(rate: float, elapsed: float, importance: float = 1.0) -> float:
    """V(τ) of a page whose rate is known."""
    changes = rate * elapsed
    if changes < _SMALL:
        return importance * rate * elapsed * elapsed / 2
    return importance / rate * (-expm1(-changes) - changes * exp(-changes))


def worth_believed(belief: Belief, elapsed: float, importance: float = 1.0) -> float:
    """V(τ) averaged over what is believed of the rate."""
    shape, scale = belief.shape, belief.seconds
    grown = elapsed / scale
    if grown * (shape + 1.0) < _SMALL:
        return importance * belief.rate * elapsed * elapsed / 2
    logarithm = log1p(grown)
    less = shape - 1.0
    collected = logarithm if abs(less) < 1e-9 else -expm1(-less * logarithm) / less
    return importance * (scale * collected - elapsed * exp(-shape * logarithm))


def staleness(page: SignalRates, elapsed: float, signals: int) -> float:
    """s: the page is stale with probability 1 − e^(−s)."""
    return page.unannounced * elapsed + signals * page.doubt


def worth_announced(page: SignalRates, elapsed: float, signals: int, importance: float = 1.0) -> float:
    """V of a page with signals since its last visit, at the s it has reached."""
    reached = staleness(page, elapsed, signals)
    doubt = page.doubt
    if page.signals <= 0 or reached > MOST_TERMS * doubt:
        # Signals that come thick and mean little: what they say together is the passing of time.
        return worth(page.rate, reached / page.rate, importance)
    collected, length = _cycle(page, reached, doubt)
    return importance * max(0.0, collected - exp(-reached) * length)


def _cycle(page: SignalRates, reached: float, doubt: float) -> tuple[float, float]:
    """The expected fresh time and the expected length of a cycle that ends when s is `reached`.

    The i-th terms are the times spent with i signals heard; each is an incomplete Gamma function of whole order.
    """
    alpha, gamma = page.unannounced, page.signals
    both = alpha + gamma
    false_share = (1.0 - page.precision) * gamma / both
    collected = length = 0.0
    factor = 1.0
    for heard in range(MOST_TERMS + 1):
        left = reached - heard * doubt
        if left <= 0:
            break
        length += _arrived(heard, gamma * left / alpha) / gamma
        collected += factor * _arrived(heard, both * left / alpha) / both
        factor *= false_share
    return collected, length


def _arrived(count: int, x: float) -> float:
    """The chance that more than `count` events of a Poisson process have come when x are expected."""
    if x > 600:
        return 1.0
    term = total = exp(-x)
    for number in range(1, count + 1):
        term *= x / number
        total += term
    return max(0.0, 1.0 - total)
