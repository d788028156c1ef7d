"""Which of some pages belong together, and how near they have to be looked at for that.

Average linkage (Sokal and Michener, 1958), found along chains of nearest neighbours (Benzécri, 1982): the same tree in
time that grows with the square of the pages.
"""

from collections.abc import Sequence


class Linkage:
    """The tree of pages: those most alike are joined first, each joint at the distance where it is made."""

    def __init__(self, similarities: Sequence[Sequence[float]]) -> None:
        self._leaves = len(similarities)
        joints = _joined([[1 - alike for alike in row] for row in similarities])
        self._above: dict[int, int] = {}
        self._height = [0.0] * self._leaves
        for a, b, height in joints:
            node = len(self._height)
            # Of children no joint is higher than its own but for the last digit.
            self._height.append(max(height, self._height[a], self._height[b]))
            self._above[a] = self._above[b] = node

    def groups(self, most: float) -> list[list[int]]:
        """The pages that are joined up to that distance, in the order of their first pages."""
        found: dict[int, list[int]] = {}
        for leaf in range(self._leaves):
            node = leaf
            while node in self._above and self._height[self._above[node]] <= most:
                node = self._above[node]
            found.setdefault(node, []).append(leaf)
        return list(found.values())

    def joint(self, a: int, b: int) -> float:
        """The distance at which two pages are joined."""
        above = {a}
        while a in self._above:
            a = self._above[a]
            above.add(a)
        while b not in above:
            b = self._above[b]
        return self._height[b]


def _joined(distances: list[list[float]]) -> list[tuple[int, int, float]]:
    """Joints in the order of their distance; the nodes they make are numbered on from the leaves."""
    many = len(distances)
    active = dict.fromkeys(range(many))
    sizes = [1] * many
    chain: list[int] = []
    made: list[tuple[float, int, int]] = []
    while len(active) > 1:
        if not chain:
            chain.append(next(iter(active)))
        last = chain[-1]
        row = distances[last]
        before = chain[-2] if len(chain) > 1 else -1
        near = min((other for other in active if other != last), key=lambda other: (row[other], other != before, other))
        if near != before:
            chain.append(near)
            continue
        del chain[-2:]
        made.append((row[near], last, near))
        _merge(distances, active, sizes, last, near)
    return _numbered(made, many)


def _merge(distances: list[list[float]], active: dict[int, None], sizes: list[int], kept: int, gone: int) -> None:
    del active[gone]
    both = sizes[kept] + sizes[gone]
    one, other = sizes[kept] / both, sizes[gone] / both
    row, lost = distances[kept], distances[gone]
    for at in active:
        row[at] = distances[at][kept] = one * row[at] + other * lost[at]
    sizes[kept] = both


def _numbered(made: list[tuple[float, int, int]], many: int) -> list[tuple[int, int, float]]:
    """Chains make joints out of order; a page stands for the node that it is in by then."""
    node = list(range(many))

    def top(leaf: int) -> int:
        while node[leaf] != leaf:
            node[leaf] = node[node[leaf]]
            leaf = node[leaf]
        return leaf

    joints = []
    for height, a, b in sorted(made, key=lambda joint: joint[0]):
        a, b = top(a), top(b)
        node.append(len(node))
        node[a] = node[b] = len(node) - 1
        joints.append((a, b, height))
    return joints
