"""Is this page of the kind that examples show?

How alike pages of one kind are differs from kind to kind, so one threshold for all is either blind or strict. Among
the site's other pages the kind stands apart: the threshold lies in a wide gap between them, not far from where the
limit of most kinds is.
"""

from collections.abc import Sequence
from itertools import islice, pairwise
from math import exp, log

from msgspec import structs

from whimbrel.records.outline import Step
from whimbrel.structure.profile import Profile
from whimbrel.structure.shape import WORDS, Shape
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

OWN_SHARE = 0.75
"""Of how alike the example that is least like the others is to them: about there is the limit of most kinds."""

USUAL_LIMIT = 0.5
"""Nor is it higher than this: three examples may happen to be more alike than most pages of their kind."""

AROUND = 0.3
LOWEST = 0.02
"""How far around there a gap is looked for, in logarithms, and where no two pages are of one kind."""

LIMIT_OF_ONE = 0.4
"""Where one example says nothing of how much its kind varies."""

OFF_CENTRE = 0.3
"""Of its width a gap loses that much at the edge."""

ENOUGH_PAGES = 20
WITHOUT_PAGES = 0.9
"""Of how alike the examples are to each other, where too few pages are known to see a gap. Nothing tells yet what all
pages of the site share, which is most of a page: whoever judges now has to be strict, and look again later."""


class Likeness:
    """Judges pages by examples of one kind, `background` being other pages of the same site, whatever their kind."""

    def __init__(self, examples: Sequence[Shape], background: Sequence[Shape], names: Sequence[str] = ()) -> None:
        examples = examples[:MOST_EXAMPLES]
        self._weights = Weights([page.paths for page in background])
        self._paths = [one.paths for one in examples]
        self._profile = Profile(self._paths, self._weights.__getitem__, root=True)
        self._own = self._own_similarities()
        scores = [self.similarity(page) for page in background]
        self.threshold = self._threshold(scores)
        self.alike_in_background = sum(score >= self.threshold for score in scores)
        self._wanted = self._worded(examples, names, self._contrasts(background, scores))
        self._judge = Judge(self._wanted)

    def similarity(self, page: Shape) -> float:
        """To the profile of the examples."""
        return self._profile.similarity(page.paths, self._weights.of(page.paths))

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
            usual=sum(self._own) / len(self._own),
            rarity=1.0,
            examples=[
                Example(name, sorted(shortened(one.paths)), list(one.skeleton[:MOST_STEPS]))
                for name, one in zip(named, examples, strict=False)
            ],
            known=known,
            weights=weights,
            unknown=[self._weights.unknown(depth) for depth in range(WORDS + 1)],
            contrasts=contrasts,
        )

    def _contrasts(self, background: Sequence[Shape], scores: Sequence[float]) -> list[list[Step]]:
        """The upper trees of the pages that are most like the examples and still below the threshold."""
        ranked = sorted(zip(scores, range(len(scores)), strict=True), reverse=True)
        trees = dict.fromkeys(background[at].skeleton[:MOST_STEPS] for score, at in ranked if score < self.threshold)
        return [list(tree) for tree in islice(trees, MOST_CONTRASTS)]

    def _threshold(self, background: list[float]) -> float:
        """The middle of the widest gap about where a kind's limit is; the nearer to there the better. Gaps are measured
        in logarithms: between pages that are alike by a tenth and by a fifth is as much as by four and by eight."""
        if len(background) < ENOUGH_PAGES:
            return max(LOWEST, WITHOUT_PAGES * sum(self._own) / len(self._own))
        limit = min(USUAL_LIMIT, OWN_SHARE * min(self._own)) if len(self._own) > 1 else LIMIT_OF_ONE
        centre = log(max(LOWEST, limit))
        lowest, highest = centre - AROUND, centre + AROUND
        scores = [log(score) for score in background if score > 0]
        marks = sorted([lowest, highest, *(score for score in scores if lowest < score < highest)])
        gaps = [(below, above, (below + above) / 2) for below, above in pairwise(marks)]
        widest = max(gaps, key=lambda gap: (gap[1] - gap[0]) * (1 - OFF_CENTRE * abs(gap[2] - centre) / AROUND))
        return exp(widest[2])

    def _own_similarities(self) -> list[float]:
        """How alike each example is to the others; one alone is like itself."""
        if len(self._paths) == 1:
            return [1.0]
        weigh = self._weights.__getitem__
        alike = []
        for at, paths in enumerate(self._paths):
            others = Profile([*self._paths[:at], *self._paths[at + 1 :]], weigh, root=True)
            alike.append(others.similarity(paths, self._weights.of(paths)))
        return alike
