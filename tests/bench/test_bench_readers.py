"""Simulated readers do as they are told, and ways of hearing them are judged rightly."""

import random
from collections import Counter

import pytest

from whimbrel.behaviour.patterns import frequent_sets
from whimbrel.bench import readers
from whimbrel.bench.readers_interleaving import WEIGHTS, Preferred, chosen, team_draft
from whimbrel.bench.readers_judging import Mean, agreement, mean, ndcg, ordered
from whimbrel.bench.readers_load import counted_otherwise
from whimbrel.bench.readers_world import CHOSEN_ON, JUDGED, Candidates, Crowd, World, graded, start_order
from whimbrel.records.deed import Action
from whimbrel.records.url import Url


def question(name: str) -> Candidates:
    urls = tuple(Url(f"http://a.example/{name}/{at}") for at in range(10))
    alike = tuple(tuple(1.0 / (1 + abs(one - other)) for other in range(10)) for one in range(10))
    return Candidates(name, urls, tuple(1.0 - at / 20 for at in range(10)), (400,) * 10, alike, 0)


ONE = question("tides")


def test_grades_follow_the_wish() -> None:
    grades = graded(ONE, 4)
    assert grades[4] == 2
    assert Counter(grades) == {2: 2, 1: 3, 0: 5}
    assert sorted(start_order(ONE)) == list(range(10))


@pytest.mark.parametrize(("model", "most"), [("cascade", 1), ("position", 10)])
def test_readers_go_through_answers_as_their_model_says(model: str, most: int) -> None:
    crowd = Crowd(World(model, "1/k", 0.0, True), random.Random(1), 0.0)
    told = [crowd.session(ONE, graded(ONE, 0), start_order(ONE)) for _ in range(400)]
    opened = Counter(page for _, pages in told for page in pages)
    assert max(len(pages) for _, pages in told) <= most
    assert opened[0] > opened[1] > opened[9]
    deeds = told[0][0]
    assert [each.rank for each in deeds if each.action is Action.SHOWN] == list(range(1, 11))


def test_what_is_judged_was_not_chosen_with() -> None:
    assert not {(world.curve, world.noise) for world in CHOSEN_ON} & {(world.curve, world.noise) for world in JUDGED}


def test_agreement_and_order() -> None:
    grades = [graded(ONE, 0)]
    worth = {("tides", url): float(grade) for url, grade in zip(ONE.urls, grades[0], strict=True)}
    assert agreement(worth, [ONE], grades) == 1.0
    assert agreement({pair: -value for pair, value in worth.items()}, [ONE], grades) == -1.0
    assert agreement({}, [ONE], grades) == 0.0
    assert ndcg(ordered(ONE, worth, 9.0), grades[0]) == 1.0
    assert ordered(ONE, worth, 0.0) == start_order(ONE)


def test_teams_pick_in_turns() -> None:
    shown, theirs = team_draft([0, 1, 2, 3], [3, 2, 1, 0], random.Random(2))
    assert sorted(shown) == [0, 1, 2, 3]
    assert sum(theirs.values()) == 2
    assert {shown[0], shown[1]} == {0, 3}


def test_a_weight_is_chosen_only_where_it_surely_wins() -> None:
    def tried(*won: tuple[float, float]) -> list[Preferred]:
        return [Preferred(weight, Mean(*each, 100)) for weight, each in zip(WEIGHTS, won, strict=False)]

    assert chosen(tried((0.01, 0.02), (0.0, 0.02))) == 0.0
    assert chosen(tried((0.01, 0.02), (0.19, 0.02), (0.2, 0.02))) == WEIGHTS[1]
    assert mean([1.0, 1.0]) == Mean(1.0, 0.0, 2)


def test_a_weight_that_costs_much_where_readers_click_at_random_is_not_chosen() -> None:
    safe, best = Preferred(0.4, Mean(0.1, 0.01, 100), 0.002), Preferred(1.6, Mean(0.3, 0.01, 100), 0.03)
    assert chosen([safe, best]) == 0.4
    assert chosen([best]) == 0.0


def test_costs_of_weights_are_those_of_readers_who_click_at_random() -> None:
    found = readers.costs([question(name) for name in ("tides", "ebb")], 3)
    assert set(found) == set(WEIGHTS)
    assert all(cost >= 0.0 for cost in found.values())


def test_frequent_sets_are_counted_alike_in_two_ways() -> None:
    chance = random.Random(3)
    baskets = [frozenset(chance.sample(range(8), chance.randint(0, 5))) for _ in range(300)]
    found = frequent_sets(baskets, 20)
    assert isinstance(found, dict)
    assert {frozenset(items): count for items, count in found.items()} == counted_otherwise(baskets, 20)


def test_a_world_is_judged_from_one_log() -> None:
    asked = [question(name) for name in ("tides", "ebb", "flood")]
    world = World("position", "1/k", 0.0, False)
    few, many = readers.judged_in(world, asked, "a site", 5, 0.4, (2, 30))
    assert (few.looks, many.looks) == (2, 30)
    assert set(many.ndcg) == {"no weight", "hit count", "stars", "paper's weight", "ours"}
    assert -1.0 <= many.raw <= 1.0
    assert many == list(readers.judged_in(world, asked, "a site", 5, 0.4, (2, 30)))[1], "seeds decide"
    assert "start order chance" in readers.told(many)


def test_an_order_that_follows_readers_is_another() -> None:
    asked, world = [question(name) for name in ("tides", "ebb", "flood")], World("position", "1/k", 0.0, False)
    still, moved = (
        list(readers.judged_in(world, asked, "a site", 5, 9.0, (20, 30), follows=follows)) for follows in (False, True)
    )
    assert still[0] == moved[0]
    assert still[1] != moved[1], "what readers did moves what later ones see"
