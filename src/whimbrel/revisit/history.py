"""What is kept of a page's visits: one small record, whatever their number.

`first_visit` makes it, `after_visit` brings it up to date, `packed` and `unpacked` are its form in a database (some
hundred bytes). All times are Unix seconds.
"""

from math import expm1, log1p

import msgspec
from msgspec import Struct

from whimbrel.revisit.rate import MEMORY, NO_GAPS, WEEKLY, Belief, Gaps, believed, observed
from whimbrel.revisit.rule import FIRST_THRESHOLD, RECORDS, Countdown, visited
from whimbrel.revisit.trust import UNTRIED, Witness, has_say
from whimbrel.revisit.worth import SignalRates

_MASK = (1 << RECORDS) - 1
_SIGNALS_PRIOR = 0.5


class PageHistory(Struct, frozen=True, array_like=True):
    """`recent` holds the last visits as bits, 1 for a change, the newest lowest. `gaps` tell of unannounced changes,
    and `belief` is what they say about their rate; `signals` and `listened_seconds`, both fading, tell of announced
    ones. `countdown` and `threshold` are P2's."""

    first_at: float
    visited_at: float
    changed_at: float
    visits: int = 1
    changes: int = 0
    recent: int = 0
    gaps: Gaps = NO_GAPS
    belief: Belief = WEEKLY
    signals: float = 0.0
    listened_seconds: float = 0.0
    countdown: Countdown = Countdown()
    threshold: float = FIRST_THRESHOLD

    @property
    def records(self) -> int:
        """Visits that could tell whether the page had changed, as many as count for P2's rule."""
        return min(self.visits - 1, RECORDS)


class Sighting(Struct, frozen=True):
    """One visit. `signals` counts what announced a change since the visit before, None where nobody could have."""

    at: float
    changed: bool
    signals: int | None = None


def first_visit(at: float, prior: Belief = WEEKLY) -> PageHistory:
    """`prior` is what to expect of the page: `trust.expected` of its changefreq, or its site's `prior.common_prior`."""
    return PageHistory(first_at=at, visited_at=at, changed_at=at, belief=prior)


def after_visit(
    history: PageHistory, sighting: Sighting, witness: Witness = UNTRIED, prior: Belief = WEEKLY
) -> PageHistory:
    """A visit that reached the page: changed or unchanged. Failures teach nothing and are not passed here."""
    gap = max(0.0, sighting.at - history.visited_at)
    unannounced = float(sighting.changed)
    if sighting.changed and sighting.signals and has_say(witness):
        silent = silent_chance(history, gap)
        unannounced = silent / (1.0 - (1.0 - silent) * (1.0 - witness.precision) ** sighting.signals)
    recent = (history.recent << 1 | sighting.changed) & _MASK
    records = min(history.visits, RECORDS)
    listened = sighting.signals is not None
    gaps = observed(history.gaps, gap, unannounced)
    return msgspec.structs.replace(
        history,
        visited_at=max(sighting.at, history.visited_at),
        changed_at=sighting.at if sighting.changed else history.changed_at,
        visits=history.visits + 1,
        changes=history.changes + sighting.changed,
        recent=recent,
        gaps=gaps,
        belief=believed(gaps, prior),
        signals=MEMORY * history.signals + (sighting.signals or 0),
        listened_seconds=MEMORY * history.listened_seconds + gap * listened,
        countdown=visited(history.countdown, records, recent.bit_count()),
    )


def silent_chance(history: PageHistory, elapsed: float) -> float:
    """How likely an unannounced change is within `elapsed` seconds, doubt about the rate included."""
    belief = history.belief
    return 1.0 - float((belief.seconds / (belief.seconds + elapsed)) ** belief.shape)


def expected_age(history: PageHistory, elapsed: float) -> float:
    """How long, on average, a page that was seen `elapsed` seconds ago has been out of date: the time since its first
    unannounced change, none where there was none."""
    shape, scale = history.belief.shape, history.belief.seconds
    less, grown = shape - 1.0, log1p(elapsed / scale)
    fresh = scale * (grown if abs(less) < 1e-9 else -expm1(-less * grown) / less)
    return max(0.0, elapsed - fresh)


def announced(history: PageHistory, witness: Witness) -> SignalRates:
    """How this page's changes are announced, for the planner; at first as often as they come unannounced."""
    usual_seconds = 1.0 / history.belief.rate
    heard = (history.signals + _SIGNALS_PRIOR) / (history.listened_seconds + _SIGNALS_PRIOR * usual_seconds)
    return SignalRates(history.belief.rate, heard, witness.precision)


def change_rate(history: PageHistory, witness: Witness = UNTRIED) -> float:
    """Changes a second, announced or not: what `classes.nearest` takes."""
    listens = history.listened_seconds > 0 and has_say(witness)
    return announced(history, witness).rate if listens else history.belief.rate


def packed(history: PageHistory) -> bytes:
    return msgspec.msgpack.encode(history)


def unpacked(blob: bytes) -> PageHistory:
    return msgspec.msgpack.decode(blob, type=PageHistory)
