"""What a click says of a page once the place it was shown at is taken out.

What is shown first is clicked first. A click needs two things: the reader looked at that place, and the page drew them.

    P(click) = attention[place, how far above the click before was] · appeal[question, page]

Whether a reader looks further depends on where they are and on how far above they found something last: that covers
readers who stop at the first good page as well as those who look at everything (Dupret and Piwowarski, "A user
browsing model to predict search engine click data from past observations", 2008). Both factors are learned from
showings alone (Wang and others, "Position bias estimation for unbiased learning to rank in personal search", 2018),
over all questions together.

Readers who go down from the first answer and leave are another model (`going_down`): for them, what stands above the
last click was looked at for certain.

Rarely clicked far down can mean that nobody looks there, or that text puts good pages first. So attention is a curve
of one of two shapes with one number, how steeply it falls, and text has one, how much rarer good pages are further
down (`appeals`). Both models with every steepness of a grid are tried; opinions are the mean over all of them by how
likely each makes the log.

What tells them apart are pages that stood at several places (Agarwal and others, "Estimating position bias without
intrusive interventions", 2019): a little exploration, or an order that changes, sees to it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from whimbrel.behaviour.appeals import BELIEFS, FLOOR, LEVELS, Floats, TextBelief, moved, prior, shares
from whimbrel.behaviour.beside_counts import HALF_READERS, beside_counts, looks_to_believe, opened_share
from whimbrel.behaviour.exploring import Believed
from whimbrel.behaviour.going_down import DownWay, Lists, fitting_down, held_down

Numbers = NDArray[np.int64]

ROUNDS = 25
HOPELESS = 12.0
"""A way that would be so much less likely than the best (as a logarithm), even if it went on to gain in every round
what it gained in the last, is given up."""
PLACES = 50
"""What stands below is taken for the last of these."""
STEEPNESS = np.arange(0.0, 2.01, 0.25)
"""How far attention may have fallen at the tenth place, as a power of ten. 0 is for readers who look at everything."""
DOUBT = 8.0
"""How much less likely a steeper fall is held to be before anything is known: while the log says little, clicks count
nearly as they are."""
PRIOR_LOOKS = 20.0
"""What is believed of readers who have clicked, that they go on half of the time, counts as much as so many looks."""
GAPS = 4
"""No click before; the click before was one place above, two or three, further."""
FITTED_PAIRS = 1_000
"""Attention is learned from the pages shown most, so many of them: it has few numbers."""


class Showing(Struct, frozen=True):
    """A page that was among the answers: where it stood, from 0, and how it went.

    `after` is the place of the click before it in the same answers, -1 where there was none. `weight` is below 1 where
    one reader asked the same thing again and again: a reader has one voice.
    """

    query: int
    page: int
    place: int
    after: int
    clicked: bool
    weight: float = 1.0


class Learned(Struct, frozen=True):
    """Attention by place before any click, the first being 1; by (query, page) what is believed of it, and appeal,
    which is drawn towards plain counts where that is unsure; what is usual; how many looks at a page say as much."""

    attention: list[float]
    appeal: dict[tuple[int, int], float]
    believed: dict[tuple[int, int], Believed]
    usual: float
    half: float = HALF_READERS

    def value(self, query: int, page: int) -> float:
        """From 0 to 1; ½ for what nobody was shown, and near it where little is known."""
        found = self.appeal.get((query, page))
        if found is None or self.usual <= 0.0:
            return 0.5
        return found / (found + self.usual)


class _Cells(Struct, frozen=True):
    """Showings added up by pair and spot; a spot is a place with how far above the click before was."""

    pairs: dict[tuple[int, int], int]
    pair: Numbers
    spot: Numbers
    place_of_spot: Numbers
    gap_of_spot: Numbers
    shown: Floats
    clicked: Floats


class _Way(Struct, frozen=True):
    """How the log comes about if attention falls so steeply: attention by spot, how frequent each level is (as
    logarithms), how much rarer good ones are further down, and how likely all that makes the log."""

    attention: Floats
    frequent: Floats
    rarer: float
    likelihood: float = 0.0


def learn(showings: Iterable[Showing]) -> Learned:
    told = list(showings)
    cells = _cells(told)
    if not len(cells.shown):
        return Learned([1.0], {}, {}, 0.0)
    lists = _lists(told, cells.pairs)
    chosen = _asked_most(cells)
    ways = _settled([*_by_place(cells, chosen), *_going_down(lists, cells, chosen)])
    trust = np.exp(np.array([way.likelihood for way in ways]) - max(way.likelihood for way in ways))
    shared = list(zip(ways, (trust / trust.sum()).tolist(), strict=True))
    held = _held(cells, lists, shared)
    likely = held @ LEVELS
    doubt = np.sqrt(np.maximum(0.0, held @ LEVELS**2 - likely**2))
    first = cells.gap_of_spot == 0
    places = cells.place_of_spot[first]
    looked = sum(
        share * (way.attention[first] if isinstance(way, _Way) else way.falling[places]) for way, share in shared
    )
    shown = _summed(cells.pair, cells.shown, len(cells.pairs))
    usual = float(np.average(likely, weights=shown))
    clicked = _summed(cells.pair, cells.clicked, len(cells.pairs))
    question = np.array([query for query, _ in cells.pairs])
    appeal = beside_counts(likely, doubt, opened_share(clicked, shown), question)
    deep = _summed(cells.pair, cells.shown * np.log2(1.0 + cells.place_of_spot[cells.spot]), len(cells.pairs))
    return Learned(
        np.minimum(1.0, np.atleast_1d(looked))[np.argsort(places)].tolist(),
        {pair: float(appeal[at]) for pair, at in cells.pairs.items()},
        {pair: Believed(float(likely[at]), float(doubt[at])) for pair, at in cells.pairs.items()},
        usual,
        looks_to_believe(clicked, shown, deep / np.maximum(FLOOR, shown)),
    )


def _settled(fitting: "Sequence[Iterator[_Way | DownWay]]") -> "list[_Way | DownWay]":
    """Each way fitted as far as it is worth it: those that cannot come near the best any more are given up."""
    going = [(steps, next(steps)) for steps in fitting]
    for left in range(ROUNDS - 2, -1, -1):
        further = [(steps, next(steps), before.likelihood) for steps, before in going]
        best = max(way.likelihood for _, way, _ in further)
        going = [
            (steps, way)
            for steps, way, before in further
            if way.likelihood + left * abs(way.likelihood - before) > best - HOPELESS
        ]
    return [way for _, way in going]


def _asked_most(cells: _Cells) -> Numbers:
    """The pairs of the questions asked most."""
    queries = np.array([query for query, _ in cells.pairs])
    numbered, of_pair = np.unique(queries, return_inverse=True)
    asked = _summed(of_pair[cells.pair], cells.shown, len(numbered))
    size = np.bincount(of_pair, minlength=len(numbered))
    order = np.argsort(-asked, kind="stable")
    taken = order[: max(1, int(np.searchsorted(np.cumsum(size[order]), FITTED_PAIRS, side="right")))]
    return np.flatnonzero(np.isin(of_pair, taken))


def _by_place(cells: _Cells, chosen: Numbers) -> list[Iterator[_Way]]:
    tables, shapes = _tables(cells, chosen), _shapes(cells.place_of_spot)
    return [_fitting(tables, cells, s, shape, text) for text in BELIEFS for shape in shapes for s in STEEPNESS.tolist()]


def _going_down(lists: Lists, cells: _Cells, chosen: Numbers) -> list[Iterator[DownWay]]:
    shapes = _shapes(np.arange(PLACES))
    rows = np.full(len(cells.pairs) + 1, -1)
    rows[chosen] = np.arange(len(chosen))
    mine = rows[lists.pair[:, 0]] >= 0
    some = Lists(rows[lists.pair[mine]], lists.place[mine], lists.clicked[mine], lists.weight[mine])
    return [
        fitting_down(some, len(chosen), 10.0 ** (-steep * shape), DOUBT * steep, text)
        for text in BELIEFS
        for shape in shapes
        for steep in STEEPNESS.tolist()
    ]


def _held(cells: _Cells, lists: Lists, ways: "Iterable[tuple[_Way | DownWay, float]]") -> Floats:
    """How likely each pair is to be of each level, over all ways."""
    held, pairs = np.zeros((len(cells.pairs), len(LEVELS))), len(cells.pairs)
    believed = [(way, share) for way, share in ways if share > FLOOR]
    for first in range(0, pairs, FITTED_PAIRS):
        part = _tables(cells, np.arange(first, min(first + FITTED_PAIRS, pairs)))
        for way, share in believed:
            if isinstance(way, _Way):
                held[first : first + FITTED_PAIRS] += share * _believed(part, way)[0]
    for way, share in believed:
        if isinstance(way, DownWay):
            held += share * held_down(lists, pairs, way)
    return held


def _lists(showings: Sequence[Showing], pairs: Mapping[tuple[int, int], int]) -> Lists:
    """The answers that showings stood in: another begins where the question is another or places begin anew."""
    sums: dict[tuple[tuple[int, int, bool], ...], float] = {}
    for one in _parted(showings):
        key = tuple((pairs[each.query, each.page], min(each.place, PLACES - 1), each.clicked) for each in one)
        sums[key] = sums.get(key, 0.0) + min(each.weight for each in one)
    longest = max(map(len, sums))
    packed = np.full((len(sums), longest, 3), -1, dtype=np.int64)
    for row, key in enumerate(sums):
        packed[row, : len(key)] = key
    here = packed[:, :, 0] >= 0
    clicked = np.where(here, packed[:, :, 2], 0).astype(np.float64)
    return Lists(packed[:, :, 0], np.maximum(0, packed[:, :, 1]), clicked, np.array(list(sums.values())))


def _parted(showings: Sequence[Showing]) -> Iterator[list[Showing]]:
    one: list[Showing] = []
    for each in showings:
        if one and (each.query != one[-1].query or each.place <= one[-1].place or len(one) >= PLACES):
            yield one
            one = []
        one.append(each)
    if one:
        yield one


def _cells(showings: Iterable[Showing]) -> _Cells:
    pairs: dict[tuple[int, int], int] = {}
    spots: dict[tuple[int, int], int] = {}
    sums: dict[tuple[int, int], list[float]] = {}
    for one in showings:
        pair = pairs.setdefault((one.query, one.page), len(pairs))
        place = min(one.place, PLACES - 1)
        spot = spots.setdefault((place, _gap(place, min(one.after, PLACES - 1))), len(spots))
        cell = sums.setdefault((pair, spot), [0.0, 0.0])
        cell[0] += one.weight
        cell[1] += one.weight * one.clicked
    keys = np.array(list(sums), dtype=np.int64).reshape(-1, 2)
    counts = np.array(list(sums.values()), dtype=np.float64).reshape(-1, 2)
    return _Cells(
        pairs,
        keys[:, 0],
        keys[:, 1],
        np.array([place for place, _ in spots], dtype=np.int64),
        np.array([gap for _, gap in spots], dtype=np.int64),
        counts[:, 0],
        counts[:, 1],
    )


def _gap(place: int, after: int) -> int:
    if after < 0:
        return 0
    return 1 if place - after <= 1 else 2 if place - after <= 3 else 3


class _Tables(Struct, frozen=True):
    """Clicks and misses, a row a pair and a column a spot; `depth` is how far down a page tended to stand."""

    clicks: Floats
    misses: Floats
    depth: Floats


def _tables(cells: _Cells, chosen: Numbers) -> _Tables:
    rows = np.full(len(cells.pairs), -1)
    rows[chosen] = np.arange(len(chosen))
    mine = rows[cells.pair] >= 0
    row, spot = rows[cells.pair[mine]], cells.spot[mine]
    clicks = np.zeros((len(chosen), len(cells.place_of_spot)))
    shown = np.zeros_like(clicks)
    clicks[row, spot] = cells.clicked[mine]
    shown[row, spot] = cells.shown[mine]
    depth = shown @ np.log2(1.0 + cells.place_of_spot) / np.maximum(FLOOR, shown.sum(axis=1))
    return _Tables(clicks, shown - clicks, depth)


def _shapes(places: Numbers) -> tuple[Floats, Floats]:
    """How attention may fall, as logarithms with 1 at the tenth place: as 1/placeˢ, fast at first, or by the same
    factor from each place to the next."""
    return np.log10(1.0 + places), places / 9.0


def _fitting(tables: _Tables, cells: _Cells, steepness: float, down: Floats, text: TextBelief) -> Iterator[_Way]:
    """Better from round to round, without end."""
    falling = 10.0 ** (-steepness * down)
    shown = (tables.clicks + tables.misses).sum(axis=0)
    clicked = tables.clicks.sum(axis=0)
    might = _summed(cells.gap_of_spot, shown * falling, GAPS)
    going_on = np.array([1.0] + [0.5] * (GAPS - 1))
    frequent, rarer = np.zeros(len(LEVELS)), text.ranks
    while True:
        attention = np.clip(falling * going_on[cells.gap_of_spot], FLOOR, 1.0)
        belief, likelihood = _believed(tables, _Way(attention, frequent, rarer))
        yield _Way(attention, frequent, rarer, likelihood + prior(rarer, text) - DOUBT * steepness)
        seen = attention[:, None] * (1.0 - LEVELS) / (1.0 - np.outer(attention, LEVELS))
        looked = clicked + (tables.misses * (belief @ seen.T)).sum(axis=0)
        going_on = (_summed(cells.gap_of_spot, looked, GAPS) + PRIOR_LOOKS / 2) / (might + PRIOR_LOOKS)
        going_on = np.clip(going_on, FLOOR, 1.0)
        going_on[0] = 1.0
        frequent, rarer = moved(belief, tables.depth, frequent, rarer, text)


def _believed(tables: _Tables, way: _Way) -> tuple[Floats, float]:
    """How likely each pair is to be of each level, and the logarithm of how likely all of it is."""
    clicking = np.outer(way.attention, LEVELS)
    told = np.log(shares(tables.depth, way.frequent, way.rarer))
    told += tables.clicks @ np.log(clicking) + tables.misses @ np.log1p(-clicking)
    best = told.max(axis=1, keepdims=True)
    belief = np.exp(told - best)
    sums = belief.sum(axis=1, keepdims=True)
    return belief / sums, float((best + np.log(sums)).sum())


def _summed(by: Numbers, values: Floats, size: int) -> Floats:
    sums: Floats = np.bincount(by, values, size).astype(np.float64)
    return sums
