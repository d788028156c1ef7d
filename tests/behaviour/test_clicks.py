"""Clicks freed from the place they were made at: on readers whose attention and taste are known."""

import random

import pytest

from whimbrel.behaviour.clicks import Learned, Showing, learn

APPEAL = (0.1, 0.4, 0.8)


def looked_at_less_and_less(grades: list[list[int]], sessions: int, chance: random.Random) -> list[Showing]:
    """Readers look at place k with a probability of 1/√k, and now and then two neighbours are exchanged."""
    told = []
    for query, row in enumerate(grades):
        for _ in range(sessions):
            order = list(range(len(row)))
            if chance.random() < 0.2:
                at = chance.randrange(len(row) - 1)
                order[at], order[at + 1] = order[at + 1], order[at]
            after = -1
            for place, page in enumerate(order):
                clicked = chance.random() < (place + 1) ** -0.5 * APPEAL[row[page]]
                told.append(Showing(query, page, place, after, clicked))
                after = place if clicked else after
    return told


def agreement(worth: dict[tuple[int, int], float], grades: list[list[int]]) -> float:
    """Goodman and Kruskal's γ over pairs of different grade."""
    right = wrong = 0
    for query, row in enumerate(grades):
        for one, grade in enumerate(row):
            for other in range(one):
                if grade != row[other]:
                    difference = (worth[query, one] - worth[query, other]) * (grade - row[other])
                    right, wrong = right + (difference > 0), wrong + (difference < 0)
    return (right - wrong) / (right + wrong)


def counted(showings: list[Showing]) -> dict[tuple[int, int], float]:
    clicks: dict[tuple[int, int], float] = {}
    for each in showings:
        clicks[each.query, each.page] = clicks.get((each.query, each.page), 0.0) + each.clicked
    return clicks


def test_the_place_is_taken_out_where_text_ranks_by_chance() -> None:
    chance = random.Random(7)
    grades = [chance.sample([2, 2, 1, 1, 1, 0, 0, 0], 8) for _ in range(12)]
    showings = looked_at_less_and_less(grades, 150, chance)
    learned = learn(showings)
    assert agreement(learned.appeal, grades) > max(0.9, agreement(counted(showings), grades))
    assert learned.attention[0] == pytest.approx(1.0)
    assert learned.attention[7] < 0.7


def test_little_is_lost_where_text_ranks_well() -> None:
    chance = random.Random(8)
    grades = [sorted((chance.choice([2, 1, 0]) for _ in range(8)), reverse=True) for _ in range(12)]
    showings = looked_at_less_and_less(grades, 150, chance)
    assert agreement(learn(showings).appeal, grades) > agreement(counted(showings), grades) - 0.02


def test_nobody_and_nothing_known_is_neutral() -> None:
    assert learn([]) == Learned([1.0], {}, {}, 0.0)
    assert learn([]).value(1, 1) == 0.5
    once = learn([Showing(0, 0, 0, -1, True), Showing(0, 1, 1, 0, False)])
    assert once.value(0, 2) == 0.5
    assert once.value(0, 0) > once.value(0, 1)


def test_one_readers_voice_weighs_little() -> None:
    """A hundred clicks of a single reader, weighed as one, move a page less than five readers do."""
    others = [Showing(0, page, page, -1, False) for page in range(5) for _ in range(20)]
    alone = [Showing(0, 4, 4, -1, True, weight=0.01) for _ in range(100)]
    five = [Showing(0, 4, 4, -1, True) for _ in range(5)]
    assert learn(others).value(0, 4) < learn(others + alone).value(0, 4) < learn(others + five).value(0, 4)


def test_hostile_places_are_taken_for_the_last() -> None:
    assert learn([Showing(0, 0, 10**9, 10**9, True)]).value(0, 0) == pytest.approx(0.5, abs=0.5)
