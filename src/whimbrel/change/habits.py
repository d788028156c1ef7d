"""What a page does from visit to visit: how often each of its spots differed, over the last visits.

A habit is a belief, weighed in odds: a spot that turns over by itself differs at most visits, one that is edited at one
in four at most. Each visit moves the odds (Wald's test of two hypotheses, 1945): one at which the spot differed towards
a habit, a quiet one (a "not modified" is one of these) away from it. The odds are held within bounds, so that neither
belief outlives what is seen by long: a habit is lost where the spot comes to rest, and what rested for long has to
show anew that it turns over.
"""

from collections.abc import Iterable, Mapping
from math import log
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace
from xxhash import xxh3_64_intdigest

if TYPE_CHECKING:  # what reads a page takes long to load, and habits are kept by those who read none
    from whimbrel.change.blocks import Block

MEMORY = 32
"""Visits that are remembered."""

_MASK = (1 << MEMORY) - 1
_MOST_TRACES = 400
_LINKED, _PICTURED, _NUMBERED = 1, 2, 4
_SPARE_WORDS = 5

_AT_FIRST, _LEAST, _MOST = log(1 / 4), log(1 / 50), log(150)
"""The odds, as logarithms, of a spot of which nothing is known, and those that are never passed."""

_EDITED = 1 / 4
"""The share of visits at which a spot differs that is edited often."""

_BY_ITSELF = 3 / 4
SORTS: Mapping[str, float] = {
    "number": _BY_ITSELF,
    "figure": _BY_ITSELF,
    "place": _BY_ITSELF,
    "row": _BY_ITSELF,
    "look": _BY_ITSELF,
    "order": _BY_ITSELF,
    "title": _BY_ITSELF,
    "turn": 1 / 2,
    "code": _BY_ITSELF,
}
"""The share of visits at which a spot of each sort differs that turns over by itself.

Sorts: the numbers and dates of a text; those in a place, where its words differ at other visits; all that stands in a
place, or in a row of like places; its looks; its order; the title; a text that comes and goes, which a coin may decide;
a script, style or handler.
"""

_AT_ONCE = 4
"""As many visits a difference counts that is seen twice within moments."""

_STEPS = {sort: (log(share / _EDITED), log((1 - share) / (1 - _EDITED))) for sort, share in SORTS.items()}
"""By how much a visit moves the odds at which a spot differed, and a quiet one."""


class PlaceHeld(Struct, frozen=True, array_like=True):
    """What a place has held: from how many words to how many, and whether links, pictures and numbers."""

    least: int
    most: int
    traits: int


Spots = dict[str, dict[int, PlaceHeld]]
"""By sort and key."""

NOTHING = PlaceHeld(0, 0, 0)
UNSURE = PlaceHeld(-1, -1, 0)
"""Of a spot at a visit that speaks neither for a habit nor against it."""


class Trace(Struct, frozen=True, array_like=True):
    """`moved` are the last visits as bits, 1 where the spot differed, the newest lowest; `unsure` is how many visits
    are left out of them, since they spoke neither for a habit nor against it."""

    moved: int
    held: PlaceHeld = NOTHING
    unsure: int = 0


class Habits(Struct, frozen=True, array_like=True):
    """`visits` that could tell, up to `MEMORY`; the traces of spots by sort and key."""

    visits: int = 0
    traces: dict[str, dict[int, Trace]] = {}

    def has(self, sort: str, *names: str) -> bool:
        """Whether a spot is known to differ from visit to visit."""
        trace = self._trace(sort, names)
        return trace is not None and self._is_habit(sort, trace)

    def expects(self, sort: str, block: "Block", *names: str) -> bool:
        """Whether a spot is known for it, and holds what it may hold: what is new in kind is news all the same."""
        trace = self._trace(sort, names)
        return trace is not None and self._is_habit(sort, trace) and not _is_new(trace.held, held_by(block))

    def has_rested(self, sort: str, *names: str) -> bool:
        """Whether a part of what is known to differ from visit to visit did not for so long that it does not seem to do
        so with it. It begins with the odds of a habit where others begin with those of an edit."""
        trace = self._trace(sort, names) or Trace(0)
        return not self._is_habit(sort, trace, -_AT_FIRST)

    def has_seen(self, sort: str, *names: str) -> bool:
        """Whether the spot differed at one of the visits that are remembered."""
        return self._trace(sort, names) is not None

    def may_be_known_soon(self, after: "Habits") -> bool:
        """Whether a spot differed at the visit that led to `after` that had differed before, and was no habit yet."""
        return any(
            trace.moved & 1 and (before := known.get(key)) is not None and not self._is_habit(sort, before)
            for sort, traces in after.traces.items()
            if (known := self.traces.get(sort))
            for key, trace in traces.items()
        )

    def _trace(self, sort: str, names: Iterable[str]) -> Trace | None:
        found = self.traces.get(sort)
        return found.get(key_of(names)) if found else None

    def _is_habit(self, sort: str, trace: Trace, at_first: float = _AT_FIRST) -> bool:
        differed, rested = _STEPS[sort]
        since = trace.moved.bit_length()
        odds = max(_LEAST, at_first + max(0, self.visits - since - trace.unsure) * rested)
        for back in range(since - 1, -1, -1):
            odds = min(_MOST, max(_LEAST, odds + (differed if trace.moved >> back & 1 else rested)))
        return round(odds, 9) >= 0  # two steps from 1 to 4 are even odds, whatever the logarithms are rounded to


NO_HABITS = Habits()


def key_of(names: Iterable[str]) -> int:
    return xxh3_64_intdigest("\0".join(names).encode("utf-8", "surrogatepass"))


def after_visit(habits: Habits, seen: Mapping[str, Mapping[int, PlaceHeld]]) -> Habits:
    """What is believed after a visit at which the spots in `seen` differed."""
    traces: dict[str, dict[int, Trace]] = {}
    for sort in SORTS:
        old, new = habits.traces.get(sort, {}), seen.get(sort, {})
        found = {
            key: Trace(bits, trace.held, trace.unsure)
            for key, trace in old.items()
            if key not in new and (bits := trace.moved << 1 & _MASK)
        }
        for key, held in new.items():
            before = old.get(key)
            if held is UNSURE:
                found |= {key: replace(before, unsure=min(before.unsure + 1, MEMORY))} if before else {}
                continue
            before = before or Trace(0, held)
            found[key] = Trace((before.moved << 1 | 1) & _MASK, joined(before.held, held), before.unsure)
        if found:
            traces[sort] = _best(found)
    return Habits(min(habits.visits + 1, MEMORY), traces)


def after_glance(habits: Habits, seen: Mapping[str, Mapping[int, PlaceHeld]]) -> Habits:
    """After a second look, moments after a visit, at which the spots in `seen` differed once more: nobody edits so
    fast. Those that did not may still turn over by the day."""
    traces = {sort: dict(found) for sort, found in habits.traces.items()}
    for sort, spots in seen.items():
        for key, held in spots.items():
            if held is not UNSURE:
                before = traces.setdefault(sort, {}).get(key, Trace(0, held))
                moved = ((before.moved + 1 << _AT_ONCE) - 1) & _MASK
                traces[sort][key] = Trace(moved, joined(before.held, held), before.unsure)
    return Habits(habits.visits, {sort: _best(found) for sort, found in traces.items()})


def after_rest(habits: Habits) -> Habits:
    """After a visit that found the page as it was."""
    return after_visit(habits, {})


def _best(found: dict[int, Trace]) -> dict[int, Trace]:
    if len(found) <= _MOST_TRACES:
        return found
    kept = sorted(found, key=lambda key: (-found[key].moved.bit_count(), found[key].moved.bit_length(), key))
    return {key: found[key] for key in kept[:_MOST_TRACES]}


def held_by(block: "Block") -> PlaceHeld:
    words = len(block.text.split())
    numbered = any(character.isdigit() for character in block.text)
    traits = _LINKED * bool(block.links) | _PICTURED * bool(block.images) | _NUMBERED * numbered
    return PlaceHeld(words, words, traits)


def joined(these: PlaceHeld, those: PlaceHeld) -> PlaceHeld:
    return PlaceHeld(min(these.least, those.least), max(these.most, those.most), these.traits | those.traits)


def _is_new(known: PlaceHeld, held: PlaceHeld) -> bool:
    """Links, pictures or numbers where there were none, or texts of quite another length."""
    if held.traits & ~known.traits:
        return True
    return held.least > 2 * known.most + _SPARE_WORDS or 2 * held.most + _SPARE_WORDS < known.least
