"""Readers who go down from the first answer: each place is looked at or they have left.

    P(looks at the next) = how attention falls · (after a click: goes on)      P(click) = appeal[question, page]

What stands above the last click was looked at for certain, so a page that was passed over there was seen and not
wanted; below it nobody knows how far they looked, and that is summed over (the dependent click model of Guo and others,
"Efficient multiple-click models in web search", 2009, with leaving; who never goes on is the cascade of Craswell and
others, 2008). Appeals are beliefs over a few levels; the likelihood is a lower bound, by mean-field.
"""

from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from whimbrel.behaviour.appeals import FLOOR, LEVELS, Floats, TextBelief, moved, prior, shares

Numbers = NDArray[np.int64]

PRIOR_LOOKS = 20.0
"""That readers who clicked go on half of the time counts as much as so many looks, before anything is known."""
_LEVEL_LOGS, _MISS_LOGS = np.log(LEVELS), np.log1p(-LEVELS)
_TINY = 1e-300


class Lists(Struct, frozen=True):
    """Answers as they were shown, equal ones added up: a row each, a column for each place from the first shown. `pair`
    is -1 where a list has ended."""

    pair: Numbers
    place: Numbers
    clicked: Floats
    weight: Floats

    @property
    def here(self) -> "NDArray[np.bool_]":
        return self.pair >= 0


class DownWay(Struct, frozen=True):
    """How the log comes about if attention falls so: the share of readers who go on after a click, how frequent each
    level is, how much rarer good ones are further down, and how likely all that makes the log."""

    falling: Floats
    going_on: float
    frequent: Floats
    rarer: float
    likelihood: float


class _Looked(Struct, frozen=True):
    """What is expected of hidden looks: misses that were seen, by pair; who went on after their last click, of those
    who could; the logarithm of how likely the lists are."""

    misses: Floats
    went: float
    could: float
    likelihood: float


def fitting_down(lists: Lists, pairs: int, falling: Floats, doubt: float, belief: TextBelief) -> Iterator[DownWay]:
    """Better from round to round, without end. `falling` is attention by place; `doubt` how much less likely it is held
    to be beforehand."""
    clicks, depth = clicks_of(lists, pairs), depth_of(lists, pairs)
    frequent, rarer, going_on = np.zeros(len(LEVELS)), belief.ranks, 0.5
    held = shares(depth, frequent, rarer)
    while True:
        looked = _looks(lists, held, falling, going_on, pairs)
        expected = shares(depth, frequent, rarer)
        bound = looked.likelihood + float((held * np.log(expected / np.maximum(_TINY, held))).sum())
        yield DownWay(falling, going_on, frequent, rarer, bound + prior(rarer, belief) - doubt)
        held = _held(expected, clicks, looked.misses)
        going_on = (looked.went + PRIOR_LOOKS / 2) / (looked.could + PRIOR_LOOKS)
        frequent, rarer = moved(held, depth, frequent, rarer, belief)


def held_down(lists: Lists, pairs: int, way: DownWay, rounds: int = 8) -> Floats:
    """How likely every pair in the lists is to be of each level, where all else is as it was learned."""
    clicks, expected = clicks_of(lists, pairs), shares(depth_of(lists, pairs), way.frequent, way.rarer)
    held = expected
    for _ in range(rounds):
        held = _held(expected, clicks, _looks(lists, held, way.falling, way.going_on, pairs).misses)
    return held


def clicks_of(lists: Lists, pairs: int) -> Floats:
    return _by_pair(lists, lists.clicked, pairs)


def depth_of(lists: Lists, pairs: int) -> Floats:
    """How far down each page tended to stand."""
    told = _by_pair(lists, np.log2(1.0 + lists.place), pairs)
    found: Floats = told / np.maximum(FLOOR, _by_pair(lists, np.ones_like(lists.clicked), pairs))
    return found


def _by_pair(lists: Lists, values: Floats, pairs: int) -> Floats:
    here = lists.here
    sums: Floats = np.bincount(lists.pair[here], (values * lists.weight[:, None])[here], pairs).astype(np.float64)
    return sums


def _held(expected: Floats, clicks: Floats, misses: Floats) -> Floats:
    told = np.log(expected) + clicks[:, None] * _LEVEL_LOGS + misses[:, None] * _MISS_LOGS
    told = np.exp(told - told.max(axis=1, keepdims=True))
    found: Floats = told / told.sum(axis=1, keepdims=True)
    return found


def _looks(lists: Lists, held: Floats, falling: Floats, going_on: float, pairs: int) -> _Looked:
    rows, places = lists.clicked.shape
    here, row = lists.here, np.arange(rows)
    at = np.where(here, lists.pair, 0)
    drawn, passed = (held @ _LEVEL_LOGS)[at], (held @ _MISS_LOGS)[at]
    further = _further(lists, falling)
    unclicked = _unclicked(here, np.exp(passed), further)
    last = np.where(lists.clicked.any(axis=1), places - 1 - np.argmax(lists.clicked[:, ::-1], axis=1), -1)
    next_at = np.minimum(last + 1, places)
    more = np.concatenate([here, np.zeros((rows, 1), bool)], axis=1)[row, next_at]
    stays = np.where(last < 0, 1.0, going_on)
    reach = np.where(more, np.concatenate([further, np.zeros((rows, 1))], axis=1)[row, next_at], 0.0)
    reach = np.where(last < 0, 1.0, reach)
    looked_on = stays * reach * unclicked[row, next_at]
    went = stays * (1.0 - reach) + looked_on
    none_after = (1.0 - stays) + went
    seen = _seen(here, last, looked_on / np.maximum(_TINY, none_after), unclicked, further)
    misses = _by_pair(lists, seen * (1.0 - lists.clicked), pairs)
    clicked = lists.clicked.sum(axis=1)
    certain = here & (np.arange(places)[None, :] <= last[:, None])
    told = np.where(certain, lists.clicked * drawn + (1.0 - lists.clicked) * passed, 0.0).sum(axis=1)
    told += np.where(certain[:, 1:], np.log(np.maximum(_TINY, further[:, 1:])), 0.0).sum(axis=1)
    between = np.maximum(0.0, clicked - 1.0)
    told += between * np.log(max(FLOOR, going_on)) + np.log(np.maximum(_TINY, none_after))
    could = (last >= 0) & more
    sure = float(lists.weight @ between)
    return _Looked(
        misses,
        sure + float(lists.weight @ np.where(could, went / np.maximum(_TINY, none_after), 0.0)),
        sure + float(lists.weight @ could),
        float(lists.weight @ told),
    )


def _further(lists: Lists, falling: Floats) -> Floats:
    """How likely who looked at the place before looks at this one, apart from clicks; the first is always looked at."""
    fallen = falling[np.minimum(lists.place, len(falling) - 1)]
    found = np.ones_like(lists.clicked)
    found[:, 1:] = np.where(lists.here[:, 1:], np.minimum(1.0, fallen[:, 1:] / np.maximum(FLOOR, fallen[:, :-1])), 0.0)
    return found


def _unclicked(here: "NDArray[np.bool_]", passed: Floats, further: Floats) -> Floats:
    """By place: how likely who looks there clicks nothing from there on. A column more stands for the end."""
    rows, places = here.shape
    found = np.ones((rows, places + 1))
    for place in range(places - 1, -1, -1):
        onward = further[:, place + 1] if place + 1 < places else np.zeros(rows)
        found[:, place] = np.where(
            here[:, place], passed[:, place] * (1.0 - onward + onward * found[:, place + 1]), 1.0
        )
    return found


def _seen(here: "NDArray[np.bool_]", last: Numbers, looked_on: Floats, unclicked: Floats, further: Floats) -> Floats:
    """How likely each place was looked at: for certain down to the last click, below it by how far they went on."""
    rows, places = here.shape
    found = np.zeros((rows, places))
    so_far = np.zeros(rows)
    for place in range(places):
        onward = further[:, place] * unclicked[:, place]
        share = onward / np.maximum(_TINY, 1.0 - further[:, place] + onward)
        so_far = np.where(place == last + 1, looked_on, so_far * share)
        found[:, place] = np.where(place <= last, 1.0, np.where(here[:, place], so_far, 0.0))
    return found
