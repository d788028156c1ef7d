"""Is this page of the kind that examples show?

How alike pages of one kind are differs from kind to kind and from site to site, so no threshold fits all. Among the
site's other pages the kind stands apart: those that belong with the examples are of it, the others are strangers, and a
page is of the kind where it is more like it than like any of them.
"""

from collections.abc import Sequence
from itertools import combinations

from msgspec import structs

from whimbrel.structure.blocks import SharedBlocks, Shares
from whimbrel.structure.ground import LIKE, MEET, Ground
from whimbrel.structure.shape import Shape, depth_of
from whimbrel.structure.wanted import (
    DECAY,
    MOST_CONTRASTS,
    MOST_EXAMPLES,
    MOST_STEPS,
    MOST_STRANGERS,
    VERSION,
    KindCentre,
    KindJudge,
    KindJudged,
    Wanted,
    packed,
    shortened,
    told,
)

__all__ = ["ENOUGH_PAGES", "KindJudged", "KindLikeness"]

ENOUGH_PAGES = 20
WITHOUT_PAGES = 0.9
"""Of how alike the examples are to each other, where too few pages are known. Nothing tells yet what all pages of the
site share, which is most of a page: whoever judges now has to be strict, and look again later."""


class KindLikeness:
    """Judges pages by examples of one kind. `background` are other pages of the site, whatever their kind, or the
    ground made of them already."""

    def __init__(
        self,
        examples: Sequence[Shape],
        background: Sequence[Shape] | Ground,
        names: Sequence[str] = (),
        meet: float = MEET,
    ) -> None:
        self._examples = list(examples[:MOST_EXAMPLES])
        self._names = [*names, *("" for _ in self._examples)][: len(self._examples)]
        ground = background if isinstance(background, Ground) else _ground(background)
        known = ground is not None and len(ground.sample) >= ENOUGH_PAGES
        wanted = self._on(ground.seen_from(self._examples), meet) if ground is not None and known else None
        # Where no stranger is known yet, nothing tells what is one: the examples alone decide, strictly.
        self._wanted = wanted if wanted is not None and wanted.strangers else self._bare()
        self._judge = KindJudge(self._wanted)
        self.threshold = self._wanted.threshold
        self.alike_in_background = sum(self.judge(page).alike for page in ground.sample) if ground is not None else 0

    def judge(self, page: Shape) -> KindJudged:
        return self._judge.judge(page)

    def similarity(self, page: Shape) -> float:
        """To the kind."""
        return self._judge.judge(page).similarity

    def wanted(self, number: int, rarity: float) -> Wanted:
        """What a migrant has to know to judge the same."""
        return structs.replace(self._wanted, number=number, rarity=rarity)

    def _on(self, ground: Ground, meet: float) -> Wanted:
        examples = [ground.of(example) for example in self._examples]
        own, nearest = _own_groups(ground, examples, meet)
        centres = [told(at, dict.fromkeys(sorted(blocks), 1.0)) for at, blocks in enumerate(examples)]
        centres += [told(nearest[first], ground.centres[first].shares) for first in own]
        others = [group for group in ground.kinds if group[0] not in own]
        wanted = self._worded(ground.blocks, centres, parts=ground.parts)
        judge = KindJudge(wanted)
        scores = {at: judge.judge(ground.sample[at]).similarity for group in others for at in group}
        ranked = sorted(others, key=lambda group: -sum(scores[at] for at in group) / len(group))
        return structs.replace(
            wanted,
            # No page is of the kind that is less like it than strangers are on average.
            threshold=max(LIKE, sum(scores.values()) / len(scores)) if scores else LIKE,
            strangers=[told(-1, ground.centres[group[0]].shares) for group in ranked[:MOST_STRANGERS]],
            contrasts=[list(ground.sample[group[0]].skeleton[:MOST_STEPS]) for group in ranked[:MOST_CONTRASTS]],
        )

    def _bare(self) -> Wanted:
        """By the examples alone."""
        paths = sorted({path for example in self._examples for path in example.paths})
        number = {path: at for at, path in enumerate(paths)}
        shares: list[Shares] = [{number[path]: 1.0 for path in sorted(one.paths)} for one in self._examples]
        centres = [told(at, one) for at, one in enumerate(shares)]
        blank = self._worded(None, centres, paths=paths)
        usual = self._usual(blank)
        return structs.replace(blank, threshold=WITHOUT_PAGES * usual, usual=usual)

    def _worded(
        self, blocks: SharedBlocks | None, own: list[KindCentre], *, parts: bool = False, paths: Sequence[int] = ()
    ) -> Wanted:
        wanted = Wanted(
            version=VERSION,
            number=0,
            threshold=0.0,
            usual=1.0,
            rarity=1.0,
            names=self._names,
            parts=parts,
            bare=blocks is None,
            paths=[shortened(some) for some in (blocks.paths if blocks else [[path] for path in paths])],
            weights=packed(blocks.weights if blocks else [DECAY ** depth_of(path) for path in paths]),
            lean=blocks.lean if blocks else 0.0,
            own=own,
            strangers=[],
            skeletons=[list(one.skeleton[:MOST_STEPS]) for one in self._examples],
            contrasts=[],
        )
        return structs.replace(wanted, usual=self._usual(wanted)) if blocks else wanted

    def _usual(self, wanted: Wanted) -> float:
        """How alike the examples are to each other, on average; one alone is like itself."""
        if len(self._examples) == 1:
            return 1.0
        alike = []
        for at, example in enumerate(self._examples):
            others = [one for one in wanted.own[: len(self._examples)] if one.example != at]
            alike.append(KindJudge(structs.replace(wanted, own=others)).judge(example).similarity)
        return sum(alike) / len(alike)


def _ground(background: Sequence[Shape]) -> Ground | None:
    return Ground(background) if len(background) >= ENOUGH_PAGES else None


def _own_groups(ground: Ground, examples: Sequence[frozenset[int]], meet: float) -> tuple[set[int], dict[int, int]]:
    """The first pages of the groups that the examples belong to, with what lies between them; and the example that
    led to each."""
    groups = [(at, ground.group_of(blocks, LIKE)) for at, blocks in enumerate(examples)]
    led = {group[0]: at for at, group in reversed(groups) if group is not None}
    own = set(led)
    for one, other in combinations(sorted(own), 2):
        distance = ground.linkage.joint(one, other)
        if distance > meet:
            continue
        for group in ground.groups:
            if ground.linkage.joint(one, group[0]) <= distance:
                led.setdefault(group[0], led[one])
    return set(led), led
