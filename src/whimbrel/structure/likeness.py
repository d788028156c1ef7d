"""Is this page of the kind that examples show?

How alike pages of one kind are differs from kind to kind, so one threshold for all is either blind or strict. Among
the site's other pages the kind stands apart: the threshold lies in the widest gap between them and the examples.
"""

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from whimbrel.structure.matching import Forest
from whimbrel.structure.shape import Shape
from whimbrel.structure.templates import MARGIN
from whimbrel.structure.weights import Weights

LOWEST = 0.3
"""Pages less alike than this are never of one kind: they share what the site has on every page."""

HIGHEST = 0.7
"""Pages more alike than this always are of one kind, also where the examples happen to be more alike than most."""

EXAMPLES_SHARE = 0.9
"""Of how alike the examples are to each other: a page of their kind may be a little less so."""

ENOUGH_PAGES = 20
WITHOUT_PAGES = 0.7
"""Of how alike the examples are to each other, where too few pages are known to see a gap."""

ABOUT_AS_WIDE = 0.75
CONTRAST = 3


class Judged(Struct, frozen=True):
    """`by_tree`: so near to the threshold that the skeletons were matched instead."""

    alike: bool
    similarity: float
    threshold: float
    by_tree: bool = False


class Likeness:
    """Judges pages by examples of one kind, `background` being other pages of the same site, whatever their kind."""

    def __init__(self, examples: Sequence[Shape], background: Sequence[Shape]) -> None:
        self._weights = Weights([page.paths for page in background])
        self._examples = [(one.paths, self._weights.of(one.paths)) for one in examples]
        scores = [self.similarity(page) for page in background]
        self.threshold = self._threshold(scores)
        self._unlike = [page for page, score in zip(background, scores, strict=True) if score < self.threshold]
        self.alike_in_background = len(background) - len(self._unlike)
        self._forest = Forest()
        self._skeletons = [self._forest.add(one.skeleton) for one in examples]

    def similarity(self, page: Shape) -> float:
        """On average over the examples."""
        whole = self._weights.of(page.paths)
        total = 0.0
        for paths, weight in self._examples:
            shared = self._weights.of(page.paths & paths)
            total += shared / (whole + weight - shared)
        return total / len(self._examples)

    def judge(self, page: Shape) -> Judged:
        similarity = self.similarity(page)
        alike = similarity >= self.threshold
        if abs(similarity - self.threshold) >= MARGIN or not self._unlike or page.is_empty:
            return Judged(alike, similarity, self.threshold)
        return Judged(self._matches_examples_better(page), similarity, self.threshold, by_tree=True)

    def _threshold(self, background: list[float]) -> float:
        """The middle of the widest gap where the kind's limit can be; of gaps about as wide the topmost."""
        own = self._own_similarity()
        if len(background) < ENOUGH_PAGES:
            return min(HIGHEST, max(LOWEST, WITHOUT_PAGES * own))
        lowest, highest = min(LOWEST, own / 2), min(HIGHEST, EXAMPLES_SHARE * own)
        marks = sorted([lowest, highest, *(score for score in background if lowest < score < highest)])
        widest = max(above - below for below, above in pairwise(marks))
        gaps = [(below + above) / 2 for below, above in pairwise(marks) if above - below >= ABOUT_AS_WIDE * widest]
        return gaps[-1]

    def _own_similarity(self) -> float:
        """How alike the examples are to each other; one alone is like itself."""
        paths = [one for one, _ in self._examples]
        if len(paths) == 1:
            return 1.0
        pairs = [(a, b) for at, a in enumerate(paths) for b in paths[:at]]
        return sum(self._weights.similarity(a, b) for a, b in pairs) / len(pairs)

    def _matches_examples_better(self, page: Shape) -> bool:
        """Than the pages most like it that are not like the examples."""
        near = sorted(self._unlike, key=lambda other: -self._weights.similarity(page.paths, other.paths))[:CONTRAST]
        tree = self._forest.add(page.skeleton)
        return self._matched(tree, self._skeletons) >= self._matched(
            tree, [self._forest.add(other.skeleton) for other in near]
        )

    def _matched(self, tree: int, others: Sequence[int]) -> float:
        return sum(self._forest.match(tree, other).similarity for other in others) / len(others)
