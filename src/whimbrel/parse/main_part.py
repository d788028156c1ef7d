"""The main text of a page: the blocks that most likely are what the page is for.

A small model, learned from pages whose main text people marked, gives each block a chance. Which are kept is then no
threshold: those are taken that make the expected F1 greatest, best first. Where the model is sure, little else comes
along; where nothing stands out, the chances are all alike and nearly everything is kept, rather than a page lost.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import exp

from msgspec import Struct
from msgspec.json import decode
from turbohtml import Document, Element

from whimbrel.parse.block_traits import Worth, said_by, traits_of
from whimbrel.parse.blocks import Blocks, blocks_of
from whimbrel.parse.main_model import MODEL

QUICK_TREES = 24
"""The first trees know most of what all know: for whoever reads many pages."""

LEAST_WORDS = 40
"""As many as a paragraph has. What says less has nothing to leave out, and no page like it was learned from."""


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


def main_blocks(document: Document, *, quick: bool = False) -> list[str]:
    """The texts of the blocks of the main part, in the order of the page."""
    blocks = blocks_of(document)
    return [blocks.texts[at] for at in _judged(document, blocks, quick)]


def main_element(document: Document) -> Element | None:
    """The element that holds the main part, which loses the boxes of which nothing is kept; None without any text."""
    blocks = blocks_of(document)
    if not blocks.texts:
        return None
    said, wanted = [0] * len(blocks.parents), [0] * len(blocks.parents)
    for box in blocks.boxes:
        said[box] += 1
    for at in _judged(document, blocks, quick=False):
        wanted[blocks.boxes[at]] += 1
    for box in range(len(said) - 1, 0, -1):
        said[blocks.parents[box]] += said[box]
        wanted[blocks.parents[box]] += wanted[box]
    for box in range(1, len(said)):
        # What stands in a box that went already went with it.
        if said[box] and not wanted[box] and wanted[blocks.parents[box]]:
            blocks.elements[box].decompose()
    return blocks.elements[0]


def _judged(document: Document, blocks: Blocks, quick: bool) -> list[int]:
    worth, score = _shipped(quick)
    rows = traits_of(blocks, said_by(document), worth)
    return kept(blocks, [score(row) for row in rows])


def kept(blocks: Blocks, scores: Sequence[float]) -> list[int]:
    """The blocks whose words make 2 · right / (kept + main) greatest, if each word is right by its block's chance."""
    chances = [1 / (1 + exp(-score)) for score in scores]
    words = [text.count(" ") + 1 for text in blocks.texts]
    if sum(words) < LEAST_WORDS:
        return list(range(len(words)))
    expected = sum([chance * count for chance, count in zip(chances, words, strict=True)])
    order = sorted(range(len(words)), key=chances.__getitem__, reverse=True)
    right = taken = best = 0.0
    end = 0
    for place, at in enumerate(order, 1):
        right += chances[at] * words[at]
        taken += words[at]
        if (value := right / (taken + expected)) > best:
            best, end = value, place
    return sorted(order[:end])


@lru_cache(maxsize=2)
def _shipped(quick: bool) -> tuple[Worth, Callable[[Sequence[float]], float]]:
    model = decode(MODEL, type=Model)
    return model.worth, scorer(Model(model.worth, model.base, model.trees[:QUICK_TREES]) if quick else model)


def scorer(model: Model) -> Callable[[Sequence[float]], float]:
    """The trees as one expression of Python: four times as fast as a loop over their columns."""
    trees = "+".join([_written(tree, 0) for tree in model.trees])
    score: Callable[[Sequence[float]], float] = eval(f"lambda f: {model.base!r}+{trees}", {"__builtins__": {}})
    return score


def _written(tree: Tree, at: int) -> str:
    if at >= len(tree.columns):
        return repr(tree.leaves[at - len(tree.columns)])
    left, right = _written(tree, 2 * at + 1), _written(tree, 2 * at + 2)
    if left == right:
        return left
    return f"({right} if f[{tree.columns[at]}]>{tree.cuts[at]!r} else {left})"
