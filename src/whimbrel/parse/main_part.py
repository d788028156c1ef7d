"""The main text of a page: the blocks that most likely are what the page is for.

A small model, learned from pages whose main text people marked, gives each block a score, and blocks that stand alike
share part of theirs. Which are kept is then no threshold: those are taken that make the expected F1 greatest, best
first. Where the model is sure, little else comes along; where nothing stands out, the chances are all alike and nearly
everything is kept, rather than a page lost.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate
from math import exp

from msgspec import Struct
from msgspec.json import decode
from turbohtml import Document, Element, parse

from whimbrel.parse.block_traits import HeadSaid, Worth, said_by, traits_of
from whimbrel.parse.blocks import Blocks, blocks_of, words_of
from whimbrel.parse.main_model import MODEL

QUICK_TREES = 12
"""The first trees know most of what all know: for whoever reads many pages."""

_LEVELS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_DEEPEST = 7
"""Below every heading: the text itself."""

_ONE_CASE = ((0.0, 1.0),)
_CASES = ((-(3**0.5), 1 / 6), (0.0, 2 / 3), (3**0.5, 1 / 6))
"""Three points that stand for a normal distribution, with their weights (Gauss and Hermite)."""

LEAST_WORDS = 40
"""As many as a paragraph has. What says less has nothing to leave out, and no page like it was learned from."""


UNPARTED = 1e30
"""The cut of a split that parts nothing: all goes left."""


class Choice(Struct, frozen=True):
    """How scores become what is kept."""

    shared: float = 0.0
    """What part of a block's score is the mean of those that stand beside it (`_shared`)."""
    doubt: float = 0.0
    """By how much all scores of a page may be wrong together, as a standard deviation."""


PLAIN = Choice()


class Tree(Struct, frozen=True, array_like=True):
    """A full tree of one depth: level by level trait and cut of each split (right if above), then the leaves."""

    columns: list[int]
    cuts: list[float]
    leaves: list[float]


class Model(Struct, frozen=True):
    worth: dict[str, float]
    """Of names of boxes (`block_traits.Worth`)."""
    base: float
    trees: list[Tree]
    quick_base: float = 0.0
    quick_factor: float = 1.0
    """What the first trees begin at and are multiplied by where they are asked alone."""
    choice: Choice = PLAIN

    @property
    def quick(self) -> "Model":
        trees = [
            Tree(tree.columns, tree.cuts, [self.quick_factor * leaf for leaf in tree.leaves])
            for tree in self.trees[:QUICK_TREES]
        ]
        return Model(self.worth, self.quick_base, trees)


def main_blocks(document: Document, *, quick: bool = False) -> list[str]:
    """The texts of the blocks of the main part, in the order of the page."""
    blocks, said = blocks_of(document), said_by(document)
    return [blocks.texts[at] for at in _judged(blocks, said, quick)] + beside(blocks, said)


def beside(blocks: Blocks, said: HeadSaid) -> list[str]:
    """What the head says of the page where that is more than the whole body does, as where scripts are to fill it."""
    if len(said.longest) <= sum(blocks.lengths):
        return []
    lines = (parse(said.longest).text if "<" in said.longest else said.longest).splitlines()
    return [line for words in lines if (line := " ".join(words.split()))]


def main_element(document: Document) -> Element | None:
    """The element that holds the main part, which loses the boxes of which nothing is kept; None without any text. The
    headings of what is kept stay."""
    blocks = blocks_of(document)
    if not blocks.texts:
        return None
    said, wanted = [0] * len(blocks.parents), [0] * len(blocks.parents)
    for box in blocks.boxes:
        said[box] += 1
    for at in headed(blocks, _judged(blocks, said_by(document), quick=False)):
        wanted[blocks.boxes[at]] += 1
    for box in range(len(said) - 1, 0, -1):
        said[blocks.parents[box]] += said[box]
        wanted[blocks.parents[box]] += wanted[box]
    for box in range(1, len(said)):
        # What stands in a box that went already went with it.
        if said[box] and not wanted[box] and wanted[blocks.parents[box]]:
            blocks.elements[box].decompose()
    return blocks.elements[0]


def headed(blocks: Blocks, chosen: Sequence[int]) -> set[int]:
    """With the headings that stand right before a block that is kept, or before a smaller heading that is."""
    kept = set(chosen)
    below = 0
    for at in range(len(blocks.texts) - 1, -1, -1):
        level = _LEVELS.get(blocks.tags[blocks.boxes[at]], 0)
        if not level:
            below = _DEEPEST if at in kept else 0
        elif at in kept or below > level:
            kept.add(at)
            below = level
    return kept


def _judged(blocks: Blocks, said: HeadSaid, quick: bool) -> list[int]:
    worth, score, choice = _shipped(quick)
    rows = traits_of(blocks, said, worth)
    return kept(blocks, [score(row) for row in rows], choice)


def kept(blocks: Blocks, scores: Sequence[float], choice: Choice = PLAIN) -> list[int]:
    """The blocks whose words make 2 · right / (kept + main) greatest, if each word is right by its block's chance.

    What people mark differs from page to page, so all chances of a page may be too high or too low together: the mean
    is taken over three such cases."""
    words = [words_of(text, length) for text, length in zip(blocks.texts, blocks.lengths, strict=True)]
    if sum(words) < LEAST_WORDS:
        return list(range(len(words)))
    if choice.shared:
        scores = _shared(blocks, scores, choice.shared)
    order = sorted(range(len(words)), key=scores.__getitem__, reverse=True)
    counts, ordered = [words[at] for at in order], [scores[at] for at in order]
    taken = list(accumulate(counts))
    values = [0.0] * len(counts)
    for shift, weight in _CASES if choice.doubt else _ONE_CASE:
        off = shift * choice.doubt
        chances = [1 / (1 + exp(-off - score)) for score in ordered]
        right = list(accumulate([chance * count for chance, count in zip(chances, counts, strict=True)]))
        expected = right[-1]
        values = [
            value + weight * part / (some + expected) for value, part, some in zip(values, right, taken, strict=True)
        ]
    return sorted(order[: values.index(max(values)) + 1])


def _shared(blocks: Blocks, scores: Sequence[float], part: float) -> list[float]:
    """Cells of a table, cards of a list, paragraphs of posts: blocks whose boxes are grandchildren of one box are
    mostly main text all or none, though one alone may look like a menu."""
    parents = blocks.parents
    above = [parents[max(parents[box], 0)] for box in blocks.boxes]
    sums: dict[int, float] = {}
    counts: dict[int, int] = {}
    for box, score in zip(above, scores, strict=True):
        sums[box] = sums.get(box, 0.0) + score
        counts[box] = counts.get(box, 0) + 1
    means = {box: part * total / counts[box] for box, total in sums.items()}
    return [(1 - part) * score + means[box] for box, score in zip(above, scores, strict=True)]


@lru_cache(maxsize=2)
def _shipped(quick: bool) -> tuple[Worth, Callable[[Sequence[float]], float], Choice]:
    model = decode(MODEL, type=Model)
    model = model.quick if quick else model
    return model.worth, scorer(model), model.choice


def scorer(model: Model) -> Callable[[Sequence[float]], float]:
    """The trees as one expression of Python: four times as fast as a loop over their columns."""
    trees = "+".join([_written(tree, 0) for tree in model.trees])
    score: Callable[[Sequence[float]], float] = eval(f"lambda f: {model.base!r}+{trees}", {"__builtins__": {}})
    return score


def _written(tree: Tree, at: int) -> str:
    if at >= len(tree.columns):
        return repr(tree.leaves[at - len(tree.columns)])
    left = _written(tree, 2 * at + 1)
    if tree.cuts[at] >= UNPARTED:
        return left
    right = _written(tree, 2 * at + 2)
    if left == right:
        return left
    return f"({right} if f[{tree.columns[at]}]>{tree.cuts[at]!r} else {left})"
