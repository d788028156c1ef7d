"""Is this page of the kind that examples show?

How alike pages of one kind are differs from kind to kind, so one threshold for all is either blind or strict. Among
the site's other pages the kind stands apart: the threshold lies in the widest gap between them and the examples.
"""

from collections.abc import Sequence
from itertools import islice, pairwise

from msgspec import structs

from whimbrel.structure.matching import Step
from whimbrel.structure.shape import DEEPEST, Shape
from whimbrel.structure.wanted import (
    MOST_CONTRASTS,
    MOST_EXAMPLES,
    MOST_STEPS,
    MOST_WEIGHTS,
    VERSION,
    Example,
    Judge,
    Judged,
    Wanted,
    packed_weights,
    shortened,
)
from whimbrel.structure.weights import Weights

__all__ = ["ENOUGH_PAGES", "Judged", "Likeness"]

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


class Likeness:
    """Judges pages by examples of one kind, `background` being other pages of the same site, whatever their kind."""

    def __init__(self, examples: Sequence[Shape], background: Sequence[Shape], names: Sequence[str] = ()) -> None:
        examples = examples[:MOST_EXAMPLES]
        self._weights = Weights([page.paths for page in background])
        self._examples = [(one.paths, self._weights.of(one.paths)) for one in examples]
        scores = [self.similarity(page) for page in background]
        self.threshold = self._threshold(scores)
        self.alike_in_background = sum(score >= self.threshold for score in scores)
        self._wanted = self._worded(examples, names, self._contrasts(background, scores))
        self._judge = Judge(self._wanted)

    def similarity(self, page: Shape) -> float:
        """On average over the examples."""
        whole = self._weights.of(page.paths)
        total = 0.0
        for paths, weight in self._examples:
            shared = self._weights.of(page.paths & paths)
            total += shared / (whole + weight - shared)
        return total / len(self._examples)

    def judge(self, page: Shape) -> Judged:
        return self._judge.judge(page)

    def wanted(self, number: int, rarity: float) -> Wanted:
        """What a migrant has to know to judge the same."""
        return structs.replace(self._wanted, number=number, rarity=rarity)

    def _worded(self, examples: Sequence[Shape], names: Sequence[str], contrasts: list[list[Step]]) -> Wanted:
        own = {path: None for page in examples for path in sorted(page.paths)}
        table = list({**dict.fromkeys(self._weights.most_telling(MOST_WEIGHTS)), **own})
        known, weights = packed_weights(self._weights, table)
        named = [*names, *("" for _ in examples)]
        return Wanted(
            version=VERSION,
            number=0,
            threshold=self.threshold,
            usual=self._own_similarity(),
            rarity=1.0,
            examples=[
                Example(name, sorted(shortened(one.paths)), list(one.skeleton[:MOST_STEPS]))
                for name, one in zip(named, examples, strict=False)
            ],
            known=known,
            weights=weights,
            unknown=[self._weights.unknown(depth) for depth in range(DEEPEST + 1)],
            contrasts=contrasts,
        )

    def _contrasts(self, background: Sequence[Shape], scores: Sequence[float]) -> list[list[Step]]:
        """The upper trees of the pages that are most like the examples and still below the threshold."""
        ranked = sorted(zip(scores, range(len(scores)), strict=True), reverse=True)
        trees = dict.fromkeys(background[at].skeleton[:MOST_STEPS] for score, at in ranked if score < self.threshold)
        return [list(tree) for tree in islice(trees, MOST_CONTRASTS)]

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
