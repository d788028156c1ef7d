"""Simple tree matching, fast by sharing equal subtrees.

Two trees match nothing when their roots differ; else one node more than the best alignment of their first-level
subtrees, in order (Yang, 1991): M[i,j] = max(M[i,j-1], M[i-1,j], M[i-1,j-1] + match(Ai, Bj)).

Equal subtrees get one number, so that a subtree is met once however often a page repeats it, equal ones answer with
their size at once, and a pair is worked out once. Equal first and last children are matched with each other without
a search: nothing can match either of them better, and a match elsewhere would only stand in the way of others.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from whimbrel.records.outline import Step

CELLS = 1_000_000
"""Of the tables M in all, for one pair of pages: about a third of a second. Two pages of a thousand elements need
some ten thousand; only pages of many thousand siblings need more than this."""

Pair = tuple[int, int]
Block = tuple[Sequence[int], Sequence[int]]


class TreeMatch(Struct, frozen=True):
    """How much of two trees matches. Where `exact` is false, `matched` is the least that does."""

    matched: int
    size_a: int
    size_b: int
    exact: bool = True

    @property
    def similarity(self) -> float:
        nodes = self.size_a + self.size_b
        return 2 * self.matched / nodes if nodes else 1.0

    @property
    def note(self) -> str:
        """Why the answer is not exact, or ""."""
        if self.exact:
            return ""
        return f"too large to match whole ({CELLS} steps): long lists of siblings were matched piece by piece"


class _Plan(Struct, frozen=True):
    """What is left to align of a pair after its equal ends: their nodes, and blocks to align one by one."""

    sure: int
    blocks: tuple[Block, ...]


class Forest:
    """Trees with their equal parts shared. A child's number is always smaller than its parent's."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str, tuple[int, ...]], int] = {}
        self._roots: list[tuple[str, str]] = []
        self._children: list[tuple[int, ...]] = []
        self._sizes: list[int] = []

    def add(self, steps: Iterable[Step]) -> int:
        """The number of a tree given by its elements in order; there must be one, and only one of depth 0."""
        open_nodes: list[tuple[str, str, list[int]]] = []
        for depth, name, more in steps:
            while len(open_nodes) > depth:
                self._close(open_nodes)
            open_nodes.append((name, more, []))
        while len(open_nodes) > 1:
            self._close(open_nodes)
        return self._number(*open_nodes[0])

    def mark(self) -> int:
        """Where the forest ends now, to `forget` what is added later."""
        return len(self._sizes)

    def forget(self, mark: int) -> None:
        """The trees added since; a long crawl matches more pages than are worth remembering."""
        for _ in range(len(self._sizes) - mark):
            self._numbers.popitem()
        del self._roots[mark:], self._children[mark:], self._sizes[mark:]

    def size(self, tree: int) -> int:
        return self._sizes[tree]

    def match(self, a: int, b: int) -> TreeMatch:
        """The two trees matched; the same whichever comes first."""
        matched, exact = self._matched(a, b)
        return TreeMatch(matched, self._sizes[a], self._sizes[b], exact)

    def _close(self, open_nodes: list[tuple[str, str, list[int]]]) -> None:
        done = open_nodes.pop()
        open_nodes[-1][2].append(self._number(*done))

    def _number(self, name: str, more: str, children: list[int]) -> int:
        node = (name, more, tuple(children))
        number = self._numbers.get(node)
        if number is None:
            number = self._numbers[node] = len(self._sizes)
            self._roots.append((name, more))
            self._children.append(node[2])
            self._sizes.append(1 + sum(self._sizes[child] for child in children))
        return number

    def _matched(self, a: int, b: int) -> tuple[int, bool]:
        answer = self._at_once(a, b)
        if answer is not None:
            return answer, True
        plans: dict[Pair, _Plan] = {}
        level = {(a, b)}
        exact, left = True, CELLS
        # A level's cost does not depend on which tree came first, so neither does what is cut short.
        while level:
            trimmed = {pair: self._trimmed(*pair) for pair in level}
            cells = sum(len(x) * len(y) for _, x, y in trimmed.values())
            longest = 0
            if cells > left:
                exact = False
                longest = max(1, left // (1 + sum(len(x) + len(y) for _, x, y in trimmed.values())))
            left = max(0, left - cells)
            for pair, (sure, x, y) in trimmed.items():
                plans[pair] = _Plan(sure, _blocks(x, y, longest))
            wanted = (pair for done in level for block in plans[done].blocks for pair in self._searched(*block))
            level = {pair for pair in wanted if pair not in plans}
        known: dict[Pair, int] = {}
        for pair in sorted(plans):
            plan = plans[pair]
            known[pair] = 1 + plan.sure + sum(self._aligned(xs, ys, known) for xs, ys in plan.blocks)
        return known[a, b], exact

    def _at_once(self, a: int, b: int) -> int | None:
        """What two trees match, where that needs no search."""
        if a == b:
            return self._sizes[a]
        if self._roots[a] != self._roots[b]:
            return 0
        return None if self._children[a] and self._children[b] else 1

    def _trimmed(self, a: int, b: int) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
        """The nodes in equal first and last children, and the children between."""
        x, y = self._children[a], self._children[b]
        shorter = min(len(x), len(y))
        first = 0
        while first < shorter and x[first] == y[first]:
            first += 1
        last = 0
        while last < shorter - first and x[-1 - last] == y[-1 - last]:
            last += 1
        sure = sum(self._sizes[child] for child in x[:first]) + sum(self._sizes[child] for child in x[len(x) - last :])
        return sure, x[first : len(x) - last], y[first : len(y) - last]

    def _searched(self, xs: Sequence[int], ys: Sequence[int]) -> Iterator[Pair]:
        """The pairs of two lists that are not answered at once."""
        by_root: dict[tuple[str, str], list[int]] = {}
        for y in set(ys):
            if self._children[y]:
                by_root.setdefault(self._roots[y], []).append(y)
        for x in set(xs):
            if self._children[x]:
                yield from ((x, y) for y in by_root.get(self._roots[x], ()) if x != y)

    def _row(self, x: int, ys: Sequence[int], known: dict[Pair, int]) -> list[int]:
        """What x matches of each; a pair of one root that was not searched has a leaf in it."""
        roots, root = self._roots, self._roots[x]
        return [0 if roots[y] != root else self._sizes[x] if x == y else known.get((x, y), 1) for y in ys]

    def _aligned(self, xs: Sequence[int], ys: Sequence[int], known: dict[Pair, int]) -> int:
        rows: dict[int, list[int]] = {}
        above = [0] * (len(ys) + 1)
        for x in xs:
            row = rows.get(x)
            if row is None:
                row = rows[x] = self._row(x, ys, known)
            if not any(row):
                continue
            here = [0]
            before = corner = 0
            for worth, up in zip(row, above[1:], strict=True):
                best = up if up > before else before
                if worth and corner + worth > best:
                    best = corner + worth
                here.append(best)
                before, corner = best, up
            above = here
        return above[-1]


def match(a: Iterable[Step], b: Iterable[Step]) -> TreeMatch:
    """Two trees by the names of their elements alone."""
    forest = Forest()
    return forest.match(forest.add(_names(a)), forest.add(_names(b)))


def _names(steps: Iterable[Step]) -> Iterable[Step]:
    return ((depth, name, "") for depth, name, _ in steps)


def _blocks(x: tuple[int, ...], y: tuple[int, ...], longest: int) -> tuple[Block, ...]:
    """The two lists whole where `longest` is 0, else as many parts of both as keep the longer one's that short."""
    if not x or not y:
        return ()
    if not longest:
        return ((x, y),)
    parts = -(-max(len(x), len(y)) // longest)
    cuts = [(len(x) * at // parts, len(y) * at // parts) for at in range(parts + 1)]
    return tuple((x[i:k], y[j:m]) for (i, j), (k, m) in pairwise(cuts) if i < k and j < m)
