"""A structure that somebody asked for, small enough to travel, and the judge that holds pages against it.

`Likeness` works out at home, from the examples and the pages that are kept, what a site's pages are put together of and
which of its kinds the examples are of; a migrant has neither. What it needs to judge a page alone is what goes into
`Wanted`: the blocks and their weights, the centres of the kind and of the strangers, and upper trees to match where
these leave it open.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from whimbrel.records.outline import Step
from whimbrel.structure.blocks import alike, block_table, blocks_in
from whimbrel.structure.matching import Forest
from whimbrel.structure.shape import Shape, depth_of

VERSION = 5
MARGIN = 0.03
"""Of the similarity: where a stranger is so near the trees decide."""

MOST_EXAMPLES = 6
MOST_STRANGERS = 40
MOST_CONTRASTS = 3
MOST_STEPS = 80
"""Of a tree that travels."""

DECAY = 0.5
"""Of the weight of a path with each level, where no other pages tell what it weighs."""

_PRECISION = 1_000
_SHORT = (1 << 32) - 1
"""Paths travel as their lowest 32 bits, depth included: of a thousand pages about one has a path taken for another."""


class KindCentre(Struct, frozen=True, array_like=True):
    """The centre of some pages: its blocks, and of each in thousandths how many have it. `example` is the number of the
    example nearest to it, -1 where it is a stranger's."""

    example: int
    blocks: list[int]
    shares: list[int]


class Wanted(Struct, frozen=True, array_like=True):
    """One request for a structure: `number` is its row at home, `rarity` from 0 to 1 how rare the structure is there,
    `usual` how alike the examples are to each other, `threshold` how alike a page has to be at least.

    `names` are the examples' URLs. `parts`: pages are told by parts, not by paths. `paths` are those of each block,
    `weights` are the blocks' in thousandths, `lean` is how little it counts what the larger page has alone. `bare`:
    nothing is known but the examples, so that every path of a page counts. `contrasts` are the trees of strangers.
    """

    version: int
    number: int
    threshold: float
    usual: float
    rarity: float
    names: list[str]
    parts: bool
    bare: bool
    paths: list[list[int]]
    weights: list[int]
    lean: float
    own: list[KindCentre]
    strangers: list[KindCentre]
    skeletons: list[list[Step]]
    contrasts: list[list[Step]]


class KindJudged(Struct, frozen=True, array_like=True):
    """What a judge says of a page. `similarity` is that to the kind, `threshold` what it has to be more than: how alike
    the page is to another kind, or what any page of the kind is. `nearest` is the example most like it, "" where it is
    like none.

    `by_tree`: so near to a stranger that the upper trees were matched instead.
    """

    alike: bool
    similarity: float
    threshold: float
    by_tree: bool = False
    nearest: str = ""


class _Centre(Struct, frozen=True):
    name: str
    weighed: dict[int, float]
    weight: float


class KindJudge:
    """Holds pages against one request. It keeps no page."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self._weights = [one / _PRECISION for one in wanted.weights]
        self._table = block_table(wanted.paths)
        self._own = [self._centre(one) for one in wanted.own]
        self._strangers = [self._centre(one) for one in wanted.strangers]
        self._forest = Forest()
        self._trees = [self._forest.add(steps) for steps in wanted.skeletons if steps]
        self._contrasts = [self._forest.add(steps) for steps in wanted.contrasts if steps]
        self._mark = self._forest.mark()

    def judge(self, shape: Shape) -> KindJudged:
        wanted = self.wanted
        if shape.is_empty:
            return KindJudged(False, 0.0, wanted.threshold)
        blocks, weight = self._seen(shape)
        similarity, nearest = self._best(self._own, blocks, weight)
        stranger, _ = self._best(self._strangers, blocks, weight)
        threshold = max(wanted.threshold, stranger)
        close = abs(similarity - stranger) < MARGIN * similarity and similarity >= wanted.threshold
        if close and self._contrasts and self._trees:
            return KindJudged(self._matches_examples_better(shape), similarity, threshold, True, nearest)
        return KindJudged(
            similarity >= wanted.threshold and similarity > stranger, similarity, threshold, False, nearest
        )

    def _seen(self, shape: Shape) -> tuple[frozenset[int], float]:
        """The page's blocks, and what it weighs."""
        paths = [path & _SHORT for path in (shape.parts if self.wanted.parts else shape.paths)]
        blocks = blocks_in(paths, self._table)
        weight = sum([self._weights[block] for block in blocks])
        if self.wanted.bare:
            weight += sum(DECAY ** depth_of(path) for path in paths if path not in self._table)
        return blocks, weight

    def _best(self, centres: Sequence[_Centre], blocks: frozenset[int], weight: float) -> tuple[float, str]:
        best, name = 0.0, ""
        for centre in centres:
            weighed = centre.weighed
            shared = sum([weighed[block] for block in blocks if block in weighed])
            if shared and (similarity := alike(shared, weight, centre.weight, self.wanted.lean)) > best:
                best, name = similarity, centre.name
        return best, name

    def _centre(self, told: KindCentre) -> _Centre:
        shares = zip(told.blocks, told.shares, strict=True)
        weighed = {block: self._weights[block] * share / _PRECISION for block, share in shares}
        name = self.wanted.names[told.example] if told.example >= 0 else ""
        return _Centre(name, weighed, sum(weighed.values()))

    def _matches_examples_better(self, shape: Shape) -> bool:
        tree = self._forest.add(shape.skeleton[:MOST_STEPS])
        own = max(self._forest.match(tree, one).similarity for one in self._trees)
        other = max(self._forest.match(tree, one).similarity for one in self._contrasts)
        self._forest.forget(self._mark)
        return own >= other


def told(example: int, shares: dict[int, float]) -> KindCentre:
    return KindCentre(example, list(shares), [round(share * _PRECISION) for share in shares.values()])


def shortened(paths: Sequence[int]) -> list[int]:
    return [path & _SHORT for path in paths]


def packed(weights: Sequence[float]) -> list[int]:
    return [round(weight * _PRECISION) for weight in weights]


def encode(wanted: Wanted) -> bytes:
    return msgspec.msgpack.encode(wanted)


def decode(packed: bytes) -> Wanted | None:
    """None where it is of another version or no request at all."""
    try:
        wanted = msgspec.msgpack.decode(packed, type=Wanted)
    except msgspec.DecodeError:
        return None
    return wanted if wanted.version == VERSION and len(wanted.paths) == len(wanted.weights) else None
