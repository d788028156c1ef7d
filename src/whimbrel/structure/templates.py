"""A site's kinds of pages, found by themselves, and the kind a page is nearest to.

The blocks decide; where they leave two kinds about equally near, the skeletons are matched as trees.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from whimbrel.structure.blocks import alike
from whimbrel.structure.ground import LIKE, Centre, Ground
from whimbrel.structure.matching import Forest
from whimbrel.structure.shape import Shape

MARGIN = 0.03
"""Of the similarity: kinds that are nearer to each other than this are told by their trees."""

MEMBERS = 6
"""Whose trees stand for a kind."""

_DIGITS = 9


class Nearest(Struct, frozen=True):
    """The nearest kind, None where there is none. `by_tree`: the blocks alone did not decide."""

    kind: int | None
    similarity: float
    by_tree: bool = False


class PageKinds:
    """Kinds of pages on the ground of a site, each told by what some pages of it have in common.

    Which kinds have a block is looked up, so a page is compared only with those that share something with it.
    """

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._forest = Forest()
        self._skeletons: list[list[int]] = []
        self._centres: list[tuple[int, Centre]] = []
        self._having: dict[int, list[tuple[int, float]]] = {}

    def __len__(self) -> int:
        return len(self._skeletons)

    def new_kind(self, first: Shape) -> int:
        self._skeletons.append([])
        self.add(len(self) - 1, first)
        return len(self) - 1

    def add(self, kind: int, example: Shape) -> None:
        """One more page that the kind is told by."""
        blocks = self._ground.blocks
        self._centre(kind, Centre([self._ground.of(example)], blocks.weights, blocks.lean))
        self._stand(kind, example)

    def found(self, group: Sequence[int]) -> int:
        """A kind that these pages of the ground make."""
        self._skeletons.append([])
        self._centre(len(self) - 1, self._ground.centre(group))
        for at in group[:MEMBERS]:
            self._stand(len(self) - 1, self._ground.sample[at])
        return len(self) - 1

    def nearest(self, shape: Shape) -> Nearest:
        blocks = self._ground.of(shape)
        shared: dict[int, float] = {}
        for block in blocks:
            for at, weight in self._having.get(block, ()):
                shared[at] = shared.get(at, 0.0) + weight
        whole, lean = self._ground.blocks.weigh(blocks), self._ground.blocks.lean
        return self._decided(
            shape, {at: alike(both, whole, self._centres[at][1].weight, lean) for at, both in shared.items()}
        )

    def nearest_of_all(self, shape: Shape) -> Nearest:
        """The same by comparing with every kind, to check and to time the other."""
        blocks = self._ground.of(shape)
        whole = self._ground.blocks.weigh(blocks)
        return self._decided(
            shape, {at: centre.similarity(blocks, whole) for at, (_, centre) in enumerate(self._centres)}
        )

    def place(self, shape: Shape) -> Nearest:
        """The kind of a page, a new one where none is near enough."""
        nearest = self.nearest(shape)
        if nearest.kind is None or nearest.similarity < LIKE:
            return Nearest(self.new_kind(shape), 1.0, nearest.by_tree)
        return nearest

    def _centre(self, kind: int, centre: Centre) -> None:
        for block, share in centre.shares.items():
            weight = self._ground.blocks.weights[block] * share
            self._having.setdefault(block, []).append((len(self._centres), weight))
        self._centres.append((kind, centre))

    def _stand(self, kind: int, page: Shape) -> None:
        if len(self._skeletons[kind]) < MEMBERS:
            self._skeletons[kind].append(self._forest.add(page.skeleton))

    def _decided(self, shape: Shape, similarities: dict[int, float]) -> Nearest:
        best: dict[int, float] = {}
        for at, similarity in similarities.items():
            kind = self._centres[at][0]
            # Sums of the same weights in another order differ in their last digits.
            best[kind] = max(best.get(kind, 0.0), round(similarity, _DIGITS))
        near = sorted(((-similarity, kind) for kind, similarity in best.items() if similarity > 0))[:2]
        if not near:
            return Nearest(None, 0.0)
        first, kind = -near[0][0], near[0][1]
        if len(near) == 1 or -near[1][0] <= first * (1 - MARGIN):
            return Nearest(kind, first)
        tree = self._forest.add(shape.skeleton)
        similarity, chosen = max(near, key=lambda one: self._matched(tree, one[1]))
        return Nearest(chosen, -similarity, by_tree=True)

    def _matched(self, tree: int, kind: int) -> float:
        skeletons = self._skeletons[kind]
        return sum(self._forest.match(tree, one).similarity for one in skeletons) / len(skeletons)


def kinds_among(ground: Ground) -> PageKinds:
    """The kinds of a site, the largest first."""
    kinds = PageKinds(ground)
    for group in sorted(ground.kinds, key=len, reverse=True):
        kinds.found(group)
    return kinds


def kinds_shown(examples: Iterable[Sequence[Shape]], ground: Ground) -> PageKinds:
    """Kinds that are all given, each by its examples; they are numbered in that order."""
    kinds = PageKinds(ground)
    for first, *others in examples:
        kind = kinds.new_kind(first)
        for page in others:
            kinds.add(kind, page)
    return kinds
