"""What a person said is no news to them: places that count as turning over by themselves, whatever visits show.

A habit is a belief that visits make and unmake. A person's word is evidence of another sort: it was given once, and
holds until it is taken back. It is laid over a page's habits while they are asked and never mixed into them, so that
taking it back leaves nothing behind. What is new in kind in such a place is news all the same.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from whimbrel.change.align import Pair, align, moved
from whimbrel.change.blocks import Block
from whimbrel.change.decide import changed_in
from whimbrel.change.habits import MEMORY, NO_HABITS, NOTHING, Habits, Spots, Trace, held_by, joined, key_of
from whimbrel.change.rows import held_in, is_row, row_name, row_of
from whimbrel.change.spots import PlaceNames, only_numbers
from whimbrel.change.ties import in_old_order
from whimbrel.change.version import ComparedVersion
from whimbrel.records.change import Change, Spot

SILENCED = "somebody asked not to be told of it"

Pointed = tuple[str, str]
"""What happened to a place and what it is called: by these a person points at it."""

_ALWAYS = (1 << MEMORY) - 1
_TAKES = {
    "place": "whatever stands here",
    "number": "its numbers and dates",
    "figure": "its numbers and dates",
    "row": "what comes and goes in this list",
    "turn": "this very text, when it comes or goes",
    "order": "the order of it",
    "title": "the title of the page",
}


def taught(habits: Habits, spots: Spots) -> Habits:
    """As if each of the spots had differed at every visit there was."""
    traces = {sort: dict(found) for sort, found in habits.traces.items()}
    for sort, found in spots.items():
        known = traces.setdefault(sort, {})
        for key, held in found.items():
            known[key] = Trace(_ALWAYS, joined(known[key].held, held) if key in known else held)
    return Habits(habits.visits, traces)


def quieted(change: Change, hushed: Change) -> Change:
    """The change without what is noise only because of somebody's word; `hushed` is the same, judged by it."""
    reasons = {_name(spot): spot.reason for spot in hushed.noise}
    if all(reasons.get(_name(spot), spot.reason) == spot.reason for spot in (*change.where, *change.noise)):
        return change
    counted = tuple(spot for spot in change.where if _name(spot) not in reasons)
    silent = (replace(spot, reason=SILENCED) for spot in change.where if _name(spot) in reasons)
    noise = (
        spot if reasons.get(_name(spot), spot.reason) == spot.reason else replace(spot, reason=SILENCED)
        for spot in change.noise
    )
    return changed_in(counted, (*noise, *silent))


def _name(spot: Spot) -> tuple[str, str, str, str]:
    return spot.what, spot.place, spot.before, spot.after


def takes(spots: Spots) -> str:
    """What somebody is no longer told of who silences these."""
    return next(words for sort, words in _TAKES.items() if sort in spots)


def pointed_at(older: ComparedVersion, newer: ComparedVersion) -> dict[Pointed, Spots]:
    """The places in which two versions differ, with the spots by which each is known again; those that are known
    again by nothing are left out."""
    old, new = older.blocks, in_old_order(older.blocks, newer.blocks)
    was, now = [block.text for block in old], [block.text for block in new]
    pairs = align(was, now)
    elsewhere = moved(pairs, was, now)
    found: dict[Pointed, Spots] = {}
    for pair in pairs:
        if pair not in elsewhere:
            found |= _pointed(pair, old, new)
    for i, j in dict.fromkeys(elsewhere.values()):
        found["moved", f"{new[j].place}, was {old[i].place}"] = {"order": {key_of([new[j].path]): NOTHING}}
    if older.title != newer.title:
        found["changed", "title"] = {"title": {key_of(()): NOTHING}}
    return {place: spots for place, spots in found.items() if spots}


def _pointed(pair: Pair, old: Sequence[Block], new: Sequence[Block]) -> dict[Pointed, Spots]:
    if pair.before is not None and pair.after is not None:
        before, after = old[pair.before], new[pair.after]
        if (before.text, before.links, before.images) == (after.text, after.links, after.images):
            return {}
        place = after.place if before.tag == after.tag else f"{after.place}, was {before.tag}"
        return {("changed", place): _edited(old, new, pair.before, pair.after)}
    if pair.after is not None:
        return {("added", new[pair.after].place): _come_or_gone(new, pair.after)}
    gone = pair.before or 0
    return {("removed", old[gone].place): _come_or_gone(old, gone)}


def _edited(old: Sequence[Block], new: Sequence[Block], i: int, j: int) -> Spots:
    before, after = old[i], new[j]
    there = PlaceNames(new)
    names = [key_of(name) for name in PlaceNames(old).of(i) & there.of(j)]
    spots: Spots = {"figure": dict.fromkeys(names, NOTHING)} if names else {}
    if not only_numbers(before, after):
        held = joined(held_by(before), held_by(after))
        return spots | {"place": dict.fromkeys(names, held)} if names else {}
    return spots | {"number": {key_of(name): NOTHING for name in there.turning([j], NO_HABITS)}}


def _come_or_gone(blocks: Sequence[Block], at: int) -> Spots:
    row = [blocks[one] for one in row_of(blocks, at)]
    if is_row(row):
        return {"row": {key_of(row_name(blocks, at)): held_in(row)}}
    return {"turn": {key_of([blocks[at].text]): NOTHING}} if blocks[at].text else {}
