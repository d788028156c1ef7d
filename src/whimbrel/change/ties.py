"""Entries of the same moment stand in no order: a database gives now the one first, now the other.

A blog or a forum lists what it has by time. Of two posts of one second either may come first, at every visit anew, and
nobody has done anything. So such entries are put into the order in which they stood before, and only then compared.
Where the order says something it stays: in numbered lists and tables, where entries are not sorted by their moments,
and where all that is said of them is one and the same day.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from whimbrel.change.blocks import Block

REASON = "entries of the same moment, in another order"
_ORDERED = frozenset({"ol", "table"})
_TO_THE_MINUTE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*|\d{10,}")


class _Entry(NamedTuple):
    moment: str
    blocks: tuple[Block, ...]

    @property
    def says(self) -> tuple[object, ...]:
        return tuple((block.text, block.links, block.images) for block in self.blocks)


class _Entries(NamedTuple):
    """The entries that follow each other in `blocks[start:end]`."""

    start: int
    end: int
    entries: tuple[_Entry, ...]


def in_old_order(old: Sequence[Block], new: Sequence[Block]) -> Sequence[Block]:
    """The new blocks, tied entries in the order in which they stood; `new` itself where there are none to move."""
    if not (_has_ties(old) and _has_ties(new)):
        return new
    for first in _beginnings(old, new):
        was, now = _entries(old, first), _entries(new, first)
        if was is None or now is None:
            continue
        ordered = _ordered(was.entries, now.entries)
        if ordered != list(now.entries):
            return [*new[: now.start], *(block for entry in ordered for block in entry.blocks), *new[now.end :]]
    return new


def _has_ties(blocks: Sequence[Block]) -> bool:
    counts = Counter(moment for block in blocks for moment, _ in block.moments)
    return any(count > 1 for count in counts.values())


class _Beginning(NamedTuple):
    """What entries begin with: a block in these elements, or such a block with a moment."""

    path: str
    dated: bool

    def found(self, blocks: Sequence[Block]) -> list[int]:
        return [at for at, block in enumerate(blocks) if block.path == self.path and (block.moments or not self.dated)]


def _beginnings(old: Sequence[Block], new: Sequence[Block]) -> Iterator[_Beginning]:
    paths = Counter(block.path for block in old) & Counter(block.path for block in new)
    for path, count in paths.items():
        if count > 1 and _ORDERED.isdisjoint(path.split("/")):
            yield _Beginning(path, dated=False)
            yield _Beginning(path, dated=True)


def _entries(blocks: Sequence[Block], first: _Beginning) -> _Entries | None:
    """From each beginning to the next, the last as far as the elements around all of them reach; None where one has no
    moment, or they are not in the order of their moments."""
    starts = first.found(blocks)
    if not starts:
        return None
    around = _around([block.path for block in blocks[starts[0] : starts[-1] + 1]])
    end = starts[-1] + 1
    while end < len(blocks) and f"{blocks[end].path}/".startswith(around):
        end += 1
    found = []
    for here, there in pairwise([*starts, end]):
        moment = next((moment for block in blocks[here:there] for moment, _ in block.moments), "")
        if not moment:
            return None
        found.append(_Entry(moment, tuple(blocks[here:there])))
    moments = [entry.moment for entry in found]
    if moments not in (sorted(moments), sorted(moments, reverse=True)):
        return None
    if len(set(moments)) == 1 and not _TO_THE_MINUTE.fullmatch(moments[0]):
        return None
    return _Entries(starts[0], end, tuple(found))


def _around(paths: Sequence[str]) -> str:
    """The elements that all of these are in."""
    steps = [path.split("/") for path in paths]
    common = takewhile(lambda pair: pair[0] == pair[1], zip(min(steps), max(steps), strict=False))
    return "".join(f"{step}/" for step, _ in common)


def _ordered(was: Sequence[_Entry], now: Sequence[_Entry]) -> list[_Entry]:
    """Of each moment, entries that were there already in the order in which they stood; the others keep their place."""
    places: dict[tuple[str, object], list[int]] = {}
    for at, entry in enumerate(was):
        places.setdefault((entry.moment, entry.says), []).append(at)
    stood = [found.pop(0) if (found := places.get((entry.moment, entry.says))) else None for entry in now]
    ordered = list(now)
    for moment in {entry.moment for entry in now}:
        known = [at for at, entry in enumerate(now) if entry.moment == moment and stood[at] is not None]
        for at, source in zip(known, sorted(known, key=lambda at: stood[at] or 0), strict=True):
            ordered[at] = now[source]
    return ordered
