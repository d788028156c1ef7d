"""A site as a ground to tell kinds on: what its pages are put together of, and which of them belong together."""

from collections import Counter
from collections.abc import Collection, Sequence

from whimbrel.structure.blocks import SharedBlocks, Shares, alike
from whimbrel.structure.linkage import Linkage
from whimbrel.structure.shape import ROLE, WORDS, Shape, depth_of

MOST_PAGES = 300
"""That a site is told by, spread over those given: the work grows with their square."""

LIKE = 0.3
"""From here up a page may be of a kind; below, it is like none that is known."""

MEET = 0.8
"""Where examples of one kind are joined below this, so is all that is joined with them by then: how much the examples
differ tells how much their kind varies."""

FEWEST = 3
"""Pages that make a kind; fewer are of the kind that they are most like."""

SHARE = 1 / 25
"""Of the sample that a group has to have at least to be one of two that are held against both together: among more
pages there are more that happen to be the same, and these are no kind yet."""

ONE_TEMPLATE = 0.9
"""Of their elements pages have in common that differ in nothing but what they are filled with."""

FURNITURE = 0.9
"""What so many pages of a site have tells nothing of a kind, but which site a page is of."""


class Centre:
    """What some pages have in common: each block by the share of them that has it."""

    def __init__(self, pages: Sequence[Collection[int]], weights: Sequence[float], lean: float) -> None:
        self._lean = lean
        having = Counter(block for blocks in pages for block in blocks)
        self.shares: Shares = {block: count / len(pages) for block, count in having.items()}
        self._weighed = {block: weights[block] * share for block, share in self.shares.items()}
        self.weight = sum(self._weighed.values())

    def similarity(self, blocks: Collection[int], weight: float) -> float:
        """To a page by its blocks and what they weigh."""
        weighed = self._weighed
        return alike(sum([weighed[block] for block in blocks if block in weighed]), weight, self.weight, self._lean)


class Ground:
    """Of a sample of a site's pages. `parts`: told by parts that are the same wherever they stand in the page, which is
    how pages of another site are compared: what stands around them there is that site's. `roles`: where links to them
    stand counts too. `shown` are pages of the site that count however many others there are."""

    def __init__(
        self, sample: Sequence[Shape], *, parts: bool = False, roles: bool = True, share: float = SHARE,
        shown: Sequence[Shape] = (),
    ) -> None:  # fmt: skip
        self.sample = [*shown, *_spread([shape for shape in sample if not shape.is_empty], MOST_PAGES - len(shown))]
        if not roles:
            self.sample = [shape.without_roles() for shape in self.sample]
        self.parts, self.roles = parts, roles and any(shape.has_roles for shape in self.sample)
        self.blocks = SharedBlocks([self.features(shape) for shape in self.sample])
        self.linkage = Linkage(self.blocks.similarities())
        self._otherwise: dict[tuple[bool, bool], Ground] = {}
        self.group_by(share)

    def told(self, *, parts: bool, roles: bool) -> "Ground":
        """The same pages, told so."""
        if (parts, roles) == (self.parts, self.roles):
            return self
        if (parts, roles) not in self._otherwise:
            self._otherwise[parts, roles] = Ground(self.sample, parts=parts, roles=roles, share=self._share)
        return self._otherwise[parts, roles]

    def seen_from(self, examples: Sequence[Shape]) -> "Ground":
        """The ground to hold these examples against: where most are of another site, what is around their parts there
        tells nothing here; where no link to one of them is known, roles tell nothing."""
        elsewhere = sum(map(self.is_elsewhere, examples))
        roles = self.roles and all(example.has_roles for example in examples)
        return self.told(parts=2 * elsewhere > len(examples), roles=roles)

    def group_by(self, share: float) -> None:
        self._share = share
        fewest = max(FEWEST, round(share * len(self.sample)))
        self.groups = self._of_templates(self.linkage.groups(fewest))
        self.kinds = [group for group in self.groups if len(group) >= FEWEST] or self.groups
        self.centres = {group[0]: self.centre(group) for group in self.groups}

    def _of_templates(self, groups: Sequence[list[int]]) -> list[list[int]]:
        """Groups that are told apart by no more than one template's being filled a little more or less are one. Weights
        do not show that: where all pages have nearly everything in common, the little that is left is all there is."""
        joined: list[tuple[frozenset[int], list[int]]] = []
        for group in groups:
            typical = self._typical(group)
            for other, pages in joined:
                if one_template(typical, other):
                    pages += group
                    break
            else:
                joined.append((typical, list(group)))
        return [sorted(pages) for _, pages in joined]

    def _typical(self, group: Sequence[int]) -> frozenset[int]:
        """What half of these pages have."""
        having = Counter(path for at in group for path in self.features(self.sample[at]))
        return frozenset(path for path, count in having.items() if 2 * count >= len(group))

    def features(self, shape: Shape) -> frozenset[int]:
        return shape.parts if self.parts else shape.paths

    def of(self, shape: Shape) -> frozenset[int]:
        return self.blocks.of(self.features(shape))

    def centre(self, group: Sequence[int]) -> Centre:
        return Centre([self.blocks.pages[at] for at in group], self.blocks.weights, self.blocks.lean)

    def group_of(self, blocks: Collection[int], least: float) -> list[int] | None:
        """The pages that a page belongs to, None where it is less like all of them: its kind may not be here yet."""
        weight = self.blocks.weigh(blocks)
        alike = [self.centres[group[0]].similarity(blocks, weight) for group in self.groups]
        best = max(range(len(alike)), key=alike.__getitem__, default=None)
        return self.groups[best] if best is not None and alike[best] >= least else None

    def is_elsewhere(self, shape: Shape) -> bool:
        """Whether a page lacks most of what the pages of this site have in common: then it is of another."""
        return is_elsewhere(shape, self.sample)


def is_elsewhere(shape: Shape, sample: Sequence[Shape]) -> bool:
    having = Counter(path for page in sample for path in page.paths)
    common = [path for path, count in having.items() if count >= FURNITURE * len(sample) and depth_of(path) != ROLE]
    return 2 * sum(path in shape.paths for path in common) < len(common)


def one_template(one: frozenset[int], other: frozenset[int]) -> bool:
    """Whether these are made of the same elements, and neither has headings where the other has different ones."""
    both = one & other
    words = sum(depth_of(path) == WORDS for path in both)
    fewer = min(sum(depth_of(path) == WORDS for path in some) for some in (one, other))
    elements = len(one | other) - sum(depth_of(path) == WORDS for path in one | other)
    return len(both) - words >= ONE_TEMPLATE * elements and words >= ONE_TEMPLATE * fewer


def _spread(shapes: Sequence[Shape], most: int) -> list[Shape]:
    if len(shapes) <= most:
        return list(shapes)
    return [shapes[at * len(shapes) // most] for at in range(most)]
