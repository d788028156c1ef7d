"""The main text of a page: the blocks that most likely are what the page is for.

A small model, learned from pages whose main text people marked, gives each block a chance. Which are kept is then no
threshold: those are taken that make the expected F1 greatest, best first. Where the model is sure, little else comes
along; where nothing stands out, the chances are all alike and nearly everything is kept, rather than a page lost. The
chances of a page are not by chance each: of one page more is main text than the trees think, of another less. So what
is expected is the mean over three such pages.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from itertools import accumulate, count, groupby
from math import exp

from msgspec import Struct
from msgspec.json import decode
from turbohtml import Document, Element, parse

from whimbrel.parse.block_traits import HeadSaid, said_by, traits_of
from whimbrel.parse.blocks import LEAST_WORDS, Blocks, blocks_of, length_of, words_of
from whimbrel.parse.main_model import MODEL

_LEVELS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_DEEPEST = 7
"""Below every heading: the text itself."""
GAP = 0.5
"""Of the shorter of the stretches beside it: docs/decisions/0680."""
_WORDS = re.compile(r"\w+")
_SPEAKS_FOR_ITSELF = 4_000
"""A body with so many characters, two pages of a book, is hardly one that scripts are to fill."""
_PHRASE_WORDS = 3
"""What has as many says something: repeated, it says no more."""
_OF_TABLES = frozenset({"td", "th", "pre"})


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
    spread: float = 0.0
    """How far a page may lie off as a whole, above or below what its scores say."""
    quick_trees: int = 0
    """The first trees know most of what all know: for whoever reads many pages."""
    quick_base: float = 0.0
    quick_factor: float = 1.0
    """What they begin at and are multiplied by where they are asked alone."""

    @property
    def quick(self) -> "Model":
        trees = [
            Tree(tree.columns, tree.cuts, [self.quick_factor * leaf for leaf in tree.leaves])
            for tree in self.trees[: self.quick_trees]
        ]
        return Model(self.worth, self.quick_base, trees)


def main_blocks(document: Document, *, quick: bool = False) -> list[str]:
    """The texts of the blocks of the main part, in the order of the page."""
    blocks = blocks_of(document)
    said = HeadSaid() if quick and sum(blocks.lengths) > _SPEAKS_FOR_ITSELF else said_by(document)
    return [blocks.texts[at] for at in said_once(blocks, _judged(blocks, said, quick))] + beside(blocks, said)


def said_once(blocks: Blocks, chosen: Sequence[int]) -> list[int]:
    """Without what was said before, word for word: pages carry their text again for narrow screens, in carousels, in
    quotations, below every post. What stands under another heading may be said of something else, as in a manual,
    unless it is a paragraph. Names and cells repeat because they are data."""
    texts, tags, parents = blocks.texts, blocks.tags, blocks.parents
    repeated = [text for text, count in Counter([texts[at] for at in chosen]).items() if count > 1]
    again = {text: words for text in repeated if (words := words_of(text, length_of(text))) >= _PHRASE_WORDS}
    if not again:
        return list(chosen)
    wanted = set(chosen)
    heading = term = ""
    said: dict[str, set[tuple[str, str]]] = {}
    found: list[int] = []
    for at, box in enumerate(blocks.boxes):
        text, own = texts[at], {tags[box], tags[max(parents[box], 0)]}
        if not own.isdisjoint(_LEVELS):
            heading, term = text, ""
        elif "dt" in own:
            term = text
        if at not in wanted:
            continue
        if text in again and own.isdisjoint(_OF_TABLES):
            places = said.setdefault(text, set())
            if (heading, term) in places or (places and again[text] >= LEAST_WORDS):
                continue
            places.add((heading, term))
        found.append(at)
    return found


def beside(blocks: Blocks, said: HeadSaid) -> list[str]:
    """What the head says of the page where that is more than the whole body does, as where scripts are to fill it."""
    if len(said.longest) <= sum(blocks.lengths):
        return []
    lines = (parse(said.longest).text if "<" in said.longest else said.longest).splitlines()
    return [line for words in lines if (line := " ".join(words.split()))]


def main_element(document: Document) -> Element | None:
    """The element that holds the main part, which loses the boxes of which nothing is kept; None without any text.
    Short gaps in it are closed, and its headings stay, the one that names the page among them."""
    blocks = blocks_of(document)
    if not blocks.texts:
        return None
    said, wanted = [0] * len(blocks.parents), [0] * len(blocks.parents)
    for box in blocks.boxes:
        said[box] += 1
    judged = _judged(blocks, said_by(document), quick=False)
    for at in headed(blocks, named(blocks, closed(blocks, judged), _title_of(document))):
        wanted[blocks.boxes[at]] += 1
    for box in range(len(said) - 1, 0, -1):
        said[blocks.parents[box]] += said[box]
        wanted[blocks.parents[box]] += wanted[box]
    for element in blocks.left_out:
        element.decompose()
    for box in range(1, len(said)):
        # What stands in a box that went already went with it.
        if said[box] and not wanted[box] and wanted[blocks.parents[box]]:
            blocks.elements[box].decompose()
    return blocks.elements[0]


def closed(blocks: Blocks, chosen: Sequence[int]) -> set[int]:
    """With what stands between two stretches that are kept and says no more than `GAP` of either: the terms of a list
    of definitions are short and unlike its text, and whoever reads it needs them."""
    chosen_ones = set(chosen)
    words = [words_of(text, length) for text, length in zip(blocks.texts, blocks.lengths, strict=True)]
    stretches = [(is_kept, list(those)) for is_kept, those in groupby(range(len(words)), chosen_ones.__contains__)]
    sizes = [sum(words[at] for at in those) for _, those in stretches]
    for (is_kept, those), before, size, after in zip(stretches[1:], sizes, sizes[1:], sizes[2:], strict=False):
        if not is_kept and size <= GAP * min(before, after):
            chosen_ones.update(those)
    return chosen_ones


def named(blocks: Blocks, kept: Collection[int], title: str) -> set[int]:
    """With the heading above all that names the page: an `<h1>`, or one whose words are all in the title. What stands
    between it and the text stays, too, if it is as short as a gap: what a page is for is often said there."""
    found = set(kept)
    first = min(found, default=0)
    words = frozenset(_WORDS.findall(title.casefold()))
    name = next((at for at in range(first - 1, -1, -1) if _names(blocks, at, words)), None)
    if name is None:
        return found
    end = next(at for at in count(first) if at not in found)
    between, text = (
        sum(map(words_of, blocks.texts[a:z], blocks.lengths[a:z])) for a, z in ((name + 1, first), (first, end))
    )
    found.update(range(name, first) if between <= GAP * text else (name,))
    return found


def _names(blocks: Blocks, at: int, words: frozenset[str]) -> bool:
    tag = blocks.tags[blocks.boxes[at]]
    return tag == "h1" or (tag in _LEVELS and words.issuperset(_WORDS.findall(blocks.texts[at].casefold())))


def _title_of(document: Document) -> str:
    title = document.find("title")
    return title.text if title is not None else ""


def headed(blocks: Blocks, chosen: Collection[int]) -> set[int]:
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
    model, score = _shipped(quick)
    rows = traits_of(blocks, HeadSaid() if quick else said, model.worth)
    return kept(blocks, [score(row) for row in rows], model.spread)


def kept(blocks: Blocks, scores: Sequence[float], spread: float = 0.0) -> list[int]:
    """The blocks whose words make 2 · right / (kept + main) greatest, if each word is right by its block's chance: the
    mean over a page whose scores are by `spread` too high, one where they hold, and one where they are too low."""
    words = [words_of(text, length) for text, length in zip(blocks.texts, blocks.lengths, strict=True)]
    if sum(words) < LEAST_WORDS:
        return list(range(len(words)))
    order = sorted(range(len(words)), key=scores.__getitem__, reverse=True)
    taken = list(accumulate([words[at] for at in order]))
    values = [0.0] * len(order)
    for off in (-spread, 0.0, spread) if spread else (0.0,):
        right = list(accumulate([words[at] / (1 + exp(-off - scores[at])) for at in order]))
        main = right[-1]
        values = [value + by / (of + main) for value, by, of in zip(values, right, taken, strict=True)]
    return sorted(order[: values.index(max(values)) + 1])


@lru_cache(maxsize=2)
def _shipped(quick: bool) -> tuple[Model, Callable[[Sequence[float]], float]]:
    model = decode(MODEL, type=Model)
    wanted = model.quick if quick else model
    return wanted, scorer(wanted)


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
