"""A site as a ground to tell kinds on: what its pages are put together of, and which of them belong together."""

from collections import Counter
from collections.abc import Collection, Sequence

from whimbrel.structure.blocks import Blocks, Shares, alike
from whimbrel.structure.linkage import Linkage
from whimbrel.structure.shape import Shape

MOST_PAGES = 300
"""That a site is told by, spread over those given: the work grows with their square."""

CUT = 0.6
"""Pages that are joined at a smaller distance are of one kind."""

MEET = 0.7
"""Where examples of one kind are joined below this, so is all that is joined with them by then: how much the examples
differ tells how much their kind varies."""

FEWEST = 3
"""Pages that make a kind; fewer are of the kind that they are most like."""

FURNITURE = 0.9
"""What so many pages of a site have tells nothing of a kind, but which site a page is of."""


class Centre:
    """What some pages have in common: each block by the share of them that has it."""

    def __init__(self, pages: Sequence[Collection[int]], weights: Sequence[float]) -> None:
        having = Counter(block for blocks in pages for block in blocks)
        self.shares: Shares = {block: count / len(pages) for block, count in having.items()}
        self._weighed = {block: weights[block] * share for block, share in self.shares.items()}
        self.weight = sum(self._weighed.values())

    def similarity(self, blocks: Collection[int], weight: float) -> float:
        """To a page by its blocks and what they weigh."""
        weighed = self._weighed
        return alike(sum([weighed[block] for block in blocks if block in weighed]), weight, self.weight)


class Ground:
    """Of a sample of a site's pages. `parts`: told by parts that are the same wherever they stand in the page, which is
    how pages of another site are compared: what stands around them there is that site's."""

    def __init__(self, sample: Sequence[Shape], *, parts: bool = False, cut: float = CUT) -> None:
        self.sample = _spread([shape for shape in sample if not shape.is_empty])
        self.parts = parts
        self.blocks = Blocks([self.features(shape) for shape in self.sample])
        self.linkage = Linkage(self.blocks.similarities())
        self._by_parts: Ground | None = None
        self.cut_at(cut)

    def by_parts(self) -> "Ground":
        """The same pages, told by parts."""
        if self._by_parts is None:
            self._by_parts = Ground(self.sample, parts=True, cut=self._cut)
        return self._by_parts

    def seen_from(self, examples: Sequence[Shape]) -> "Ground":
        """The ground to hold these examples against: where most are of another site, what is around their parts there
        tells nothing here."""
        elsewhere = sum(map(self.is_elsewhere, examples))
        return self.by_parts() if 2 * elsewhere > len(examples) else self

    def cut_at(self, cut: float) -> None:
        self._cut = cut
        groups = self.linkage.groups(cut)
        self.groups = groups
        large = [group for group in groups if len(group) >= FEWEST]
        self.kinds = large or groups
        self.centres = {group[0]: self.centre(group) for group in groups}

    def features(self, shape: Shape) -> frozenset[int]:
        return shape.parts if self.parts else shape.paths

    def of(self, shape: Shape) -> frozenset[int]:
        return self.blocks.of(self.features(shape))

    def centre(self, group: Sequence[int]) -> Centre:
        return Centre([self.blocks.pages[at] for at in group], self.blocks.weights)

    def group_of(self, blocks: Collection[int], least: float) -> list[int] | None:
        """The pages that a page belongs to, None where it is less like all of them: its kind may not be here yet."""
        weight = self.blocks.weigh(blocks)
        alike = [self.centres[group[0]].similarity(blocks, weight) for group in self.groups]
        best = max(range(len(alike)), key=alike.__getitem__, default=None)
        return self.groups[best] if best is not None and alike[best] >= least else None

    def is_elsewhere(self, shape: Shape) -> bool:
        """Whether a page lacks most of what the pages of this site have in common: then it is of another."""
        having = Counter(path for page in self.sample for path in page.paths)
        common = [path for path, count in having.items() if count >= FURNITURE * len(self.sample)]
        return 2 * sum(path in shape.paths for path in common) < len(common)


def _spread(shapes: Sequence[Shape]) -> list[Shape]:
    if len(shapes) <= MOST_PAGES:
        return list(shapes)
    return [shapes[at * len(shapes) // MOST_PAGES] for at in range(MOST_PAGES)]
