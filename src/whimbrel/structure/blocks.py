"""The parts that a site's pages are put together of, and how much each says about a page's kind.

A template writes many elements at once, so paths that exactly the same pages have are one block: however much stands in
it, and however often, it is there or it is not. A block says more the fewer pages have it (inverse document frequency),
and the more the pages agree in it that are alike otherwise: an author's table comes and goes among pages of one kind,
a template's does not.
"""

from collections.abc import Collection, Iterable, Sequence
from heapq import nlargest
from math import log

from whimbrel.structure.shape import depth_of

NEIGHBOURS = 5
ROUNDS = 2
"""Of asking the neighbours, whom the weights of the round before name."""

LEAN = 0.65
"""How little it tells that the larger of two pages has parts which the smaller lacks: pages of one kind are long and
short. That each has what the other lacks tells all the more."""

MOST_PATHS = 8
"""That stand for a block, the uppermost first; it is there where half of them are."""

LEAST = 0.02
"""The weight of what all pages have, so that pages which have nothing else are alike, not undefined."""

Shares = dict[int, float]


class SharedBlocks:
    """Of some pages, which `pages` names by their blocks. What one page alone has is its own, and no block."""

    def __init__(self, pages: Sequence[Collection[int]], lean: float = LEAN) -> None:
        self.lean = lean
        having: dict[int, list[int]] = {}
        for at, paths in enumerate(pages):
            for path in paths:
                having.setdefault(path, []).append(at)
        together: dict[tuple[int, ...], list[int]] = {}
        for path in sorted(having, key=lambda one: (depth_of(one), one)):
            if len(having[path]) > 1:
                together.setdefault(tuple(having[path]), []).append(path)
        self.paths = [paths[:MOST_PATHS] for paths in together.values()]
        self._having = list(together)
        of_each: list[list[int]] = [[] for _ in pages]
        for block, where in enumerate(self._having):
            for at in where:
                of_each[at].append(block)
        self.pages = [frozenset(blocks) for blocks in of_each]
        self._rarity = [max(0.0, log((len(pages) + 1) / (len(where) + 0.5))) for where in self._having]
        self.weights = self._agreed()
        self._blocks = block_table(self.paths)

    def of(self, paths: Iterable[int]) -> frozenset[int]:
        return blocks_in(paths, self._blocks)

    def weigh(self, blocks: Iterable[int]) -> float:
        return sum(map(self.weights.__getitem__, blocks))

    def similarities(self) -> list[list[float]]:
        """Of every page to every page."""
        return self._similarities(self.weights)

    def _agreed(self) -> list[float]:
        weights = self._rarity
        for _ in range(ROUNDS if len(self.pages) > NEIGHBOURS else 0):
            near = [_nearest(row, at) for at, row in enumerate(self._similarities(weights))]
            weights = [rarity * self._agreement(block, near) for block, rarity in enumerate(self._rarity)]
        return [max(LEAST, weight) for weight in weights]

    def _agreement(self, block: int, near: Sequence[Sequence[int]]) -> float:
        """How much oftener the neighbours of a page that has it have it than those of a page that lacks it."""
        where = set(self._having[block])
        if len(where) == len(self.pages):
            return 0.0
        among = others = 0
        for at, neighbours in enumerate(near):
            with_it = len(where.intersection(neighbours))
            if at in where:
                among += with_it
            else:
                others += with_it
        lacking = len(self.pages) - len(where)
        return max(0.0, (among / len(where) - others / lacking) / NEIGHBOURS)

    def _similarities(self, weights: Sequence[float]) -> list[list[float]]:
        whole = [sum(map(weights.__getitem__, blocks)) for blocks in self.pages]
        rows = []
        for at, blocks in enumerate(self.pages):
            shared = [0.0] * len(self.pages)
            for block in blocks:
                weight = weights[block]
                for other in self._having[block]:
                    shared[other] += weight
            own = whole[at]
            rows.append([alike(both, own, other, self.lean) for both, other in zip(shared, whole, strict=True)])
        return rows


def alike(shared: float, a: float, b: float, lean: float) -> float:
    """From 0 to 1, by the weight that two have in common and the weight of each (Tversky's index): all that the lighter
    has alone counts against them, and a little of what the heavier has alone."""
    if a > b:
        a, b = b, a
    against = a + (1 - lean) * (b - shared)
    return shared / against if shared > 0 else 0.0


def block_table(paths: Sequence[Sequence[int]]) -> dict[int, tuple[int, float]]:
    """Each path with its block and how much of the block it is."""
    return {path: (block, 1 / len(some)) for block, some in enumerate(paths) for path in some}


def blocks_in(paths: Iterable[int], table: dict[int, tuple[int, float]]) -> frozenset[int]:
    there: dict[int, float] = {}
    for path in paths:
        if path in table:
            block, share = table[path]
            there[block] = there.get(block, 0.0) + share
    # A little slack: eighths and thirds add up to a half but for the last digit.
    return frozenset([block for block, share in there.items() if share > 0.499])


def _nearest(row: Sequence[float], at: int) -> list[int]:
    """The pages most like a page, without itself; of equals the first."""
    return [page for page in nlargest(NEIGHBOURS + 1, range(len(row)), key=row.__getitem__) if page != at][:NEIGHBOURS]
