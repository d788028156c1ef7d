"""Which pages of a parcel are looked at: each with its chance, as many and as large ones in any draw."""

from random import Random
from statistics import mean, pstdev

from whimbrel.places.home.drawing import drawn

SHARE = 0.06


def test_each_page_is_drawn_with_its_own_chance() -> None:
    chances = Random(3)
    shares = [chances.choice((0.003, 0.06, 0.5, 1.0)) for _ in range(40)]
    sizes = [chances.randrange(100_000) for _ in shares]
    times = [0] * len(shares)
    for seed in range(20_000):
        for place in drawn(shares, sizes, Random(seed)):
            times[place] += 1
    for share, came in zip(shares, times, strict=True):
        assert abs(came / 20_000 - share) < 0.015, share


def test_nothing_and_all_of_it_and_an_empty_parcel() -> None:
    assert drawn([], [], Random(1)) == []
    assert drawn([0.0] * 9, range(9), Random(1)) == []
    assert drawn([1.0] * 9, [5] * 9, Random(1)) == list(range(9))


def test_any_draw_costs_about_as_much() -> None:
    """A few large pages among many small ones, as on most sites: a draw for each page costs now little, now much."""
    sizes = [int(2_000 * Random(n).paretovariate(1.2)) for n in range(400)]
    strata = [sum(sizes[place] for place in drawn([SHARE] * 400, sizes, Random(seed))) for seed in range(500)]
    single = [sum(size for size in sizes if (chance.random() < SHARE)) for chance in map(Random, range(500))]
    assert abs(mean(strata) / mean(single) - 1) < 0.1
    assert pstdev(strata) < 0.7 * pstdev(single)
    counts = [len(drawn([SHARE] * 400, sizes, Random(seed))) for seed in range(500)]
    assert max(counts) - min(counts) <= 8


def test_however_lies_are_laid_they_are_missed_less_often_than_by_a_draw_for_each() -> None:
    sizes = list(range(100))
    for lies in ({0, 1, 2, 3}, {0, 25, 50, 75}, {0, 16, 32, 48}, {96, 97, 98, 99}):
        missed = sum(not lies & set(drawn([SHARE] * 100, sizes, Random(seed))) for seed in range(5_000))
        assert missed / 5_000 <= (1 - SHARE) ** 4 + 0.015, lies


def test_one_parcels_draws_tell_nothing_of_the_next() -> None:
    """Who sees which of its pages home asked for knows no more of the others."""
    chance = Random(11)
    first, second = zip(
        *((drawn([0.5] * 2, [1, 1], chance), drawn([0.5] * 2, [1, 1], chance)) for _ in range(4_000)), strict=True
    )
    for here in ([0], [1]):
        after = [later for one, later in zip(first, second, strict=True) if one == here]
        assert abs(mean(later == [0] for later in after) - 0.5) < 0.05
