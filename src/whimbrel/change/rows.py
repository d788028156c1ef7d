"""Rows of like blocks, such as the items of a list: known again as a whole, whatever stands in them.

A row is a spot of its own where most of it differs at once and what comes had been there before, or its order differs:
teasers, what others read, who is online. News is what was never there before, so a list of it does not fall silent
however often it turns over; and an item that comes to a list says nothing of the list.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import reduce

from whimbrel.change.blocks import Block, outline
from whimbrel.change.habits import UNSURE, Habits, PlaceHeld, held_by, joined, key_of
from whimbrel.change.mask import masked

_MOST_COMMON = 1 / 2
_FEWEST = 3
_ITEMS = frozenset({"li", "td", "dd", "dt"})

Name = tuple[str, ...]


def row_of(blocks: Sequence[Block], at: int) -> range:
    """The blocks around one that follow each other in the same elements."""
    path = blocks[at].path
    start, end = at, at + 1
    while start and blocks[start - 1].path == path:
        start -= 1
    while end < len(blocks) and blocks[end].path == path:
        end += 1
    return range(start, end)


def row_name(blocks: Sequence[Block], at: int) -> Name:
    return _name(blocks, row_of(blocks, at))


def _name(blocks: Sequence[Block], row: range) -> Name:
    """By which a row is known again, in another dress too: what stands before and behind it."""
    path = "/".join(outline(blocks[row.start]))
    before = masked(blocks[row.start - 1].text) if row.start else ""
    return path, before, masked(blocks[row.stop].text) if row.stop < len(blocks) else ""


class TurningRows:
    """The rows of two versions, as far as they are known to turn over."""

    def __init__(self, old: Sequence[Block], new: Sequence[Block], habits: Habits) -> None:
        self._habits = habits
        self._was, self._now = _texts_by_name(old), _texts_by_name(new)

    def explain(self, blocks: Sequence[Block], at: int) -> bool:
        """Whether it stands in such a row, and is no news there. Where most of a row stayed, as when it is put in order
        anew, what was never there before is news."""
        name = row_name(blocks, at)
        if not self._habits.expects("row", blocks[at], *name):
            return False
        was, now, text = self._was.get(name), self._now.get(name), blocks[at].text
        if was is None or now is None or (was & now).total() <= _MOST_COMMON * max(was.total(), now.total()):
            return True
        return (text in was and text in now) or self._habits.has_seen("turn", text)


def _texts_by_name(blocks: Sequence[Block]) -> dict[Name, Counter[str]]:
    return {_name(blocks, row): Counter(blocks[at].text for at in row) for row in _rows(blocks)}


def differing_rows(old: Sequence[Block], new: Sequence[Block], habits: Habits) -> dict[int, PlaceHeld]:
    """Rows in which something differs, by their keys: what those held that turned over as a whole."""
    there = {_name(new, row): row for row in _rows(new)}
    found: dict[int, PlaceHeld] = {}
    for row in _rows(old):
        name = _name(old, row)
        other = there.get(name)
        if other is None or max(len(row), len(other)) < _FEWEST:
            continue
        here, now = [old[i] for i in row], [new[j] for j in other]
        if not is_row((*here, *now)):
            continue
        was, texts = [block.text for block in here], [block.text for block in now]
        if was != texts:
            found[key_of(name)] = held_in((*here, *now)) if _turned_over(was, texts, habits) else UNSURE
    return found


def is_row(blocks: Sequence[Block]) -> bool:
    """Paragraphs that follow each other are a text, not a row."""
    return blocks[0].tag in _ITEMS or all(block.links for block in blocks)


def held_in(blocks: Sequence[Block]) -> PlaceHeld:
    return reduce(joined, map(held_by, blocks))


def _rows(blocks: Sequence[Block]) -> Iterator[range]:
    at = 0
    while at < len(blocks):
        row = row_of(blocks, at)
        yield row
        at = row.stop


def _turned_over(was: Sequence[str], now: Sequence[str], habits: Habits) -> bool:
    """Whether most of it is other than it was, and some of that has been there before; or it is put in order anew."""
    common = (Counter(was) & Counter(now)).total()
    if common == len(was) == len(now):
        return True
    if common > _MOST_COMMON * max(len(was), len(now)):
        return False
    return any(habits.has_seen("turn", text) for text in set(now).difference(was))
