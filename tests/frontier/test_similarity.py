"""The order by similarity: what is told of pages that were never read."""

import numpy as np
import pytest

from whimbrel.frontier.similarity import SaidOnPage, Similarity
from whimbrel.rank.likeness import likeness_among, likeness_sums
from whimbrel.rank.simrank import SimRank

SAYS, SILENT = SaidOnPage((3,), 6), SaidOnPage((0,), 6)


def similarity() -> Similarity:
    return Similarity(np.random.default_rng(1))


def test_a_page_that_waits_is_as_alike_by_its_links_as_simrank_says() -> None:
    """Of a graph with the page itself in it, among the pages that were read."""
    chance = np.random.default_rng(3)
    sources, targets = chance.integers(0, 40, 300), chance.integers(0, 41, 300)
    waits = 40
    whole = SimRank(sources, targets, 41, chance)
    inside = targets != waits
    lent = SimRank(sources[inside], targets[inside], 40, chance).sums_behind()
    leading = np.unique(sources[~inside])
    assert len(leading) > 1
    assert 0.8 * lent[leading].mean() == pytest.approx(whole.to(waits)[:40].sum(), abs=1e-3)


def test_what_pages_like_most_lead_to_comes_first() -> None:
    pages = similarity()
    pages.take_in(1, SAYS, [2, 3, 4])
    pages.take_in(2, SAYS, [10])
    pages.take_in(3, SAYS, [11])
    pages.take_in(4, SILENT, [12])
    liked, other, unlike, unknown = pages.scores([10, 11, 12, 99])
    assert liked == other > unlike > unknown == 0
    assert pages.precision == 0.75


def test_a_page_read_twice_counts_once_and_new_pages_are_heeded() -> None:
    pages = similarity()
    pages.take_in(1, SAYS, [10])
    (before,) = pages.scores([10])
    pages.take_in(1, SILENT, [10, 11])
    assert pages.pages == 1
    assert pages.scores([10, 11]) == [before, 0.0]
    pages.take_in(2, SAYS, [11])
    assert min(pages.scores([10, 11])) > before


def test_without_a_page_nothing_is_known() -> None:
    assert similarity().scores([1, 2]) == [0.0, 0.0]


def test_sums_among_others_are_those_of_the_definition_and_the_curve_is_close() -> None:
    weights = np.random.default_rng(5).random(2_000) + 0.1
    exact = likeness_sums(weights)
    few = likeness_among(weights[:50], weights)
    assert few == pytest.approx(exact[:50], rel=1e-9)
    assert likeness_among(weights, weights) == pytest.approx(exact, rel=1e-3)
