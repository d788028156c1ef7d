"""How the model that tells main text from the rest is learned: worth of names, then boosted trees over blocks.

Every page counts the same, a block by its words. The trees are all of one depth, so that a model is a few columns of
numbers. Two runs of chance are averaged. Trees that learn slowly are less sure than they could be, and how sure decides
how much is kept: by what all scores are multiplied, and how far a page may lie off as a whole, is chosen on sites that
the trees did not see. Chance is a seed: the same pages give the same model.
"""

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from msgspec import Struct

from whimbrel.parse.block_traits import NAME_TRAITS, OF_HEAD, TRAITS, HeadSaid, name_parts, names_of, traits_of
from whimbrel.parse.blocks import Blocks
from whimbrel.parse.main_part import Model, Tree, kept, said_once

TREES, QUICK_TREES, DEPTH, BINS = 64, 24, 4, 32
RATE, RIDGE, LEAST_BLOCKS, ROWS, COLUMNS = 0.12, 10.0, 60, 0.4, 0.5
SEEDS = (1, 2)
SURER = tuple(1.25**power for power in range(6))
"""What scores may be multiplied by."""
SPREADS = (0.0, 1.5, 3.0)
"""How far a page may lie off."""
PARTS = 3
"""Of the sites, each scored by trees of the others, to choose from these."""
LEAST_SITES, DOUBT = 10, 4.0
"""A name must be met on so many sites; its worth is that of as many more sites that tell nothing."""

Array = np.ndarray[Any, Any]


class Marked(Struct, frozen=True):
    """A page to learn from: its blocks, and the share of each that people marked as main text."""

    site: str
    blocks: Blocks
    words: list[int]
    shares: list[float]
    rows: Array
    """The traits without the names'."""
    beside: list[str] = []
    """What comes along, whatever the model says."""


def marked(site: str, blocks: Blocks, said: HeadSaid, words: list[int], shares: list[float]) -> Marked:
    rows = np.array(traits_of(blocks, said, {}), dtype=np.float32).reshape(len(words), len(TRAITS))
    return Marked(site, blocks, words, shares, rows)


class Names:
    """On each site, what share of the words in boxes of a name is main text."""

    def __init__(self, pages: Sequence[Marked]) -> None:
        sites: dict[str, dict[str, list[float]]] = {}
        for page in pages:
            for part, (main, of) in _parts(page).items():
                sums = sites.setdefault(part, {}).setdefault(page.site, [0.0, 0.0])
                sums[0] += main
                sums[1] += of
        self.shares = {
            part: {site: main / of for site, (main, of) in found.items() if of > 0}
            for part, found in sites.items()
            if len(found) >= LEAST_SITES
        }
        self.sums = {part: sum(shares.values()) for part, shares in self.shares.items()}

    def worth(self, without: str = "") -> dict[str, float]:
        """What each name is worth, as if the site `without` were not there: no page teaches its own names."""
        worth = {}
        for part, shares in self.shares.items():
            own = shares.get(without)
            count = len(shares) - (own is not None)
            share = (self.sums[part] - (own or 0.0) + DOUBT / 2) / (count + DOUBT)
            worth[part] = round(math.log((share + 0.02) / (1.02 - share)), 2)
        return worth


def _parts(page: Marked) -> dict[str, list[float]]:
    blocks = page.blocks
    around: list[frozenset[str]] = []
    for parent, name in zip(blocks.parents, blocks.names, strict=True):
        around.append((around[parent] if parent >= 0 else frozenset()).union(name_parts(name)))
    total = sum(page.words) or 1
    in_boxes: dict[int, list[float]] = {}
    for box, words, share in zip(blocks.boxes, page.words, page.shares, strict=True):
        sums = in_boxes.setdefault(box, [0.0, 0.0])
        sums[0] += words * share / total
        sums[1] += words / total
    parts: dict[str, list[float]] = {}
    for box, (main, of) in in_boxes.items():
        for part in around[box]:
            sums = parts.setdefault(part, [0.0, 0.0])
            sums[0] += main
            sums[1] += of
    return parts


def with_names(page: Marked, worth: dict[str, float]) -> Array:
    """The rows with the traits of the names filled in."""
    rows = page.rows.copy()
    if len(rows):
        names = np.array(names_of(page.blocks, worth), dtype=np.float32)
        rows[:, :NAME_TRAITS] = names[page.blocks.boxes]
    return rows


class BinnedBlocks(Struct, frozen=True):
    """What trees are learned from: rows of traits, each as the number of its place between `edges`."""

    bins: Array
    edges: list[Array]
    shares: Array
    weights: Array


def learn(pages: Sequence[Marked]) -> Model:
    """The model that these pages teach."""
    names = Names(pages)
    runs = [_run(pages, names, seed) for seed in SEEDS]
    (surer, spread), (quick, _) = _surer(pages)
    share, base = surer / len(runs), runs[0].base
    trees = [_times(tree, share) for run in runs for tree in run.trees]
    return Model(names.worth(), surer * base, trees, spread, QUICK_TREES, quick * base, quick / share)


def _run(pages: Sequence[Marked], names: Names, seed: int) -> Model:
    worth_of = {site: names.worth(site) for site in {page.site for page in pages}}
    rows = np.vstack([with_names(page, worth_of[page.site]) for page in pages])
    shares = np.concatenate([np.array(page.shares) for page in pages])
    weights = np.concatenate([np.array(page.words, dtype=float) / (sum(page.words) or 1) for page in pages])
    edges = [_edges(rows[:, column]) for column in range(rows.shape[1])]
    bins = np.stack([np.searchsorted(cuts, rows[:, at], side="left") for at, cuts in enumerate(edges)], axis=1)
    learning = BinnedBlocks(bins.astype(np.int32), edges, shares, weights / weights.mean())
    return _boosted(learning, np.random.default_rng(seed))


def _times(tree: Tree, by: float) -> Tree:
    return Tree(tree.columns, tree.cuts, [round(by * leaf, 4) for leaf in tree.leaves])


def _surer(pages: Sequence[Marked]) -> list[tuple[float, float]]:
    """By what scores are to be multiplied, and how far pages lie off, of all trees and of the first: what keeps best on
    sites not learned from. The quick way takes pages as they come."""
    sites = sorted({page.site for page in pages})
    parts = dict(zip(sites, np.random.default_rng(0).permutation(len(sites)) % PARTS, strict=True))
    ways = list(product(SURER, SPREADS)), [(surer, 0.0) for surer in SURER]
    gains = [np.zeros(len(some)) for some in ways]
    for part in range(PARTS):
        others = [page for page in pages if parts[page.site] != part]
        names = Names(others)
        worth, run = names.worth(), _run(others, names, SEEDS[0])
        first = Model({}, run.base, run.trees[:QUICK_TREES])
        for page in pages:
            if parts[page.site] == part:
                rows = with_names(page, worth)
                for gain, model, some in zip(gains, (run, first), ways, strict=True):
                    gain += _gains(page, scores_of(model, rows), some)
    return [some[int(gain.argmax())] for some, gain in zip(ways, gains, strict=True)]


def _gains(page: Marked, scores: Array, ways: Sequence[tuple[float, float]]) -> list[float]:
    """F1 of what would be kept in each way, by the shares of blocks that people marked, repeats counted once."""
    words, marked = np.array(page.words), np.array(page.words) * np.array(page.shares)
    main = marked[said_once(page.blocks, range(len(words)))].sum()
    found = []
    for surer, spread in ways:
        chosen = said_once(page.blocks, kept(page.blocks, (surer * scores).tolist(), spread))
        found.append(float(2 * marked[chosen].sum() / max(1, words[chosen].sum() + main)))
    return found


def _edges(column: Array) -> Array:
    """Up to 31 values that part the column evenly, in four digits, as they are written into the model."""
    quantiles = np.quantile(column, np.linspace(0, 1, BINS + 1)[1:-1])
    # Just above a value that is met: on it, the last bit of a sum would decide.
    cuts = [float(f"{value + abs(value) / 2000:.4g}") for value in quantiles]
    return np.unique(np.array(cuts, dtype=np.float32))


def _boosted(learning: BinnedBlocks, chance: np.random.Generator) -> Model:
    bins, shares, weights = learning.bins, learning.shares, learning.weights
    mean = float((shares * weights).sum() / weights.sum())
    base = math.log(mean / (1 - mean))
    scores = np.full(len(bins), base)
    trees = []
    every = np.arange(bins.shape[1])
    of_body = np.delete(every, [TRAITS.index(trait) for trait in OF_HEAD])
    for number in range(TREES):
        guess = 1 / (1 + np.exp(-scores))
        slope, bend = weights * (guess - shares), weights * guess * (1 - guess)
        rows = np.flatnonzero(chance.random(len(bins)) < ROWS)
        asked = of_body if number < QUICK_TREES else every
        columns = np.sort(chance.permutation(asked)[: int(COLUMNS * len(asked))])
        tree, splits = _tree(learning, rows, columns, slope, bend)
        trees.append(tree)
        scores += np.array(tree.leaves)[_places(bins, splits)]
    return Model({}, base, trees)


def _tree(
    learning: BinnedBlocks, rows: Array, columns: Array, slope: Array, bend: Array
) -> tuple[Tree, list[tuple[int, int]]]:
    """Level by level; a place that is not worth parting goes left as a whole."""
    edges = learning.edges
    taken = learning.bins[np.ix_(rows, columns)]
    slopes, bends = slope[rows], bend[rows]
    at = np.zeros(len(rows), dtype=np.int64)
    splits: list[tuple[int, int]] = []
    for depth in range(DEPTH):
        size = 1 << depth
        flat = ((at[:, None] * len(columns) + np.arange(len(columns))) * BINS + taken).ravel()
        shape = (size, len(columns), BINS)
        sums = [
            np.bincount(flat, np.repeat(what, len(columns)) if what is not None else None, math.prod(shape)).reshape(
                shape
            )
            for what in (slopes, bends, None)
        ]
        level = [_split(*(one[place] for one in sums)) for place in range(size)]
        found = [(int(columns[column]), cut) for column, cut in level]
        splits += found
        feature = np.array([column for column, _ in level])[at]
        cuts = np.array([cut for _, cut in level])[at]
        at = at * 2 + (taken[np.arange(len(rows)), feature] > cuts)
    leaves = -RATE * np.bincount(at, slopes, 1 << DEPTH) / (np.bincount(at, bends, 1 << DEPTH) + RIDGE)
    written = [(column, float(edges[column][cut]) if cut < len(edges[column]) else math.inf) for column, cut in splits]
    tree = Tree(
        [column for column, _ in written],
        [float(f"{cut:.4g}") if cut < math.inf else 1e30 for _, cut in written],
        [float(leaf) for leaf in leaves],
    )
    return tree, splits


def _split(slopes: Array, bends: Array, counts: Array) -> tuple[int, int]:
    left, bent, count = slopes.cumsum(1), bends.cumsum(1), counts.cumsum(1)
    all_left, all_bent, all_count = left[:, -1:], bent[:, -1:], count[:, -1:]
    gain = (
        left**2 / (bent + RIDGE) + (all_left - left) ** 2 / (all_bent - bent + RIDGE) - all_left**2 / (all_bent + RIDGE)
    )
    gain[(count < LEAST_BLOCKS) | (all_count - count < LEAST_BLOCKS)] = 0.0
    best = int(gain.argmax())
    column, cut = divmod(best, gain.shape[1])
    return (column, cut) if gain[column, cut] > 0 else (0, BINS)


def _places(bins: Array, splits: list[tuple[int, int]]) -> Array:
    at = np.zeros(len(bins), dtype=np.int64)
    columns, cuts = np.array([column for column, _ in splits]), np.array([cut for _, cut in splits])
    every = np.arange(len(bins))
    for depth in range(DEPTH):
        split = at + (1 << depth) - 1
        at = at * 2 + (bins[every, columns[split]] > cuts[split])
    return at


def scores_of(model: Model, rows: Array) -> Array:
    """What the trees say of many rows at once; the same numbers as `Model.scores` gives one by one."""
    scores = np.full(len(rows), model.base)
    every = np.arange(len(rows))
    for tree in model.trees:
        at = np.zeros(len(rows), dtype=np.int64)
        columns, cuts = np.array(tree.columns), np.array(tree.cuts, dtype=np.float32)
        for depth in range(DEPTH):
            split = at + (1 << depth) - 1
            at = at * 2 + (rows[every, columns[split]] > cuts[split])
        scores += np.array(tree.leaves)[at]
    return scores
