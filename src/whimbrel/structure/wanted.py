"""A structure that somebody asked for, small enough to travel, and the judge that holds pages against it.

`Likeness` works out weights and threshold at home, from the examples and the pages that are kept; a migrant has
neither. What it needs to judge a page alone is what goes into `Wanted`: the examples' paths, the weights of the paths
that pages have most, and the upper trees to match where the paths leave it open.
"""

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct, structs

from whimbrel.records.outline import Step
from whimbrel.structure.matching import Forest
from whimbrel.structure.profile import Profile
from whimbrel.structure.shape import Shape, depth_of

VERSION = 3
MARGIN = 0.06
"""Of the threshold: so near to it the trees decide."""

MOST_EXAMPLES = 6
MOST_WEIGHTS = 1_000
MOST_CONTRASTS = 3
MOST_STEPS = 80
"""Of a tree that travels."""

_PRECISION = 1_000
_SHORT = (1 << 32) - 1
"""Paths travel as their lowest 32 bits, depth included: of a thousand pages about one has a path taken for another."""


class Example(Struct, frozen=True, array_like=True):
    """A page of the kind; `name` is its URL, to name the nearest."""

    name: str
    paths: list[int]
    skeleton: list[Step]


class Wanted(Struct, frozen=True, array_like=True):
    """One request for a structure: `number` is its row at home, `rarity` from 0 to 1 how rare the structure is there,
    `usual` how alike the examples are to each other.

    `weights` are those of the paths in `known`, in thousandths; `unknown` is that of any other path, by its depth.
    `contrasts` are the trees of pages that are nearly of the kind and are not.
    """

    version: int
    number: int
    threshold: float
    usual: float
    rarity: float
    examples: list[Example]
    known: list[int]
    weights: list[int]
    unknown: list[float]
    contrasts: list[list[Step]]


class Judged(Struct, frozen=True, array_like=True):
    """What a judge says of a page. `nearest` is the example most like it, "" where it is like none.

    `by_tree`: so near to the threshold that the upper trees were matched instead.
    """

    alike: bool
    similarity: float
    threshold: float
    by_tree: bool = False
    nearest: str = ""


class Judge:
    """Holds pages against one request. It keeps no page."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self._weights = dict(zip(wanted.known, (one / _PRECISION for one in wanted.weights), strict=True))
        self._examples = [
            (one.name, paths, self._weigh(paths)) for one in wanted.examples for paths in [frozenset(one.paths)]
        ]
        self._profile = Profile([paths for _, paths, _ in self._examples], self._weight, root=True)
        self._forest = Forest()
        self._trees = [self._forest.add(one.skeleton) for one in wanted.examples if one.skeleton]
        self._contrasts = [self._forest.add(steps) for steps in wanted.contrasts if steps]
        self._mark = self._forest.mark()

    def judge(self, shape: Shape) -> Judged:
        wanted = self.wanted
        paths = shortened(shape.paths)
        whole = self._weigh(paths)
        nearest = self._nearest(paths, whole)
        similarity = self._profile.similarity(paths, whole)
        if (
            abs(similarity - wanted.threshold) >= MARGIN * wanted.threshold
            or not self._contrasts
            or not self._trees
            or shape.is_empty
        ):
            return Judged(similarity >= wanted.threshold, similarity, wanted.threshold, False, nearest)
        return Judged(self._matches_examples_better(shape), similarity, wanted.threshold, True, nearest)

    def _nearest(self, paths: frozenset[int], whole: float) -> str:
        """The name of the example that shares most with the page."""
        best, nearest = 0.0, ""
        for name, others, weight in self._examples:
            shared = self._weigh(paths & others)
            if shared and (alike := shared / (whole + weight - shared)) > best:
                best, nearest = alike, name
        return nearest

    def _weight(self, path: int) -> float:
        return self._weights[path] if path in self._weights else self.wanted.unknown[depth_of(path)]

    def _weigh(self, paths: frozenset[int]) -> float:
        weights, unknown = self._weights, self.wanted.unknown
        return sum(weights[path] if path in weights else unknown[depth_of(path)] for path in paths)

    def _matches_examples_better(self, shape: Shape) -> bool:
        tree = self._forest.add(shape.skeleton[:MOST_STEPS])
        alike = max(self._forest.match(tree, one).similarity for one in self._trees)
        unlike = max(self._forest.match(tree, one).similarity for one in self._contrasts)
        self._forest.forget(self._mark)
        return alike >= unlike


def of_any_page(wanted: Wanted) -> Wanted:
    """The same request where a site has one template for everything: what its pages differ in is content."""
    return structs.replace(wanted, threshold=0.0, contrasts=[])


def shortened(paths: frozenset[int]) -> frozenset[int]:
    return frozenset(path & _SHORT for path in paths)


def packed_weights(weights: Mapping[int, float], paths: Sequence[int]) -> tuple[list[int], list[int]]:
    """Paths shortened, and their weights in thousandths."""
    table = {path & _SHORT: round(weights[path] * _PRECISION) for path in paths}
    return list(table), list(table.values())


def encode(wanted: Wanted) -> bytes:
    return msgspec.msgpack.encode(wanted)


def decode(packed: bytes) -> Wanted | None:
    """None where it is of another version or no request at all."""
    try:
        wanted = msgspec.msgpack.decode(packed, type=Wanted)
    except msgspec.DecodeError:
        return None
    return wanted if wanted.version == VERSION and len(wanted.known) == len(wanted.weights) else None
