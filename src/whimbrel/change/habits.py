"""What a page does from visit to visit: how often each of its spots differed, over the last visits.

A habit is a belief. It needs visits at which the spot differed, is weighed against those at which it did not (a "not
modified" is one of these), and is lost when the spot comes to rest. One quiet visit is always imagined beside those
seen, so that little evidence weighs little; a spot that was quiet before it began to move has up to two more.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from xxhash import xxh3_64_intdigest

if TYPE_CHECKING:  # what reads a page takes long to load, and habits are kept by those who read none
    from whimbrel.change.blocks import Block

MEMORY = 16
"""Visits that are remembered."""

_MASK = (1 << MEMORY) - 1
_MOST_TRACES = 400
_LINKED, _PICTURED, _NUMBERED = 1, 2, 4
_SPARE_WORDS = 5
_MOST_QUIET = 2
"""Quiet visits before a spot began to move that speak against a habit; a counter that is new on a page may still be
learned."""

_PATIENCE = 1
"""Visits that a habit is believed in after it would be lost."""

SORTS: Mapping[str, tuple[int, float]] = {
    "number": (2, 3 / 5),
    "figure": (2, 3 / 5),
    "place": (2, 1 / 2),
    "row": (2, 1 / 2),
    "look": (2, 1 / 2),
    "order": (2, 1 / 2),
    "title": (2, 1 / 2),
    "turn": (2, 2 / 5),
    "code": (2, 1 / 2),
}
"""The visits at which a spot of each sort has to have differed, and the share of them.

Sorts: the numbers and dates of a text; those in a place, where its words differ at other visits; all that stands in a
place, or in a row of like places; its looks; its order; the title; a text that comes
and goes; a script, style or handler.
"""


class PlaceHeld(Struct, frozen=True, array_like=True):
    """What a place has held: from how many words to how many, and whether links, pictures and numbers."""

    least: int
    most: int
    traits: int


NOTHING = PlaceHeld(0, 0, 0)
UNSURE = PlaceHeld(-1, -1, 0)
"""Of a spot at a visit that speaks neither for a habit nor against it."""


class Trace(Struct, frozen=True, array_like=True):
    """`moved` are the last visits as bits, 1 where the spot differed, the newest lowest."""

    moved: int
    held: PlaceHeld = NOTHING


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

    def has_seen(self, sort: str, *names: str) -> bool:
        """Whether the spot differed at one of the visits that are remembered."""
        return self._trace(sort, names) is not None

    def _trace(self, sort: str, names: Iterable[str]) -> Trace | None:
        found = self.traces.get(sort)
        return found.get(key_of(names)) if found else None

    def _is_habit(self, sort: str, trace: Trace) -> bool:
        """A habit that was lately believed in outlives a quiet visit."""
        return any(self._convinces(sort, trace.moved >> back, self.visits - back) for back in range(_PATIENCE + 1))

    def _convinces(self, sort: str, moved: int, visits: int) -> bool:
        times, since = moved.bit_count(), moved.bit_length()
        least, share = SORTS[sort]
        least += times < since and least > 1  # a spot that rested meanwhile has to show more
        return times >= least and times / (since + min(visits - since, _MOST_QUIET) + 1) >= share


NO_HABITS = Habits()


def key_of(names: Iterable[str]) -> int:
    return xxh3_64_intdigest("\0".join(names).encode("utf-8", "surrogatepass"))


def after_visit(habits: Habits, seen: Mapping[str, Mapping[int, PlaceHeld]]) -> Habits:
    """What is believed after a visit at which the spots in `seen` differed."""
    traces: dict[str, dict[int, Trace]] = {}
    for sort in SORTS:
        old, new = habits.traces.get(sort, {}), seen.get(sort, {})
        found = {
            key: Trace(bits, trace.held)
            for key, trace in old.items()
            if key not in new and (bits := trace.moved << 1 & _MASK)
        }
        for key, held in new.items():
            before = old.get(key)
            if held is UNSURE:
                found |= {key: before} if before else {}
                continue
            bits = (before.moved << 1 | 1) & _MASK if before else 1
            found[key] = Trace(bits, joined(before.held, held) if before else held)
        if found:
            traces[sort] = _best(found)
    return Habits(min(habits.visits + 1, MEMORY), traces)


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
