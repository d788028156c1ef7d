"""Which of some pages belong together, and how near they have to be looked at for that.

Average linkage (Sokal and Michener, 1958), found along chains of nearest neighbours (Benzécri, 1982): the same tree in
time that grows with the square of the pages. Which of its joints lie between kinds is told by how long a group stays
as it is while the distance grows (excess of mass; Campello, Moulavi and Sander, 2013): pages of one template come
together early and stay by themselves for long, parts of one kind are no sooner together than they join the next.
"""

from collections.abc import Sequence

_SLACK = 1e-9


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

    def groups(self, fewest: int) -> list[list[int]]:
        """Pages that belong together, in the order of their first pages: those groups of at least so many, none
        within another, whose pages together stay in them over the longest stretch of distances. What is in none of
        them is given as it is joined."""
        tops = self._tops(fewest)
        found: dict[int, list[int]] = {}
        for leaf in range(self._leaves):
            node = leaf
            while node not in tops:
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

    def _tops(self, fewest: int) -> set[int]:
        """The nodes of the groups."""
        below: dict[int, list[int]] = {}
        for node, above in self._above.items():
            below.setdefault(above, []).append(node)
        size, whole = self._whole(below, fewest)
        tops: set[int] = set()
        open_nodes = [node for node in range(len(self._height)) if node not in self._above]
        while open_nodes:
            node = open_nodes.pop()
            if size[node] < fewest or whole[node]:
                tops.add(node)
            else:
                open_nodes += below[node]
        return tops

    def _whole(self, below: dict[int, list[int]], fewest: int) -> tuple[list[int], list[bool]]:
        """How many pages a node has, and whether they stay together for longer than the groups within it do. A few
        pages that are joined to many make no other group of them: it goes on until it is joined with enough."""
        size: list[int] = []
        joined: list[float] = []
        parts: list[list[int]] = []
        stay: list[float] = []
        whole: list[bool] = []
        for node, height in enumerate(self._height):
            small, large = sorted(below[node], key=size.__getitem__) if node in below else (-1, -1)
            size.append(size[small] + size[large] if node in below else 1)
            goes_on = node in below and size[small] < fewest <= size[large]
            # The distances at which its pages came, in sum, and the groups that it is made of.
            joined.append(joined[large] + size[small] * height if goes_on else size[node] * height)
            made = [small, large] if node in below and size[small] >= fewest else []
            parts.append(parts[large] if goes_on else made)
            until = self._height[self._above[node]] if node in self._above else 1.0
            own, apart = size[node] * until - joined[node], sum(stay[part] for part in parts[node])
            # But for the last digit: equal pages are one group.
            whole.append(not parts[node] or own >= apart - _SLACK)
            stay.append(own if whole[node] else apart)
        return size, whole


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
