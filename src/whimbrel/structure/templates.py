"""A site's kinds of pages, found by themselves, and the kind a page is nearest to.

The paths decide; where they leave two kinds about equally near, the skeletons are matched as trees.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from whimbrel.structure.index import Index, Near
from whimbrel.structure.matching import Forest
from whimbrel.structure.shape import Shape
from whimbrel.structure.weights import Weights

JOIN = 0.3
"""From here up a page is of a kind. With the paper's 0.4 the pages of cppreference's five kinds fall into 62, with this
into 38 as pure ones."""

MARGIN = 0.03
"""Of the similarity: kinds that are nearer to each other than this are told by their trees."""

MEMBERS = 6
"""That stand for a kind; more make neither the kinds nor the answers better."""


class Nearest(Struct, frozen=True):
    """The nearest kind, None where there is none. `by_tree`: the paths alone did not decide."""

    kind: int | None
    similarity: float
    by_tree: bool = False


class Kinds:
    """Kinds of pages, each standing in the shapes of a few of its pages."""

    def __init__(self, weights: Weights) -> None:
        self._index = Index(weights)
        self._forest = Forest()
        self._skeletons: list[list[int]] = []

    def __len__(self) -> int:
        return len(self._index)

    def new_kind(self, first: Shape) -> int:
        self._skeletons.append([self._forest.add(first.skeleton)])
        return self._index.new_group(first.paths)

    def add(self, kind: int, example: Shape) -> None:
        self._index.add(kind, example.paths)
        self._skeletons[kind].append(self._forest.add(example.skeleton))

    def examples(self, kind: int) -> int:
        return self._index.size(kind)

    def nearest(self, shape: Shape) -> Nearest:
        return self._decided(shape, self._index.nearest(shape.paths))

    def nearest_of_all(self, shape: Shape) -> Nearest:
        """The same by comparing with every kind, to check and to time the other."""
        return self._decided(shape, self._index.against_all(shape.paths))

    def place(self, shape: Shape) -> Nearest:
        """The kind of a page, a new one where none is near enough; while a kind is young, its pages teach it."""
        nearest = self.nearest(shape)
        if nearest.kind is None or nearest.similarity < JOIN:
            return Nearest(self.new_kind(shape), 1.0, nearest.by_tree)
        if self.examples(nearest.kind) < MEMBERS:
            self.add(nearest.kind, shape)
        return nearest

    def _decided(self, shape: Shape, near: list[Near]) -> Nearest:
        if not near:
            return Nearest(None, 0.0)
        first = near[0]
        if len(near) == 1 or near[1].similarity <= first.similarity * (1 - MARGIN):
            return Nearest(first.group, first.similarity)
        tree = self._forest.add(shape.skeleton)
        chosen = max(near, key=lambda one: self._matched(tree, one.group))
        return Nearest(chosen.group, chosen.similarity, by_tree=True)

    def _matched(self, tree: int, kind: int) -> float:
        skeletons = self._skeletons[kind]
        return sum(self._forest.match(tree, one).similarity for one in skeletons) / len(skeletons)


def kinds_among(shapes: Iterable[Shape], weights: Weights) -> Kinds:
    """The kinds of these pages. The shapes that most pages have come first: they are what a kind forms around."""
    counted = Counter(shape for shape in shapes if not shape.is_empty)
    kinds = Kinds(weights)
    for shape, _ in counted.most_common():
        kinds.place(shape)
    return kinds


def kinds_shown(examples: Iterable[Sequence[Shape]], background: Iterable[Shape]) -> Kinds:
    """Kinds that are all given, each by its examples; they are numbered in that order."""
    kinds = Kinds(Weights([page.paths for page in background]))
    for first, *others in examples:
        kind = kinds.new_kind(first)
        for page in others:
            kinds.add(kind, page)
    return kinds
