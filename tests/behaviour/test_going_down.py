"""Readers who go down the answers and leave: how they do it is learned, and what they passed over counts against it."""

import random
from itertools import islice

import numpy as np
import pytest
from test_clicks import APPEAL, agreement, counted

from whimbrel.behaviour.appeals import BELIEFS, LEVELS, Floats
from whimbrel.behaviour.clicks import Showing, learn
from whimbrel.behaviour.going_down import DownWay, Lists, fitting_down, held_down

PLACES = 8
FALLING = np.array([(place + 1) ** -0.5 for place in range(PLACES)])


def gone_down(grades: list[list[int]], sessions: int, going_on: float, chance: random.Random) -> list[Showing]:
    """Readers go on to the next place as attention falls, and after a click with this probability besides."""
    told = []
    for query, row in enumerate(grades):
        for _ in range(sessions):
            after, looking = -1, True
            for place, grade in enumerate(row):
                looking = looking and (not place or chance.random() < FALLING[place] / FALLING[place - 1])
                clicked = looking and chance.random() < APPEAL[grade]
                told.append(Showing(query, place, place, after, clicked))
                after = place if clicked else after
                looking = looking and (not clicked or chance.random() < going_on)
    return told


def lists_of(showings: list[Showing]) -> tuple[Lists, int]:
    rows = [showings[first : first + PLACES] for first in range(0, len(showings), PLACES)]
    pair = np.array([[one.query * PLACES + one.page for one in row] for row in rows])
    place = np.array([[one.place for one in row] for row in rows])
    clicked = np.array([[float(one.clicked) for one in row] for row in rows])
    return Lists(pair, place, clicked, np.ones(len(rows))), int(pair.max()) + 1


def fitted(lists: Lists, pairs: int, falling: Floats) -> DownWay:
    return next(islice(fitting_down(lists, pairs, falling, 0.0, BELIEFS[1]), 24, None))


@pytest.mark.parametrize("going_on", [0.0, 0.5, 1.0])
def test_how_readers_go_on_is_learned(going_on: float) -> None:
    chance = random.Random(3)
    grades = [chance.sample([2, 2, 1, 1, 1, 0, 0, 0], PLACES) for _ in range(12)]
    lists, pairs = lists_of(gone_down(grades, 150, going_on, chance))
    way = fitted(lists, pairs, FALLING)
    assert way.going_on == pytest.approx(going_on, abs=0.1)
    flat = fitted(lists, pairs, np.ones(PLACES))
    assert way.likelihood > flat.likelihood, "the curve that it was drawn by is the likelier one"
    appeals = held_down(lists, pairs, way) @ LEVELS
    near = [
        (grade, appeals[query * PLACES + at]) for query, row in enumerate(grades) for at, grade in enumerate(row[:3])
    ]
    best, worst = ([appeal for grade, appeal in near if grade == wanted] for wanted in (2, 0))
    assert min(best) > max(worst)


def test_who_stops_at_the_first_page_is_understood() -> None:
    chance = random.Random(7)
    grades = [chance.sample([2, 2, 1, 1, 1, 0, 0, 0], PLACES) for _ in range(16)]
    showings = gone_down(grades, 200, 0.0, chance)
    assert agreement(counted(showings), grades) < 0.7
    assert agreement(learn(showings).appeal, grades) > 0.85


def test_what_was_passed_over_above_a_click_was_seen() -> None:
    """Three pages shown as often, the one in the middle opened: who stops there saw the first, and not the last."""
    seen = Lists(np.array([[0, 1, 2]]), np.array([[0, 1, 2]]), np.array([[0.0, 1.0, 0.0]]), np.array([40.0]))
    stops = DownWay(np.ones(3), 0.0, np.zeros(len(LEVELS)), 0.0, 0.0)
    passed, opened, unseen = (held_down(seen, 3, stops) @ LEVELS).tolist()
    assert passed < 0.05 < unseen < opened
    goes_on = DownWay(np.ones(3), 1.0, np.zeros(len(LEVELS)), 0.0, 0.0)
    assert (held_down(seen, 3, goes_on) @ LEVELS)[2] == pytest.approx(passed), "who goes on saw it too"


def test_lists_of_any_length_and_beginning_are_taken() -> None:
    short = [Showing(0, 0, 0, -1, True)]
    later = [Showing(0, page, page, -1, page == 11) for page in range(10, 14)]
    deep = [Showing(1, page, page, -1, False) for page in range(70)]
    learned = learn([*short, *later, *deep])
    assert 0.0 < learned.value(0, 12) < learned.value(0, 11) < 1.0
    assert learned.attention[0] <= 1.0
