"""Whether a site's signals are to be believed: sitemap lastmod, feeds, validators, changefreq.

Each is a witness. A visit shows whether it was right, and the counts fade, so that a liar loses its say and can regain
it. What decides whether silence may spare a visit is recall, the share of changes that were announced: on a site where
little changes a sitemap that never moves is right most of the time and worth nothing. Alarms are followed and silent
pages only sampled, so a sampled visit counts for all those that it stands for.
"""

from math import exp, log, sqrt

from msgspec import Struct
from xxhash import xxh3_64_intdigest

from whimbrel.records.verdict import ACCEPTED, Verdict, refused
from whimbrel.revisit.classes import INTERVALS
from whimbrel.revisit.rate import WEEKLY, Belief

SHARE = 0.05
"""Of the visits that a signal would spare, how many are made all the same."""

LEAST_RECALL = 0.8
LEAST_PRECISION = 0.05
"""Below this, signals are noise and the planner goes by time alone."""

FADING = 0.995
_MOST_FOR_ONE = 20.0


class Witness(Struct, frozen=True, array_like=True):
    """What became of a signal's word, in fading counts: alarms by signal, silences by visit."""

    right_alarms: float = 0.0
    false_alarms: float = 0.0
    announced: float = 0.0
    unannounced: float = 0.0
    quiet: float = 0.0

    @property
    def precision(self) -> float:
        """How likely one signal is to tell of a change; a half where nothing is known."""
        return (self.right_alarms + 0.5) / (self.right_alarms + self.false_alarms + 1.0)

    @property
    def recall(self) -> float:
        """How likely a change is to be announced; a half where nothing is known."""
        return (self.announced + 0.5) / (self.announced + self.unannounced + 1.0)

    @property
    def least_recall(self) -> float:
        """Recall less one standard deviation of its Beta distribution."""
        right, wrong = self.announced + 0.5, self.unannounced + 0.5
        total = right + wrong
        return right / total - sqrt(right * wrong / (total + 1.0)) / total


UNTRIED = Witness()
VALIDATORS = Witness(announced=20.0)
"""ETag and Last-Modified are a server's own promise: believed until found out."""


def heard(
    witness: Witness, signals: int, changed: bool, silent_chance: float = 0.0, sampled_share: float = 1.0
) -> Witness:
    """After a visit that found the page changed or not, with so many signals since the one before.

    `silent_chance` is how likely an unannounced change was in that time; where the page changed, it takes its part of
    the credit from the signals. `sampled_share` is the chance with which a silent page was visited at all.
    """
    faded = [FADING * count for count in (witness.right_alarms, witness.false_alarms, witness.announced)]
    right, false, announced = faded
    unannounced, quiet = FADING * witness.unannounced, FADING * witness.quiet
    if signals == 0:
        weight = min(_MOST_FOR_ONE, 1.0 / max(sampled_share, 1e-9))
        return Witness(right, false, announced, unannounced + weight * changed, quiet + weight * (not changed))
    true = _expected_true(witness.precision, signals, silent_chance) if changed else 0.0
    return Witness(right + true, false + signals - true, announced + min(1.0, true), unannounced, quiet)


def _expected_true(precision: float, signals: int, silent_chance: float) -> float:
    """How many of the signals before a change were true, by Bayes' rule."""
    unchanged = (1.0 - silent_chance) * (1.0 - precision) ** signals
    return min(float(signals), signals * precision / max(1.0 - unchanged, 1e-9))


def may_skip(witness: Witness, key: int, turn: int, seed: int, share: float = SHARE) -> Verdict:
    """Accepted: the silence of this witness spares the visit. Refused: visit, for the reason given."""
    if witness.least_recall < LEAST_RECALL:
        return refused(
            "trust", f"{witness.recall:.0%} of the changes seen here were announced: too few, or too few seen"
        )
    if is_sampled(key, turn, seed, share):
        return refused("sample", f"one visit in {round(1 / share)} is made all the same, so that lies are caught")
    return ACCEPTED


def has_say(witness: Witness) -> bool:
    """Whether the planner listens to these signals at all."""
    return witness.precision >= LEAST_PRECISION


def is_sampled(key: int, turn: int, seed: int, share: float = SHARE) -> bool:
    """Chosen by a hash: the same for the same arguments, and different ones each turn."""
    return xxh3_64_intdigest(f"{key} {turn}".encode(), seed) < share * 2.0**64


class Claims(Struct, frozen=True, array_like=True):
    """How far a site's changefreq lies from what is measured: fading sums over log(interval · rate)."""

    weight: float = 0.0
    total: float = 0.0
    squares: float = 0.0


UNHEARD = Claims()


def compared(claims: Claims, changefreq: str, measured: Belief) -> Claims:
    """After a page of which `changefreq` was said has been measured."""
    if changefreq not in INTERVALS:
        return claims
    error = log(INTERVALS[changefreq] * measured.rate)
    kept = [FADING * count for count in (claims.weight, claims.total, claims.squares)]
    return Claims(kept[0] + 1.0, kept[1] + error, kept[2] + error * error)


def expected(changefreq: str, claims: Claims, otherwise: Belief = WEEKLY) -> Belief:
    """The rate to expect of a page before it was visited often: its changefreq, corrected by how the site exaggerates.

    The more the errors scatter, the weaker the belief; with errors beyond a factor of ten the word says nothing.
    """
    if changefreq not in INTERVALS:
        return otherwise
    known = claims.weight + 1.0
    mean = claims.total / known
    spread = (claims.squares + 1.0) / known - mean * mean
    if spread > log(10.0) ** 2:
        return otherwise
    shape = min(5.0, max(0.5, 1.0 / max(spread, 0.2)))
    return Belief(shape, shape * INTERVALS[changefreq] / exp(mean))
