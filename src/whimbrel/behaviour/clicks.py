"""What a click says of a page once the place it was shown at is taken out.

What is shown first is clicked first. A click needs two things: the reader looked at that place, and the page drew them.

    P(click) = attention[place, place of the click before] · appeal[question, page]

Whether a reader looks further depends on where they are and on how far above they found something last: that covers
readers who stop at the first good page as well as those who look at everything (Dupret and Piwowarski, "A user
browsing model to predict search engine click data from past observations", 2008). Both factors are learned from
showings alone, by expectation and maximisation (Wang and others, "Position bias estimation for unbiased learning to
rank in personal search", 2018).

That needs to know how good pages tend to be that text puts at a place. The appeals of all pages are drawn from the same
few levels, in shares that differ by the place in the plain order. Where text ranks well good levels are rarer further
down, where it does not they are as frequent there; since a good page is as good wherever it stands, the levels tell
attention and appeal apart, and a little exploration does so surely.
"""

from collections.abc import Iterable

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

ROUNDS = 80
PLACES = 50
"""What stands below is taken for the last of these."""
LEVELS = np.geomspace(0.02, 0.95, 14)
"""The appeals that pages may have: a grid, fine enough for an order."""
TILT = 2.0
"""How far text is believed to put good pages first before anything is known: the best level is e^-2 as frequent, beside
the worst, with every doubling of the place."""
PRIOR_PAIRS = 40.0
"""That belief counts as much as so many pages of one place. Both were chosen on simulated readers, so that where text
ranks well hardly anything is lost against plain counts, and where it does not most of the place's part is taken out."""
PRIOR_LOOKS = 20.0
"""Attention after a click counts as much as attention at that place in general after so many showings."""
FLOOR = 1e-6


class Showing(Struct, frozen=True):
    """A page that was among the answers: where it stood, where the plain order had it (both from 0), and how it went.

    `after` is the place of the click before it in the same answers, -1 where there was none. `weight` is below 1 where
    one reader asked the same thing again and again: a reader has one voice.
    """

    query: int
    page: int
    plain: int
    place: int
    after: int
    clicked: bool
    weight: float = 1.0


class Learned(Struct, frozen=True):
    """Attention by place before any click, the first being 1; appeal by (query, page); what is usual."""

    attention: list[float]
    appeal: dict[tuple[int, int], float]
    usual: float

    def value(self, query: int, page: int) -> float:
        """From 0 to 1; ½ for what nobody was shown, and near it where little is known."""
        found = self.appeal.get((query, page))
        if found is None or self.usual <= 0.0:
            return 0.5
        return found / (found + self.usual)


def learn(showings: Iterable[Showing]) -> Learned:
    cells = _cells(showings)
    if not len(cells.shown):
        return Learned([1.0], {}, 0.0)
    attention, appeal = _fitted(cells)
    usual = float(np.average(appeal, weights=_summed(cells.pair, cells.shown, len(appeal))))
    return Learned(attention, {pair: float(appeal[at]) for pair, at in cells.pairs.items()}, usual)


class _Cells(Struct, frozen=True):
    """Showings added up by pair and spot; a spot is a place with the place of the click before."""

    pairs: dict[tuple[int, int], int]
    plain: Numbers
    pair: Numbers
    spot: Numbers
    place_of_spot: Numbers
    first_spots: dict[int, int]
    shown: Floats
    clicked: Floats


def _cells(showings: Iterable[Showing]) -> _Cells:
    pairs: dict[tuple[int, int], int] = {}
    spots: dict[tuple[int, int], int] = {}
    plain: list[int] = []
    sums: dict[tuple[int, int], list[float]] = {}
    for one in showings:
        pair = pairs.setdefault((one.query, one.page), len(pairs))
        if pair == len(plain):
            plain.append(min(one.plain, PLACES - 1))
        place = min(one.place, PLACES - 1)
        spot = spots.setdefault((place, min(one.after, PLACES - 1)), len(spots))
        cell = sums.setdefault((pair, spot), [0.0, 0.0])
        cell[0] += one.weight
        cell[1] += one.weight * one.clicked
    keys = np.array(list(sums), dtype=np.int64).reshape(-1, 2)
    counts = np.array(list(sums.values()), dtype=np.float64).reshape(-1, 2)
    return _Cells(
        pairs,
        np.array(plain, dtype=np.int64),
        keys[:, 0],
        keys[:, 1],
        np.array([place for place, _ in spots], dtype=np.int64),
        {place: number for (place, after), number in spots.items() if after < 0},
        counts[:, 0],
        counts[:, 1],
    )


def _fitted(cells: _Cells) -> tuple[list[float], Floats]:
    pairs, spots = len(cells.pairs), len(cells.place_of_spot)
    missed = cells.shown - cells.clicked
    shown = _summed(cells.spot, cells.shown, spots)
    attention = 1.0 / np.sqrt(1.0 + cells.place_of_spot)
    tilt = _tilt(int(cells.plain.max()) + 1)
    shares = tilt / tilt.sum(axis=1, keepdims=True)
    belief = np.zeros((pairs, len(LEVELS)))
    for _ in range(ROUNDS):
        clicking = np.outer(attention[cells.spot], LEVELS)
        likelihood = cells.clicked[:, None] * np.log(clicking) + missed[:, None] * np.log1p(-clicking)
        belief = np.log(shares[cells.plain])
        for level in range(len(LEVELS)):
            belief[:, level] += _summed(cells.pair, likelihood[:, level], pairs)
        belief = np.exp(belief - belief.max(axis=1, keepdims=True))
        belief /= belief.sum(axis=1, keepdims=True)
        unseen = (belief[cells.pair] * attention[cells.spot][:, None] * (1.0 - LEVELS) / (1.0 - clicking)).sum(axis=1)
        examined = _summed(cells.spot, cells.clicked + missed * unseen, spots)
        attention = _attention(examined, shown, cells)
        shares = _shares(belief, cells.plain, tilt)
    spoken = [float(attention[cells.first_spots[place]]) for place in sorted(cells.first_spots)]
    return spoken, belief @ LEVELS


def _attention(examined: Floats, shown: Floats, cells: _Cells) -> Floats:
    """By spot; a spot that was seldom met is taken for its place in general. The first place is always looked at."""
    places = int(cells.place_of_spot.max()) + 1
    met = _summed(cells.place_of_spot, shown, places)
    general = _falling(_summed(cells.place_of_spot, examined, places) / np.maximum(FLOOR, met), met)
    found = (examined + PRIOR_LOOKS * general[cells.place_of_spot]) / (shown + PRIOR_LOOKS)
    found[cells.place_of_spot == 0] = 1.0
    return np.clip(found, FLOOR, 1.0)


def _falling(values: Floats, weights: Floats) -> Floats:
    """The nearest values that never rise from one place to the next (pool adjacent violators)."""
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), np.maximum(weights, FLOOR).tolist(), strict=True):
        total, count = value * weight, 1
        while blocks and blocks[-1][0] * weight < total * blocks[-1][1]:
            above = blocks.pop()
            total, weight, count = total + above[0], weight + above[1], count + above[2]
        blocks.append((total, weight, count))
    return np.concatenate([np.full(count, total / weight) for total, weight, count in blocks])


def _summed(by: Numbers, values: Floats, size: int) -> Floats:
    sums: Floats = np.bincount(by, values, size).astype(np.float64)
    return sums


def _tilt(places: int) -> Floats:
    """How much rarer good pages are further down before anything is known: text does rank, if not perfectly."""
    goodness = np.linspace(0.0, 1.0, len(LEVELS))
    tilt: Floats = np.exp(-TILT * np.outer(np.log2(1.0 + np.arange(places)), goodness))
    return tilt


def _shares(belief: Floats, plain: Numbers, tilt: Floats) -> Floats:
    """How frequent each level is among pages that text puts at a place, few pages saying little."""
    sums = np.zeros_like(tilt)
    np.add.at(sums, plain, belief)
    usual = (belief.sum(axis=0) + PRIOR_PAIRS / len(LEVELS)) * tilt
    usual /= usual.sum(axis=1, keepdims=True)
    shares: Floats = (sums + PRIOR_PAIRS * usual) / (sums.sum(axis=1, keepdims=True) + PRIOR_PAIRS)
    return np.clip(shares, FLOOR, 1.0)
