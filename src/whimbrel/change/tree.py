"""Change of structure by comparing element trees level by level (P1 §4)."""

from collections import Counter
from typing import Literal

from msgspec import Struct

from whimbrel.parse.tree import Node

Degree = Literal["none", "minor", "major"]

_Key = tuple[str, str]
_Shape = tuple[str, ...]
_Level = Counter[tuple[_Key, _Shape]]


class TreeChange(Struct, frozen=True):
    """`levels` count from 1, the root. Minor: only leaves came or went. Major: a node with children did."""

    degree: Degree
    levels: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    """Nodes on each level."""


def compare(before: Node, after: Node) -> TreeChange:
    """Which levels gained or lost nodes. Two trees of equal nodes in another order do not differ, as in the paper."""
    old, new = _levels(before), _levels(after)
    deepest = max(len(old), len(new))
    changed = []
    major = False
    for level in range(deepest):
        here = old[level] if level < len(old) else _Level()
        there = new[level] if level < len(new) else _Level()
        if here != there:
            gone, come = _unpaired(here, there), _unpaired(there, here)
            if gone or come:
                changed.append(level + 1)
                major = major or any(shape for _, shape in (*gone, *come))
    degree: Degree = "none" if not changed else "major" if major else "minor"
    return TreeChange(degree, tuple(changed), _counts(old, deepest), _counts(new, deepest))


def _levels(root: Node) -> list[_Level]:
    """The nodes of each level: their parent's and their own tag, and the tags of their children."""
    levels = []
    row = [("", root)]
    while row:
        levels.append(_Level(((above, node.tag), tuple(child.tag for child in node.children)) for above, node in row))
        row = [(node.tag, child) for _, node in row for child in node.children]
    return levels


def _counts(levels: list[_Level], deepest: int) -> tuple[int, ...]:
    return tuple(level.total() for level in levels) + (0,) * (deepest - len(levels))


def _unpaired(here: _Level, there: _Level) -> list[tuple[_Key, _Shape]]:
    """The nodes without a counterpart of equal tag and parent, those of equal children paired off first.

    Of the rest the poorest go unpaired: a node that merely gained or lost a child is still there.
    """
    surplus = Counter(key for key, _ in here.elements())
    surplus.subtract(key for key, _ in there.elements())
    unpaired = []
    for node in sorted((here - there).elements()):
        if surplus[node[0]] > 0:
            surplus[node[0]] -= 1
            unpaired.append(node)
    return unpaired
